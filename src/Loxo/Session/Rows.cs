using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// The rows of one result, read where they lie in the input buffer. Columns are located in order, a few at a time, as far as asked.
/// </summary>
internal sealed class Rows
{
    // Whoever asks for one column mostly asks for the next ones too.
    private const int LocatedAhead = 8;
    private const int FewestColumns = 4;

    private ServerSession _session = null!;
    private MessageReader _messages = null!;
    private byte[] _buffer = [];
    private Column[] _columns = [];
    private int _count;
    private int _located;
    private int _next;
    private int _end;

    /// <summary>Rows of no result: none to read, none to come.</summary>
    public static readonly Rows Ended = new() { HasEnded = true };

    /// <summary>Whether there is a row to read from.</summary>
    public bool IsOnRow { get; private set; }

    /// <summary>Whether the result's last row has been passed.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Turns to a result of <paramref name="columns"/> columns whose rows come next, or that has none.</summary>
    public void Start(ServerSession session, int columns, bool hasRows)
    {
        _session = session;
        _messages = session.Wire.Input;
        _count = columns;
        IsOnRow = false;
        HasEnded = !hasRows;
        if (_columns.Length < columns)
            _columns = new Column[Math.Max(columns, FewestColumns)];
    }

    /// <summary>Leaves the row: nothing can be read from it any more.</summary>
    public void Leave() => IsOnRow = false;

    /// <summary>The result has ended, or its other rows are not wanted.</summary>
    public void End()
    {
        IsOnRow = false;
        HasEnded = true;
    }

    /// <summary>Goes to the next row, if that has arrived whole.</summary>
    public bool TryTake()
    {
        if (HasEnded || !_messages.TryTakeRow(out var start, out var end))
            return false;
        StartRow(start, end);
        return true;
    }

    /// <summary>Whether the column is NULL.</summary>
    public bool IsNull(int ordinal)
    {
        if (ordinal >= _located)
            Locate(ordinal);
        return _columns[ordinal].Length < 0;
    }

    /// <summary>The column's bytes; false when it is NULL.</summary>
    public bool TryGet(int ordinal, out ReadOnlySpan<byte> value)
    {
        if (ordinal >= _located)
            Locate(ordinal);
        var column = _columns[ordinal];
        if (column.Length < 0)
        {
            value = default;
            return false;
        }
        value = _buffer.AsSpan(column.Start, column.Length);
        return true;
    }

    private void StartRow(int start, int end)
    {
        _buffer = _messages.Buffer;
        _end = end;
        _located = 0;
        _next = start + 2;
        if (end - start < 2 || BinaryPrimitives.ReadUInt16BigEndian(_buffer.AsSpan(start)) != _count)
            throw _session.Failed(ProtocolErrors.Truncated());
        IsOnRow = true;
    }

    private void Locate(int ordinal)
    {
        var row = _buffer.AsSpan(0, _end);
        var columns = _columns;
        var next = _next;
        var last = Math.Min(_count, ordinal + LocatedAhead);
        for (var i = _located; i < last; i++)
        {
            if (row.Length - next < sizeof(int))
                throw _session.Failed(ProtocolErrors.Truncated());
            var length = BinaryPrimitives.ReadInt32BigEndian(row[next..]);
            next += sizeof(int);
            // -1 is NULL; anything below is no length.
            if (length > row.Length - next || length < -1)
                throw _session.Failed(ProtocolErrors.Truncated());
            columns[i] = new Column(next, length);
            next += Math.Max(length, 0);
        }
        _next = next;
        _located = last;
    }

    /// <summary>Where a value lies; its length is negative for NULL.</summary>
    private readonly record struct Column(int Start, int Length);
}
