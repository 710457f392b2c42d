namespace Loxo.Protocol.Backend;

/// <summary>DataRow ('D'): the columns of a row in order, each behind its length (-1 for NULL).</summary>
internal ref struct DataRow
{
    /// <summary>Bytes in front of the first column: the number of columns.</summary>
    public const int HeaderSize = sizeof(short);

    private readonly ReadOnlySpan<byte> _body;
    private ValueReader _reader;
    private int _left;

    public DataRow(ReadOnlySpan<byte> body)
    {
        _body = body;
        _reader = new ValueReader(body);
        Count = _left = _reader.ReadCount();
    }

    public int Count { get; }

    /// <summary>Where in the body the next column starts, with its length.</summary>
    public readonly int Position => _body.Length - _reader.Rest.Length;

    public bool TryReadNext(out DataColumn column)
    {
        column = default;
        if (_left-- <= 0)
            return false;
        var length = _reader.ReadInt32();
        column = length == -1 ? new DataColumn { IsNull = true } : new DataColumn { Value = _reader.ReadBytes(length) };
        return true;
    }

    public ReadOnlySpan<byte> ReadValue() =>
        TryReadNext(out var column) && !column.IsNull ? column.Value : throw ProtocolErrors.Truncated();
}

internal readonly ref struct DataColumn
{
    public bool IsNull { get; init; }

    public ReadOnlySpan<byte> Value { get; init; }
}
