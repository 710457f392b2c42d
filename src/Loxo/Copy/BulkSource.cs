using System.Data;
using System.Data.Common;

namespace Loxo.Copy;

/// <summary>Where the rows of a bulk copy come from.</summary>
internal abstract class BulkSource
{
    /// <summary>The names of its columns.</summary>
    public abstract IReadOnlyList<string> Names { get; }

    /// <summary>Goes to the next row, blocking; false behind the last one.</summary>
    public abstract bool Next();

    /// <summary>Goes to the next row; false behind the last one.</summary>
    public virtual ValueTask<bool> NextAsync(CancellationToken token) => new(Next());

    /// <summary>Writes the values of the current row, one for each column of <paramref name="ordinals"/>.</summary>
    public abstract void Write(ImportWriter writer, int[] ordinals);

    /// <summary>The source will not be asked again.</summary>
    public virtual void End()
    {
    }

    /// <inheritdoc cref="End"/>
    public virtual ValueTask EndAsync()
    {
        End();
        return default;
    }
}

/// <summary>Rows of a DataTable. Rows that are marked as deleted are left out.</summary>
internal sealed class DataRowSource(IEnumerable<DataRow> rows, DataColumnCollection? columns) : BulkSource
{
    private readonly IEnumerator<DataRow> _rows = rows.GetEnumerator();

    public override IReadOnlyList<string> Names { get; } =
        columns is null ? [] : [.. columns.Cast<DataColumn>().Select(column => column.ColumnName)];

    public override bool Next()
    {
        while (_rows.MoveNext())
        {
            if (_rows.Current.RowState != DataRowState.Deleted)
                return true;
        }
        return false;
    }

    public override void Write(ImportWriter writer, int[] ordinals)
    {
        foreach (var ordinal in ordinals)
            writer.Write(_rows.Current[ordinal]);
    }

    public override void End() => _rows.Dispose();
}

/// <summary>Columns that are arrays.</summary>
internal sealed class ColumnarSource(IReadOnlyList<PgBulkCopyColumn> columns) : BulkSource
{
    private readonly int _count = PgBulkCopyColumn.CountOf(columns);
    private int _row = -1;

    public override IReadOnlyList<string> Names { get; } = [.. columns.Select(column => column.Name)];

    public override bool Next() => ++_row < _count;

    public override void Write(ImportWriter writer, int[] ordinals)
    {
        foreach (var ordinal in ordinals)
            columns[ordinal].Write(writer, _row);
    }
}

/// <summary>Objects that can be enumerated.</summary>
internal sealed class ObjectSource<T>(IEnumerable<T> rows, PgBulkCopyColumns<T> columns) : BulkSource
{
    private readonly IEnumerator<T> _rows = (rows ?? throw new ArgumentNullException(nameof(rows))).GetEnumerator();

    public override IReadOnlyList<string> Names { get; } = columns?.Names ?? throw new ArgumentNullException(nameof(columns));

    public override bool Next() => _rows.MoveNext();

    public override void Write(ImportWriter writer, int[] ordinals)
    {
        var row = _rows.Current;
        foreach (var ordinal in ordinals)
            columns[ordinal].Write(writer, row);
    }

    public override void End() => _rows.Dispose();
}

/// <summary>Objects that have to be awaited.</summary>
internal sealed class AsyncObjectSource<T>(IAsyncEnumerable<T> rows, PgBulkCopyColumns<T> columns, CancellationToken token) : BulkSource
{
    private readonly IAsyncEnumerator<T> _rows = (rows ?? throw new ArgumentNullException(nameof(rows))).GetAsyncEnumerator(token);

    public override IReadOnlyList<string> Names { get; } = columns?.Names ?? throw new ArgumentNullException(nameof(columns));

    public override bool Next() => throw new NotSupportedException("Rows that have to be awaited cannot be copied by a blocking call.");

    public override ValueTask<bool> NextAsync(CancellationToken token) => _rows.MoveNextAsync();

    public override void Write(ImportWriter writer, int[] ordinals)
    {
        var row = _rows.Current;
        foreach (var ordinal in ordinals)
            columns[ordinal].Write(writer, row);
    }

    public override ValueTask EndAsync() => _rows.DisposeAsync();
}
