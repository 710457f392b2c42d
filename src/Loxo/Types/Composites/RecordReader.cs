namespace Loxo.Types;

/// <summary>
/// A view over the bytes of a record or a composite value (record_send, rowtypes.c): the number of fields, then for each the OID of its
/// type and its value behind its length (-1 for NULL).
/// </summary>
internal ref struct RecordReader
{
    // A field that is NULL or empty: OID and length.
    private const int LeastSizeOfField = 8;

    private BinaryScanner _scanner;
    private int _left;

    /// <param name="value">The record's bytes.</param>
    /// <param name="type">Its type's name in SQL, for errors.</param>
    /// <exception cref="PgException">The bytes claim more fields than they can hold.</exception>
    public RecordReader(ReadOnlySpan<byte> value, string type)
    {
        _scanner = new BinaryScanner(value, type);
        Count = _left = _scanner.TakeCount(LeastSizeOfField);
    }

    /// <summary>How many fields there are, and no more than the bytes can hold.</summary>
    public int Count { get; }

    /// <summary>Bytes behind the field that was read last.</summary>
    public readonly int BytesLeft => _scanner.Left;

    /// <summary>Takes the next field; false after the last one.</summary>
    /// <exception cref="PgException">The record ends within the field, or goes on after the last one.</exception>
    public bool TryReadNext(out RecordField field)
    {
        field = default;
        if (_left == 0)
        {
            End();
            return false;
        }
        _left--;
        var oid = _scanner.TakeUInt32();
        field = _scanner.TryTakeValue(out var value) ? new RecordField(oid, value) : new RecordField(oid);
        return true;
    }

    /// <summary>Checks that nothing follows the last field.</summary>
    public readonly void End() => _scanner.End();
}

/// <summary>One field of a record.</summary>
internal readonly ref struct RecordField
{
    /// <summary>A field that is NULL.</summary>
    public RecordField(uint typeOid)
    {
        TypeOid = typeOid;
        IsNull = true;
    }

    public RecordField(uint typeOid, ReadOnlySpan<byte> value)
    {
        TypeOid = typeOid;
        Value = value;
    }

    /// <summary>pg_type.oid of the field's type.</summary>
    public uint TypeOid { get; }

    public bool IsNull { get; }

    /// <summary>The value's bytes; empty for NULL.</summary>
    public ReadOnlySpan<byte> Value { get; }
}
