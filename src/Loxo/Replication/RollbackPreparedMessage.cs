namespace Loxo;

/// <summary>A prepared transaction has been rolled back.</summary>
public sealed class RollbackPreparedMessage : PreparedTransactionControlMessage
{
    internal RollbackPreparedMessage()
    {
    }

    /// <summary>Flags of the rollback. PostgreSQL has none yet.</summary>
    [Flags]
    public enum RollbackPreparedFlags : byte
    {
        /// <summary>None.</summary>
        None = 0,
    }

    /// <summary>Flags of the rollback.</summary>
    public RollbackPreparedFlags Flags { get; internal init; }

    /// <summary>The end of the prepared transaction.</summary>
    public PgLogSequenceNumber PreparedTransactionEndLsn { get; internal init; }

    /// <summary>The end of the rollback: the place to report once it is stored.</summary>
    public PgLogSequenceNumber RollbackPreparedEndLsn { get; internal init; }

    /// <summary>When it was prepared, in UTC.</summary>
    public DateTime TransactionPrepareTimestamp { get; internal init; }

    /// <summary>When it was rolled back, in UTC.</summary>
    public DateTime TransactionRollbackTimestamp { get; internal init; }
}
