namespace Loxo;

/// <summary>A transaction that was sent before its end, or a part of it since a savepoint, was rolled back.</summary>
public class StreamAbortMessage : TransactionControlMessage
{
    internal StreamAbortMessage()
    {
    }

    /// <summary>The id of the subtransaction that was rolled back; that of the transaction if it was rolled back as a whole.</summary>
    public uint SubtransactionXid { get; internal init; }
}
