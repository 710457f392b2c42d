namespace Loxo;

/// <summary>A message about a transaction that was prepared by name.</summary>
public abstract class PreparedTransactionControlMessage : TransactionControlMessage
{
    private protected PreparedTransactionControlMessage()
    {
    }

    /// <summary>The name that PREPARE TRANSACTION gave.</summary>
    public string TransactionGid { get; internal init; } = "";
}
