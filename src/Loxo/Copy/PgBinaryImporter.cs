using Loxo.Copy;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Copies rows into a table in binary format: <c>COPY ... FROM STDIN (FORMAT binary)</c>. Made by
/// <see cref="PgConnection.BeginBinaryImport"/>. Until it is completed or disposed, the connection runs no other command.
/// </summary>
/// <remarks>
/// <para>
/// Values are encoded for the types of the table's columns and checked on the way: an <c>int</c> becomes a bigint or a numeric, and what
/// has no form in the column's type is an error that names row, column and both types. Nothing of such a value is written, so another one
/// can take its place.
/// </para>
/// <para>
/// <see cref="Complete"/> makes the rows stay. Without it, <see cref="Dispose"/> cancels the import and the table is as it was; so does an
/// error of the server, a cancelled call or a timeout. The connection can be used afterwards. Within a transaction, an import that was not
/// completed makes the transaction fail, like any statement that fails.
/// </para>
/// <para>
/// Streams, and texts and bytes of more than 64 KiB, are sent in pieces, so memory stays bounded. A value takes no allocation.
/// </para>
/// </remarks>
/// <exception cref="InvalidOperationException">Any member: another call of the import is at work. Nothing of this one is done.</exception>
public sealed partial class PgBinaryImporter : IDisposable, IAsyncDisposable
{
    private readonly CopyOperation _copy;
    private readonly CallGuard _guard;
    private readonly ImportWriter _rows;

    internal PgBinaryImporter(CopyOperation copy)
    {
        _copy = copy;
        _guard = copy.Guard;
        _rows = new ImportWriter(copy);
    }

    /// <summary>
    /// How long each wait for the server may last; <see cref="TimeSpan.Zero"/> or <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>
    /// for no limit. The default is the connection's <see cref="PgConnection.CommandTimeout"/>. The server answers
    /// <see cref="Complete"/> when it has stored all rows and checked deferred constraints, which may take longer than any other wait.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    public TimeSpan Timeout
    {
        get => CopyTimeout.Of(_copy.Timeout);
        set => _copy.Timeout = CopyTimeout.Milliseconds(value);
    }

    internal ImportWriter Rows => _rows;

    /// <summary>The columns that are copied, in order; empty if they are not known.</summary>
    internal IReadOnlyList<CopyColumn> Columns => _copy.Exchange.Columns;

    internal bool IsOpen => _copy.IsOpen;

    /// <summary>Begins a row.</summary>
    /// <exception cref="InvalidOperationException">The row before lacks values, or the import has ended.</exception>
    public void StartRow()
    {
        var call = _guard.Enter();
        try
        {
            _rows.StartRow();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="StartRow"/>
    public Task StartRowAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        try
        {
            StartRow();
            return Task.CompletedTask;
        }
        catch (Exception e)
        {
            return Task.FromException(e);
        }
    }

    /// <summary>Writes the value of the row's next column. Null and <see cref="DBNull"/> stand for NULL.</summary>
    /// <typeparam name="T">Its .NET type; <see cref="object"/> for a type that only the value tells.</typeparam>
    /// <param name="value">
    /// The value. A <see cref="Stream"/> is read to its end, in pieces; one that cannot say its length goes to a temporary file first if it
    /// is longer than 16 MiB.
    /// </param>
    /// <exception cref="InvalidCastException">It has no form in the column's type. Another value can take its place.</exception>
    /// <exception cref="OverflowException">It is out of the column's range. Another value can take its place.</exception>
    /// <exception cref="ArgumentException">The content is refused, such as a NUL character. Another value can take its place.</exception>
    /// <exception cref="InvalidOperationException">There is no row, the row is full, or the import has ended.</exception>
    /// <exception cref="PostgresException">The server has refused earlier rows: nothing was copied, the import has ended.</exception>
    public void Write<T>(T value)
    {
        var call = _guard.Enter();
        try
        {
            WriteInside(value);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="Write{T}(T)"/>
    public Task WriteAsync<T>(T value, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        CallGuard.Visit call;
        try
        {
            call = _guard.Enter();
        }
        catch (InvalidOperationException e)
        {
            return Task.FromException(e);
        }
        try
        {
            var writing = WriteInsideAsync(value, cancellationToken);
            if (!writing.IsCompletedSuccessfully)
                return ExitAfter(writing, call);
        }
        catch (Exception e)
        {
            call.Exit();
            return Task.FromException(e);
        }
        call.Exit();
        return Task.CompletedTask;
    }

    /// <inheritdoc cref="Write{T}(T)"/>
    /// <param name="value">The value.</param>
    /// <param name="pgDbType">
    /// Its PostgreSQL type. It matters only on a server without a catalogue, where the column's type is not known: otherwise the value is
    /// encoded for the column, whatever is said here.
    /// </param>
    public void Write<T>(T value, PgDbType pgDbType)
    {
        SetType(pgDbType);
        Write(value);
    }

    /// <inheritdoc cref="Write{T}(T, PgDbType)"/>
    public Task WriteAsync<T>(T value, PgDbType pgDbType, CancellationToken cancellationToken = default)
    {
        SetType(pgDbType);
        return WriteAsync(value, cancellationToken);
    }

    /// <inheritdoc cref="Write{T}(T, PgDbType)"/>
    /// <param name="value">The value.</param>
    /// <param name="dataTypeName">The name of its PostgreSQL type; it matters as little as a <see cref="PgDbType"/> does.</param>
    public void Write<T>(T value, string dataTypeName)
    {
        SetType(dataTypeName);
        Write(value);
    }

    /// <inheritdoc cref="Write{T}(T, string)"/>
    public Task WriteAsync<T>(T value, string dataTypeName, CancellationToken cancellationToken = default)
    {
        SetType(dataTypeName);
        return WriteAsync(value, cancellationToken);
    }

    /// <summary>Writes NULL into the row's next column.</summary>
    /// <exception cref="InvalidOperationException">There is no row, the row is full, or the import has ended.</exception>
    public void WriteNull() => Write(DBNull.Value);

    /// <inheritdoc cref="WriteNull"/>
    public Task WriteNullAsync(CancellationToken cancellationToken = default) => WriteAsync(DBNull.Value, cancellationToken);

    /// <summary>
    /// Writes a whole row. If a value cannot be written nothing of the row is, and the next row can follow; only if a part of the row has
    /// been sent already, as with values of more than a mebibyte, the import is cancelled.
    /// </summary>
    /// <param name="values">As many as there are columns; null and <see cref="DBNull"/> stand for NULL.</param>
    /// <exception cref="ArgumentException">There are too few or too many values. Nothing of the row was written.</exception>
    /// <inheritdoc cref="Write{T}(T)"/>
    public void WriteRow(params object?[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        var call = _guard.Enter();
        try
        {
            WriteRowInside(values);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="WriteRow"/>
    public Task WriteRowAsync(CancellationToken cancellationToken = default, params object?[] values) =>
        WriteRowAsync(values, cancellationToken);

    internal async Task WriteRowAsync(object?[] values, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(values);
        cancellationToken.ThrowIfCancellationRequested();
        var call = _guard.Enter();
        try
        {
            await WriteRowInsideAsync(values, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary>Ends the import and waits until the server has stored all rows.</summary>
    /// <returns>The number of rows.</returns>
    /// <exception cref="PostgresException">The server has refused the rows: nothing was copied.</exception>
    /// <exception cref="InvalidOperationException">The last row lacks values: nothing was copied. Or the import has ended
    /// before.</exception>
    public ulong Complete()
    {
        var call = _guard.Enter();
        try
        {
            _rows.CheckOpen();
            if (!_rows.IsBetweenRows)
            {
                var unfinished = CopyErrors.CompletedInRow(_rows.Row, _rows.Column, _rows.Count);
                _copy.AbortInside();
                throw unfinished;
            }
            _rows.WriteTrailer();
            return _copy.Complete();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="Complete"/>
    /// <param name="cancellationToken">
    /// Cancels the import. If it comes too late, when the server has stored the rows, the call succeeds.
    /// </param>
    public async ValueTask<ulong> CompleteAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var call = _guard.Enter();
        try
        {
            _rows.CheckOpen();
            if (!_rows.IsBetweenRows)
            {
                var unfinished = CopyErrors.CompletedInRow(_rows.Row, _rows.Column, _rows.Count);
                await _copy.AbortInsideAsync().ConfigureAwait(false);
                throw unfinished;
            }
            _rows.WriteTrailer();
            return await _copy.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary>Cancels the import, unless it has been completed: nothing of it stays.</summary>
    public void Close() => _copy.Abort();

    /// <inheritdoc cref="Close"/>
    public ValueTask CloseAsync(CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled(cancellationToken) : _copy.AbortAsync();

    /// <inheritdoc cref="Close"/>
    public void Dispose() => _copy.Abort();

    /// <inheritdoc cref="Close"/>
    public ValueTask DisposeAsync() => _copy.AbortAsync();
}
