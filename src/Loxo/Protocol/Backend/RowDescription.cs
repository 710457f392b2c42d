namespace Loxo.Protocol.Backend;

/// <summary>RowDescription ('T'): the columns of the rows that follow. Enumerate it with <see cref="TryReadNext"/>.</summary>
internal ref struct RowDescription
{
    private ValueReader _reader;
    private int _left;

    public RowDescription(ReadOnlySpan<byte> body)
    {
        _reader = new ValueReader(body);
        Count = _left = _reader.ReadCount();
    }

    public int Count { get; }

    public bool TryReadNext(out ColumnDescription column)
    {
        column = default;
        if (_left-- <= 0)
            return false;
        column = new ColumnDescription
        {
            Name = _reader.ReadCString(),
            TableOid = _reader.ReadUInt32(),
            AttributeNumber = _reader.ReadInt16(),
            TypeOid = _reader.ReadUInt32(),
            TypeSize = _reader.ReadInt16(),
            TypeModifier = _reader.ReadInt32(),
            Format = (FormatCode)_reader.ReadInt16(),
        };
        return true;
    }
}

internal readonly struct ColumnDescription
{
    public required string Name { get; init; }

    /// <summary>The table it comes from; 0 when it is an expression.</summary>
    public required uint TableOid { get; init; }

    /// <summary>Its number in that table, from 1; 0 when it is an expression.</summary>
    public required short AttributeNumber { get; init; }

    public required uint TypeOid { get; init; }

    /// <summary>Bytes of a value (pg_type.typlen); negative when it varies.</summary>
    public required short TypeSize { get; init; }

    /// <summary>pg_attribute.atttypmod; -1 when the type has none.</summary>
    public required int TypeModifier { get; init; }

    /// <summary>As bound; always <see cref="FormatCode.Text"/> when a statement was described, not a portal.</summary>
    public required FormatCode Format { get; init; }
}
