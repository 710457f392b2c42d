namespace Loxo;

/// <summary>A change, or the begin or end of a transaction, as text.</summary>
public sealed class TestDecodingData : ReplicationMessage
{
    internal TestDecodingData()
    {
    }

    /// <summary>The text.</summary>
    public string Data { get; internal init; } = "";

    /// <summary>The text.</summary>
    public override string ToString() => Data;

    /// <summary>A copy. It is not needed to keep the object.</summary>
    public TestDecodingData Clone() => new() { Head = Head, Data = Data };
}
