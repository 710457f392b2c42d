using Loxo.Session;

namespace Loxo.Reading;

/// <summary>A column of the reader's row, or a field somewhere within it: where it lies, and its name in errors.</summary>
internal sealed class NestedValue
{
    private readonly Rows _rows;
    private readonly long _version;
    private readonly int _column;
    private readonly int _start;
    private readonly int _length;
    private readonly ResultColumn _field;
    private readonly int _ordinal;
    private readonly NestedValue? _outer;

    /// <summary>A column that has arrived whole and is not NULL.</summary>
    public NestedValue(Rows rows, ResultColumn column, int ordinal)
    {
        _rows = rows;
        _version = rows.Version;
        _column = _ordinal = ordinal;
        _length = rows.Place(ordinal).Length;
        _field = column;
    }

    private NestedValue(NestedValue outer, ResultColumn field, int ordinal, int start, int length)
    {
        _rows = outer._rows;
        _version = outer._version;
        _column = outer._column;
        _start = outer._start + start;
        _length = length;
        _field = field;
        _ordinal = ordinal;
        _outer = outer;
        Depth = outer.Depth + 1;
    }

    /// <summary>0 for a column, one more for each value that it is a field of.</summary>
    public int Depth { get; }

    /// <summary>Its bytes, where they are now.</summary>
    public ReadOnlySpan<byte> Bytes
    {
        get
        {
            Check();
            return _rows.TryGet(_column, out var column) ? column.Slice(_start, _length) : default;
        }
    }

    public void Check()
    {
        if (!_rows.IsAt(_version))
            throw ReaderErrors.NestedEnded();
    }

    /// <inheritdoc cref="ResultCursor.StillAt"/>
    public T StillAt<T>(T value)
    {
        Volatile.ReadBarrier();
        Check();
        return value;
    }

    /// <summary>A field within this value, at so many bytes behind its start.</summary>
    public NestedValue Field(ResultColumn field, int ordinal, int start, int length) => new(this, field, ordinal, start, length);

    /// <summary>The same kind of exception, with the column, and the fields down to this one, in front.</summary>
    public Exception Error(Exception cause)
    {
        for (var value = this; value is not null; value = value._outer)
            cause = ReaderErrors.CannotRead(value._field, value._ordinal, cause);
        return cause;
    }
}
