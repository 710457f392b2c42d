namespace Loxo;

/// <summary>A message that belongs to a transaction.</summary>
public abstract class TransactionalMessage : PgOutputReplicationMessage
{
    private protected TransactionalMessage()
    {
    }

    /// <summary>
    /// The id of the transaction, if it is sent before it ends; null otherwise: the last <see cref="BeginMessage"/> has it.
    /// </summary>
    public uint? TransactionXid { get; internal init; }
}
