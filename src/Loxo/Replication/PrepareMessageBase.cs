namespace Loxo;

/// <summary>A message about the moment in which a transaction was prepared.</summary>
public abstract class PrepareMessageBase : PreparedTransactionControlMessage
{
    private protected PrepareMessageBase()
    {
    }

    /// <summary>The place of the PREPARE.</summary>
    public PgLogSequenceNumber PrepareLsn { get; internal init; }

    /// <summary>The end of the prepared transaction.</summary>
    public PgLogSequenceNumber PrepareEndLsn { get; internal init; }

    /// <summary>When it was prepared, in UTC.</summary>
    public DateTime TransactionPrepareTimestamp { get; internal init; }
}
