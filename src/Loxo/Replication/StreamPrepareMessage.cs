namespace Loxo;

/// <summary>A transaction that was sent before its end has been prepared.</summary>
public sealed class StreamPrepareMessage : PrepareMessageBase
{
    internal StreamPrepareMessage()
    {
    }

    /// <summary>Flags of the PREPARE. PostgreSQL has none yet.</summary>
    [Flags]
    public enum StreamPrepareFlags : byte
    {
        /// <summary>None.</summary>
        None = 0,
    }

    /// <summary>Flags of the PREPARE.</summary>
    public StreamPrepareFlags Flags { get; internal init; }
}
