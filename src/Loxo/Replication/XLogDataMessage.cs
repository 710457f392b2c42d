namespace Loxo;

/// <summary>A part of the write-ahead log, or what an output plugin has made of it.</summary>
public sealed class XLogDataMessage : ReplicationMessage
{
    internal XLogDataMessage()
    {
    }

    /// <summary>The bytes. They can be read until the next message is asked for; copy what is needed longer.</summary>
    public Stream Data { get; internal init; } = Stream.Null;
}
