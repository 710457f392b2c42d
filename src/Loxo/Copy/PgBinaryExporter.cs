using Loxo.Copy;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Reads the rows of a table or query in binary format: <c>COPY ... TO STDOUT (FORMAT binary)</c>. Made by
/// <see cref="PgConnection.BeginBinaryExport"/>. Until the last row has been read or it is disposed, the connection runs no other command.
/// </summary>
/// <remarks>
/// A row is buffered whole. Values are decoded by the types of the columns, so a column is read as any .NET type that
/// <see cref="PgDataReader.GetFieldValue{T}"/> takes. For values too large for memory use <see cref="PgConnection.BeginRawBinaryCopy"/>, or
/// a reader with <see cref="System.Data.CommandBehavior.SequentialAccess"/>.
/// </remarks>
public sealed class PgBinaryExporter : IDisposable, IAsyncDisposable
{
    private readonly CopyOperation _copy;
    private readonly ExportRow _row;
    private readonly CallGuard _guard;

    internal PgBinaryExporter(CopyOperation copy)
    {
        _copy = copy;
        _row = new ExportRow(copy.Exchange);
        _guard = copy.Guard;
        copy.Exchange.CheckRows = _row.Check;
    }

    /// <summary>
    /// How long each wait for the server may last; <see cref="TimeSpan.Zero"/> or <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>
    /// for no limit. The default is the connection's <see cref="PgConnection.CommandTimeout"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public TimeSpan Timeout
    {
        get => CopyTimeout.Of(_copy.Timeout);
        set => _copy.Timeout = CopyTimeout.Milliseconds(value);
    }

    /// <summary>Whether the next column is NULL.</summary>
    /// <exception cref="InvalidOperationException">There is no next column.</exception>
    public bool IsNull => _row.IsNull;

    internal IReadOnlyList<CopyColumn> Columns => _copy.Exchange.Columns;

    internal ExportRow Row => _row;

    /// <summary>Goes to the next row. Columns of the row before that were not read are skipped.</summary>
    /// <returns>The number of columns; -1 behind the last row.</returns>
    /// <exception cref="PostgresException">The server has ended the export.</exception>
    /// <exception cref="ObjectDisposedException">
    /// The export was disposed or cancelled, an error has ended it, or its connection was closed.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another call is at work.</exception>
    public int StartRow()
    {
        var call = _guard.Enter();
        try
        {
            while (_copy.IsOpen)
            {
                if (_row.TryTake() && _row.Count >= 0)
                    return _row.Count;
                // Behind the last row the server completes the COPY.
                if (!_copy.Fill())
                    break;
            }
            return End();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="StartRow"/>
    public ValueTask<int> StartRowAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return ValueTask.FromCanceled<int>(cancellationToken);
        try
        {
            return StartArrived(out var call) is { } count ? new(count) : StartRowAfterFillAsync(call, cancellationToken);
        }
        catch (Exception e)
        {
            return ValueTask.FromException<int>(e);
        }
    }

    /// <summary>Reads the next column of the row.</summary>
    /// <typeparam name="T">
    /// A type that the column is read as; <see cref="object"/> for its default type, with <see cref="DBNull"/> for NULL.
    /// </typeparam>
    /// <exception cref="InvalidCastException">
    /// It cannot be read as <typeparamref name="T"/>, or is NULL and <typeparamref name="T"/> is no nullable value type. It can be read as
    /// another type.
    /// </exception>
    /// <exception cref="InvalidOperationException">There is no next column.</exception>
    public T Read<T>() => _row.Read<T>(null);

    /// <inheritdoc cref="Read{T}()"/>
    public ValueTask<T> ReadAsync<T>(CancellationToken cancellationToken = default) => cancellationToken.IsCancellationRequested
        ? ValueTask.FromCanceled<T>(cancellationToken)
        : new(_row.Read<T>(null));

    /// <inheritdoc cref="Read{T}()"/>
    /// <param name="type">
    /// The column's PostgreSQL type. It matters only where that is not known, on a server without a catalogue.
    /// </param>
    public T Read<T>(PgDbType type) => _row.Read<T>(type);

    /// <inheritdoc cref="Read{T}(PgDbType)"/>
    public ValueTask<T> ReadAsync<T>(PgDbType type, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<T>(cancellationToken) : new(_row.Read<T>(type));

    /// <summary>Skips the next column.</summary>
    /// <exception cref="InvalidOperationException">There is no next column.</exception>
    public void Skip() => _row.Skip();

    /// <inheritdoc cref="Skip"/>
    public Task SkipAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        _row.Skip();
        return Task.CompletedTask;
    }

    /// <summary>
    /// Reads the rows that are left as objects. A column goes to the parameter of the constructor, or else to the property or field, that
    /// has its name, or the only one that differs in case and underscores alone. Code is compiled for it, which a native
    /// program cannot do: give a function there.
    /// </summary>
    /// <typeparam name="T">
    /// It has a public constructor. One without parameters is preferred, and then the one with the most; each of its parameters needs a
    /// column.
    /// </typeparam>
    /// <returns>
    /// To be enumerated once. It throws an <see cref="ArgumentException"/> before the first row if a column or a parameter of the
    /// constructor finds no counterpart, and an <see cref="InvalidCastException"/> at a row that cannot be read.
    /// </returns>
    [RequiresDynamicCode(ExportedObject.Dynamic)]
    public IEnumerable<T> ReadRows<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>() =>
        Rows(() => ExportedObject.Compile<T>(ColumnNames));

    /// <summary>Reads the rows that are left.</summary>
    /// <typeparam name="T">The type of the objects.</typeparam>
    /// <param name="row">Reads the columns of a row, as far as they are wanted.</param>
    /// <returns>To be enumerated once.</returns>
    public IEnumerable<T> ReadRows<T>(Func<PgBinaryExporter, T> row)
    {
        ArgumentNullException.ThrowIfNull(row);
        return Rows(() => row);
    }

    /// <inheritdoc cref="ReadRows{T}()"/>
    [RequiresDynamicCode(ExportedObject.Dynamic)]
    public IAsyncEnumerable<T> ReadRowsAsync<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>(
        CancellationToken cancellationToken = default) => RowsAsync(() => ExportedObject.Compile<T>(ColumnNames), cancellationToken);

    /// <inheritdoc cref="ReadRows{T}(Func{PgBinaryExporter, T})"/>
    /// <param name="row">Reads the columns of a row, as far as they are wanted.</param>
    /// <param name="cancellationToken">Ends the export.</param>
    public IAsyncEnumerable<T> ReadRowsAsync<T>(Func<PgBinaryExporter, T> row, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(row);
        return RowsAsync(() => row, cancellationToken);
    }

    /// <summary>
    /// Asks the server to stop, and ends the export. The connection can be used afterwards; an open transaction fails with it.
    /// </summary>
    public void Cancel() => _copy.Cancel();

    /// <inheritdoc cref="Cancel"/>
    public Task CancelAsync() => _copy.CancelAsync().AsTask();

    /// <summary>
    /// Ends the export. Rows that were not read are skipped; if there are many, the server is asked to stop, unless that would undo
    /// something: within a transaction, or with a query that changes rows.
    /// </summary>
    public void Dispose() => _copy.Abort();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => _copy.AbortAsync();

    private string[] ColumnNames => [.. Columns.Select(static column => column.Name)];

    private IEnumerable<T> Rows<T>(Func<Func<PgBinaryExporter, T>> reader)
    {
        var row = reader();
        while (StartRow() >= 0)
            yield return row(this);
    }

    private async IAsyncEnumerable<T> RowsAsync<T>(
        Func<Func<PgBinaryExporter, T>> reader, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var row = reader();
        while (await StartRowAsync(cancellationToken).ConfigureAwait(false) >= 0)
            yield return row(this);
    }

    // Null if more has to arrive first: the call is still at work then.
    private int? StartArrived(out CallGuard.Visit call)
    {
        call = _guard.Enter();
        var ends = true;
        try
        {
            if (!_copy.IsOpen)
                return End();
            ends = _row.TryTake() && _row.Count >= 0;
            return ends ? _row.Count : null;
        }
        finally
        {
            if (ends)
                call.Exit();
        }
    }

    private async ValueTask<int> StartRowAfterFillAsync(CallGuard.Visit call, CancellationToken token)
    {
        try
        {
            while (await _copy.FillAsync(token).ConfigureAwait(false))
            {
                if (_row.TryTake() && _row.Count >= 0)
                    return _row.Count;
            }
            return End();
        }
        finally
        {
            call.Exit();
        }
    }

    private int End()
    {
        var count = _row.End();
        return _copy.IsComplete ? count : throw CopyErrors.Ended(nameof(PgBinaryExporter));
    }
}
