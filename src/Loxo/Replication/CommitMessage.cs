namespace Loxo;

/// <summary>The transaction is complete.</summary>
public sealed class CommitMessage : PgOutputReplicationMessage
{
    internal CommitMessage()
    {
    }

    /// <summary>Flags of the commit. PostgreSQL has none yet.</summary>
    [Flags]
    public enum CommitFlags : byte
    {
        /// <summary>None.</summary>
        None = 0,
    }

    /// <summary>Flags of the commit.</summary>
    public CommitFlags Flags { get; internal init; }

    /// <summary>The place of the commit.</summary>
    public PgLogSequenceNumber CommitLsn { get; internal init; }

    /// <summary>The end of the transaction: the place to report once it is stored.</summary>
    public PgLogSequenceNumber TransactionEndLsn { get; internal init; }

    /// <summary>When it was committed, in UTC.</summary>
    public DateTime TransactionCommitTimestamp { get; internal init; }
}
