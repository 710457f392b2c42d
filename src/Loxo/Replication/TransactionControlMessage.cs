namespace Loxo;

/// <summary>A message about a transaction as a whole.</summary>
public abstract class TransactionControlMessage : PgOutputReplicationMessage
{
    private protected TransactionControlMessage()
    {
    }

    /// <summary>The id of the transaction.</summary>
    public uint TransactionXid { get; internal init; }
}
