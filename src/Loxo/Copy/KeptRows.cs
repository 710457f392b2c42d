namespace Loxo.Copy;

/// <summary>The encoded rows of a batch, kept until the server has stored them: those that it refuses can be left out then.</summary>
internal sealed class KeptRows
{
    // Classes of SQLSTATE that tell about a row: data exception, integrity constraint violation, WITH CHECK OPTION violation, PL/pgSQL.
    private static readonly string[] _classesOfRows = ["22", "23", "44", "P0"];

    private readonly ArrayBufferWriter<byte> _bytes = new();
    private readonly List<(long Index, int Start, int Length)> _rows = [];
    private int _first;
    private int _count;
    private PostgresException? _refusal;

    /// <summary>The number of rows.</summary>
    public int Count => _rows.Count;

    /// <summary>Adds a row.</summary>
    /// <param name="index">Its place in the source.</param>
    /// <param name="row">Its bytes.</param>
    public void Add(long index, ReadOnlySpan<byte> row)
    {
        _rows.Add((index, _bytes.WrittenCount, row.Length));
        _bytes.Write(row);
    }

    /// <summary>The bytes of a row.</summary>
    public ReadOnlySpan<byte> BytesOf(int position) => _bytes.WrittenSpan.Slice(_rows[position].Start, _rows[position].Length);

    /// <summary>These rows are copied next; without a count, those that are added.</summary>
    public void Copying(int first, int count = 0) => (_first, _count) = (first, count);

    /// <summary>Notes an error of the copy, and names the row's place in the source if the server or their number tells the row.</summary>
    public void Refused(PostgresException error)
    {
        _refusal = error;
        if ((_count == 1 ? 0 : error.FailedRow) is { } row && _first + row < Count)
            error.FailedRow = _rows[_first + (int)row].Index;
    }

    /// <summary>Whether an error is that of the copy, and tells about a row.</summary>
    public bool IsRefusal(PostgresException error) => ReferenceEquals(error, _refusal)
        && Array.Exists(_classesOfRows, start => error.SqlState.StartsWith(start, StringComparison.Ordinal));

    /// <summary>Leaves the row out that has that place in the source. False if there is none.</summary>
    public bool TryRemove(long index) => _rows.RemoveAll(row => row.Index == index) > 0;

    /// <summary>Forgets all rows.</summary>
    public void Clear()
    {
        _rows.Clear();
        _bytes.ResetWrittenCount();
        Copying(0);
    }
}
