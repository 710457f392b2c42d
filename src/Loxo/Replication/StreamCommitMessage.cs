namespace Loxo;

/// <summary>A transaction that was sent before its end has been committed.</summary>
public sealed class StreamCommitMessage : TransactionControlMessage
{
    internal StreamCommitMessage()
    {
    }

    /// <summary>Flags of the commit. PostgreSQL has none yet: 0.</summary>
    public byte Flags { get; internal init; }

    /// <summary>The place of the commit.</summary>
    public PgLogSequenceNumber CommitLsn { get; internal init; }

    /// <summary>The end of the transaction: the place to report once it is stored.</summary>
    public PgLogSequenceNumber TransactionEndLsn { get; internal init; }

    /// <summary>When it was committed, in UTC.</summary>
    public DateTime TransactionCommitTimestamp { get; internal init; }
}
