namespace Loxo;

/// <summary>A message that a program wrote into the log with <c>pg_logical_emit_message</c>.</summary>
public sealed class LogicalDecodingMessage : TransactionalMessage
{
    internal LogicalDecodingMessage(byte[] data) => Data = new MemoryStream(data, writable: false);

    /// <summary>1 for a message that belongs to its transaction; 0 for one that was sent whether that was committed or not.</summary>
    public byte Flags { get; internal init; }

    /// <summary>Its place.</summary>
    public PgLogSequenceNumber MessageLsn { get; internal init; }

    /// <summary>Its prefix.</summary>
    public string Prefix { get; internal init; } = "";

    /// <summary>Its content.</summary>
    public Stream Data { get; }
}
