namespace Loxo;

/// <summary>A part of a transaction that has not ended follows.</summary>
public sealed class StreamStartMessage : TransactionControlMessage
{
    internal StreamStartMessage()
    {
    }

    /// <summary>1 for the first part of the transaction, 0 for later ones.</summary>
    public byte StreamSegmentIndicator { get; internal init; }
}
