namespace Loxo.Types;

/// <summary>A view over a record (record_send, rowtypes.c): number of fields; for each its type's OID, length and bytes.</summary>
internal ref struct RecordReader
{
    // A field that is NULL or empty: OID and length.
    private const int LeastSizeOfField = 8;

    private BinaryScanner _scanner;
    private int _left;

    public RecordReader(ReadOnlySpan<byte> value, string type)
    {
        _scanner = new BinaryScanner(value, type);
        Count = _left = _scanner.TakeCount(LeastSizeOfField);
    }

    /// <summary>How many fields there are, and no more than the bytes can hold.</summary>
    public int Count { get; }

    public readonly int BytesLeft => _scanner.Left;

    /// <summary>Takes the next field; false after the last one.</summary>
    public bool TryReadNext(out RecordField field)
    {
        field = default;
        if (_left == 0)
        {
            End();
            return false;
        }
        _left--;
        field = new RecordField { TypeOid = _scanner.TakeUInt32(), IsNull = !_scanner.TryTakeValue(out var value), Value = value };
        return true;
    }

    public readonly void End() => _scanner.End();
}

internal readonly ref struct RecordField
{
    public uint TypeOid { get; init; }

    public bool IsNull { get; init; }

    public ReadOnlySpan<byte> Value { get; init; }
}
