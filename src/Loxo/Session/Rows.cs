using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>The rows of one result, read where they lie in the input buffer. Columns are located in order, as far as asked.</summary>
/// <param name="command">The command whose result it is; null for <see cref="Ended"/>.</param>
internal sealed class Rows(CommandExchange? command)
{
    // A caller that reads a column mostly reads the next ones too.
    private const int LocatedAhead = 8;
    private const int FewestColumns = 4;

    private MessageReader _messages = command?.Session.Wire.Input!;
    private byte[] _buffer = [];
    private Column[] _columns = [];
    private int _count;
    private int _located;
    private int _next;
    private int _end;
    private PartialRow? _part;

    /// <summary>Rows of no result: none to read, none to come.</summary>
    public static readonly Rows Ended = new(null) { HasEnded = true };

    /// <summary>Whether there is a row to read from.</summary>
    public bool IsOnRow { get; private set; }

    /// <summary>Whether the result's last row has been passed.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Grows with every row: a stream over a row compares it to see whether the row is still the current one.</summary>
    public long Version { get; private set; }

    /// <summary>The row has not arrived whole and is read in pieces, column after column.</summary>
    public bool IsInPieces { get; private set; }

    /// <summary>Reads the row while <see cref="IsInPieces"/>.</summary>
    public PartialRow Part => _part!;

    /// <summary>Where values lie; after receiving it may be another one.</summary>
    public byte[] Buffer => _buffer;

    /// <summary>For how many milliseconds a blocking read of a row in pieces may wait each time.</summary>
    public int Timeout { get; set; } = System.Threading.Timeout.Infinite;

    /// <summary>Whether more of a row in pieces has to arrive before it can be read on.</summary>
    public bool IsWaiting => IsInPieces && IsOnRow && _part!.IsWaiting;

    /// <summary>Turns to a result of <paramref name="columns"/> columns whose rows come next, or that has none.</summary>
    public void Start(int columns, bool hasRows)
    {
        // The connection was closed on another thread while its reader waited.
        if (command is null)
            return;
        _count = columns;
        IsOnRow = IsInPieces = false;
        HasEnded = !hasRows;
        if (_columns.Length < columns)
            _columns = new Column[Math.Max(columns, FewestColumns)];
    }

    /// <summary>Reads on from messages that were collected.</summary>
    public void ReadFrom(MessageReader messages) => _messages = messages;

    /// <summary>Leaves the row: nothing can be read from it any more.</summary>
    public void Leave() => IsOnRow = false;

    /// <summary>The result has ended, or its other rows are not wanted.</summary>
    public void End()
    {
        IsOnRow = false;
        HasEnded = true;
        _buffer = [];
    }

    /// <summary>Goes to the next row, if that has arrived whole or is long and wanted in pieces.</summary>
    public bool TryTake()
    {
        if (HasEnded)
            return false;
        if (!_messages.TryTakeRow(out var start, out var end))
            return command!.Query.RowsInPieces && TryEnter();
        StartRow(start, end);
        return true;
    }

    /// <summary>Whether the row that <see cref="Version"/> was asked for in is still the current one.</summary>
    public bool IsAt(long version) => IsOnRow && Version == version;

    /// <summary>Whether the column is NULL.</summary>
    public bool IsNull(int ordinal)
    {
        if (ordinal >= _located)
            Locate(ordinal, Reach.Start);
        return _columns[ordinal].Length < 0;
    }

    /// <summary>The column's bytes; false when it is NULL.</summary>
    public bool TryGet(int ordinal, out ReadOnlySpan<byte> value)
    {
        if (ordinal >= _located)
            Locate(ordinal, Reach.All);
        var column = _columns[ordinal];
        if (column.Length < 0)
        {
            value = default;
            return false;
        }
        value = _buffer.AsSpan(column.Start, column.Length);
        return true;
    }

    /// <summary>Where the column lies in <see cref="Buffer"/>; a length of -1 means NULL.</summary>
    public (int Start, int Length) Place(int ordinal)
    {
        if (ordinal >= _located)
            Locate(ordinal, Reach.All);
        return (_columns[ordinal].Start, _columns[ordinal].Length);
    }

    private bool TryEnter()
    {
        if (!_messages.IsAtLongRow)
            return false;
        command!.Result!.HasLongRows = true;
        (_part ??= new PartialRow(command.Session)).Enter(_count);
        Version++;
        // No column counts as located, so that each read goes through Locate.
        _located = 0;
        return IsOnRow = IsInPieces = true;
    }

    private void StartRow(int start, int end)
    {
        Version++;
        IsInPieces = false;
        _buffer = _messages.Buffer;
        _end = end;
        _located = 0;
        _next = start + 2;
        if (end - start < 2 || BinaryPrimitives.ReadUInt16BigEndian(_buffer.AsSpan(start)) != _count)
            throw command!.Session.Failed(ProtocolErrors.Truncated());
        IsOnRow = true;
    }

    private void Locate(int ordinal, Reach reach)
    {
        if (IsInPieces)
        {
            LocatePiece(ordinal, reach);
            return;
        }
        // DataRow's loop, but from where the last call stopped, into places instead of spans: this is the hot path of reading.
        var row = _buffer.AsSpan(0, _end);
        var columns = _columns;
        var next = _next;
        var last = Math.Min(_count, ordinal + LocatedAhead);
        for (var i = _located; i < last; i++)
        {
            if (row.Length - next < sizeof(int))
                throw command!.Session.Failed(ProtocolErrors.Truncated());
            var length = BinaryPrimitives.ReadInt32BigEndian(row[next..]);
            next += sizeof(int);
            // -1 is NULL; anything below is no length.
            if (length > row.Length - next || length < -1)
                throw command!.Session.Failed(ProtocolErrors.Truncated());
            columns[i] = new Column(next, length);
            next += Math.Max(length, 0);
        }
        _next = next;
        _located = last;
    }

    private void LocatePiece(int ordinal, Reach reach)
    {
        if (!_part!.TryReach(ordinal, reach))
            command!.Session.Pump(command, Timeout);
        _buffer = _messages.Buffer;
        _columns[ordinal] = new Column(_messages.RowPosition, _part.Length);
    }

    /// <summary>Where a value lies; its length is negative for NULL.</summary>
    private readonly record struct Column(int Start, int Length);
}
