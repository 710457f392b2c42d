namespace Loxo;

/// <summary>A prepared transaction has been committed.</summary>
public sealed class CommitPreparedMessage : PreparedTransactionControlMessage
{
    internal CommitPreparedMessage()
    {
    }

    /// <summary>Flags of the commit. PostgreSQL has none yet.</summary>
    [Flags]
    public enum CommitPreparedFlags : byte
    {
        /// <summary>None.</summary>
        None = 0,
    }

    /// <summary>Flags of the commit.</summary>
    public CommitPreparedFlags Flags { get; internal init; }

    /// <summary>The place of the commit.</summary>
    public PgLogSequenceNumber CommitPreparedLsn { get; internal init; }

    /// <summary>The end of the commit: the place to report once it is stored.</summary>
    public PgLogSequenceNumber CommitPreparedEndLsn { get; internal init; }

    /// <summary>When it was committed, in UTC.</summary>
    public DateTime TransactionCommitTimestamp { get; internal init; }
}
