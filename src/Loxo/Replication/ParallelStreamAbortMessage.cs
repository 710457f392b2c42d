namespace Loxo;

/// <summary>The same with <see cref="PgOutputStreamingMode.Parallel"/>.</summary>
public sealed class ParallelStreamAbortMessage : StreamAbortMessage
{
    internal ParallelStreamAbortMessage()
    {
    }

    /// <summary>The place of the rollback.</summary>
    public PgLogSequenceNumber AbortLsn { get; internal init; }

    /// <summary>When it was rolled back, in UTC.</summary>
    public DateTime AbortTimestamp { get; internal init; }
}
