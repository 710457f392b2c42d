namespace Loxo;

/// <summary>A transaction follows that has been committed.</summary>
public sealed class BeginMessage : TransactionControlMessage
{
    internal BeginMessage()
    {
    }

    /// <summary>The place of its commit.</summary>
    public PgLogSequenceNumber TransactionFinalLsn { get; internal init; }

    /// <summary>When it was committed, in UTC.</summary>
    public DateTime TransactionCommitTimestamp { get; internal init; }
}
