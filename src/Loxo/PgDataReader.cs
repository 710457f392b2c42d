using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Reading;
using Loxo.Schema;
using Loxo.Session;

namespace Loxo;

/// <summary>Reads the results of a command, forward only. Dispose it before the connection runs another command.</summary>
/// <remarks>
/// A row is read where it lies in the connection's buffer, until the next call of <see cref="Read"/>. A conversion that fails leaves
/// the reader where it is; other columns and rows can still be read. One thread at a time uses a reader: while a call of
/// <see cref="Read"/>, <see cref="NextResult"/> or one of their asynchronous forms is at work, another one throws
/// <see cref="InvalidOperationException"/>, and so does a getter whose row is left before it has read its value.
/// </remarks>
public sealed partial class PgDataReader : DbDataReader, IDbColumnSchemaGenerator
{
    private ResultCursor _cursor = new();
    // Where the command runs: a batch may be given another connection while it is read. Null once the reader is closed.
    private PgConnection? _connection;

    internal PgDataReader()
    {
    }

    /// <summary>Raised when the reader has been closed.</summary>
    public event EventHandler? ReaderClosed;

    /// <inheritdoc/>
    public override bool HasRows => _cursor.HasRows;

    /// <inheritdoc/>
    public override bool IsClosed => _cursor.IsClosed;

    /// <summary>Whether the reader stands on a row.</summary>
    public bool IsOnRow => _cursor.IsOnRow;

    /// <summary>Rows inserted, updated, deleted, merged, copied or moved so far; -1 when no statement was of these kinds.</summary>
    /// <exception cref="OverflowException">More than <see cref="int.MaxValue"/>.</exception>
    public override int RecordsAffected => checked((int)_cursor.RecordsAffected);

    /// <summary>Always 0: results are not nested.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public override int Depth => _cursor.Depth;

    /// <summary>The same as <see cref="RecordsAffected"/> without its limit; 0 when no statement was of these kinds.</summary>
    public ulong Rows => (ulong)Math.Max(0, _cursor.RecordsAffected);

    /// <summary>The statements that run, in order, with what became of those that have come to their end.</summary>
    public IReadOnlyList<PgBatchCommand> Statements => _cursor.Statements;

    /// <summary>Where it stands.</summary>
    internal ref ResultCursor Cursor => ref _cursor;

    internal IExecutable Owner => _cursor.Owner;

    internal CommandExchange Exchange => _cursor.Exchange;

    /// <summary>Whether the command has come to its end, as far as the reader knows.</summary>
    internal bool HasEnded => _cursor.HasEnded;

    /// <summary>Null unless the command was executed with <see cref="CommandBehavior.KeyInfo"/>.</summary>
    internal KeyInfo? KeyInfo { get; set; }

    /// <summary>A connection runs one command at a time.</summary>
    /// <exception cref="PgOperationInProgressException">The command has not come to its end, as far as the reader knows.</exception>
    internal void CheckHasEnded() => _cursor.CheckHasEnded();

    /// <inheritdoc/>
    public override bool Read() => ReaderMoves.ReadArrived(this, _cursor.Token) ?? ReaderMoves.ReadAfterFill(this);

    /// <inheritdoc/>
    /// <remarks>A token that is cancelled, be it before the call, stops the command on the server.</remarks>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Cancelled(cancellationToken);
        try
        {
            return ReaderMoves.ReadArrived(this, cancellationToken) is { } isRow
                ? Task.FromResult(isRow)
                : ReaderMoves.ReadAfterFillAsync(this, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    /// <inheritdoc/>
    public override bool NextResult() => EnterNext() && (!_cursor.HidesResults || WholeRunner.PassOver(this));

    /// <inheritdoc/>
    /// <remarks>A token that is cancelled, be it before the call, stops the command on the server.</remarks>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken)
    {
        var entering = EnterNextAsync(cancellationToken);
        return _cursor.HidesResults ? WholeRunner.PassOverAsync(this, entering, cancellationToken) : entering;
    }

    /// <summary>
    /// Passes over the rest, so that the connection can be used again. Outside a transaction, the rest of a query that changes nothing is
    /// cancelled if it takes longer than 100 ms or has more than 1 MiB. Otherwise it is read to its end, until the command's timeout, or
    /// until the token is cancelled that the command was executed with. If the server then does not stop it within
    /// <c>Cancellation Timeout</c>, the connection is closed, and its next use says so. A query changes nothing if its text shows no
    /// change, and the database is not known to hide code behind it that changes something (docs/session-reset.md).
    /// </summary>
    /// <exception cref="PostgresException">A statement whose results were not read had failed.</exception>
    public override void Close()
    {
        try
        {
            if (_cursor.HasOutputsToFill)
                FillOutputs();
        }
        catch (OperationCanceledException)
        {
            // As in FinishForClose.
        }
        finally
        {
            CloseResult();
        }
    }

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync() => _cursor.HasOutputsToFill ? FillAndCloseAsync() : CloseResultAsync();

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _cursor.MarkDisposed() ? new(CloseAsync()) : default;

    /// <summary>
    /// What is known of the columns of the current result; empty when there is none. Keys, nullability, and names of tables and columns are
    /// known if the command was executed with <see cref="CommandBehavior.KeyInfo"/>; otherwise they are null.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public ReadOnlyCollection<PgDbColumn> GetColumnSchema()
    {
        PgDbColumn[] columns =
            [.. Enumerable.Range(0, FieldCount).Select(i => new PgDbColumn(_cursor.Column(i), i, GetFieldType(i), GetPostgresType(i)))];
        KeyInfo?.Complete(columns);
        return new(columns);
    }

    /// <inheritdoc cref="GetColumnSchema"/>
    public new Task<ReadOnlyCollection<PgDbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return cancellationToken.IsCancellationRequested
                ? Task.FromCanceled<ReadOnlyCollection<PgDbColumn>>(cancellationToken)
                : Task.FromResult(GetColumnSchema());
        }
        catch (Exception e)
        {
            return Task.FromException<ReadOnlyCollection<PgDbColumn>>(e);
        }
    }

    /// <summary>
    /// What is known of the columns of the current result, a row for each; null when there is none. Keys, nullability, and names of tables
    /// and columns are <see cref="DBNull"/> unless the command was executed with <see cref="CommandBehavior.KeyInfo"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public override DataTable? GetSchemaTable() => FieldCount == 0 ? null : SchemaTable.Of(GetColumnSchema());

    ReadOnlyCollection<DbColumn> IDbColumnSchemaGenerator.GetColumnSchema() => new([.. GetColumnSchema()]);

    internal PgDataReader Start(CommandExchange exchange, IExecutable owner, CommandBehavior behavior, CancellationToken token)
    {
        _cursor.Start(exchange, owner, behavior, token);
        _connection = owner.Connection;
        ReaderClosed = null;
        _chars = default;
        return this;
    }

    internal PgDataReader EnterFirst() => ReaderMoves.EnterFirst(this);

    /// <inheritdoc cref="ReaderMoves.EnterFirstAsync"/>
    internal Task<T> EnterFirstAsync<T>()
        where T : DbDataReader => ReaderMoves.EnterFirstAsync<T>(this);

    /// <inheritdoc cref="ReaderMoves.EnterNext(PgDataReader)"/>
    internal bool EnterNext() => ReaderMoves.EnterNext(this);

    /// <inheritdoc cref="ReaderMoves.EnterNext(PgDataReader)"/>
    internal Task<bool> EnterNextAsync(CancellationToken cancellationToken) => ReaderMoves.EnterNextAsync(this, cancellationToken);

    /// <summary>It has not come to its first result. Nobody gets it, unless its command runs on.</summary>
    internal void ExecutionFailed()
    {
        if (_cursor.TryDropFailed())
            LeaveConnection();
    }

    /// <summary>Raises <see cref="ReaderClosed"/>, once.</summary>
    internal void RaiseClosed()
    {
        var closed = ReaderClosed;
        ReaderClosed = null;
        closed?.Invoke(this, EventArgs.Empty);
    }

    /// <summary>The token, or none where it is too late to stop anything.</summary>
    internal CancellationToken TokenOf(CancellationToken token) => _cursor.IsAnswered ? CancellationToken.None : token;

    /// <summary>The caller's token is cancelled: the reader may be disposed next, and the server must not go on for nobody.</summary>
    internal Task<bool> Cancelled(CancellationToken token)
    {
        StopUnlessAnswered();
        return Task.FromCanceled<bool>(token);
    }

    /// <inheritdoc cref="ResultCursor.MustBeRead"/>
    internal bool MustBeRead => _cursor.MustBeRead;

    internal bool TryAbandon(bool hasSession) => _cursor.TryAbandon(hasSession);

    /// <summary>Asks the server to stop the command, unless its whole answer has arrived.</summary>
    internal void StopUnlessAnswered()
    {
        if (!_cursor.IsAnswered)
            _cursor.Stop();
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _cursor.MarkDisposed())
            Close();
    }

    private void CloseResult()
    {
        if (_cursor.BeginClose() is not { } mustDrain)
            return;
        try
        {
            if (mustDrain)
                _cursor.FinishForClose(Drain());
        }
        catch (OperationCanceledException)
        {
            // The server has not stopped it. The connection says that it is closed.
        }
        finally
        {
            var connection = _connection;
            EndClose();
            if (_cursor.ClosesConnection)
                connection?.Close();
        }
    }

    private void FillOutputs()
    {
        using var registration = _cursor.IsAnswered ? default : StopWithToken();
        WholeRunner.PassOver(this);
    }

    private async Task FillAndCloseAsync()
    {
        try
        {
            var token = TokenOf(_cursor.Token);
            await WholeRunner.PassOverAsync(this, EnterNextAsync(token), token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // As in FinishForClose.
        }
        finally
        {
            await CloseResultAsync().ConfigureAwait(false);
        }
    }

    private Task CloseResultAsync()
    {
        try
        {
            if (_cursor.BeginClose() is not { } mustDrain)
                return Task.CompletedTask;
            var buffered = mustDrain ? _cursor.AdvanceToClose() : Progress.Done;
            if (buffered != Progress.Done || _cursor.ClosesConnection)
                return CloseAfterFillAsync(mustDrain, buffered);
            try
            {
                if (mustDrain)
                    _cursor.FinishForClose(Progress.Done);
            }
            finally
            {
                EndClose();
            }
            return Task.CompletedTask;
        }
        catch (Exception e)
        {
            return Task.FromException(e);
        }
    }

    private async Task CloseAfterFillAsync(bool mustDrain, Progress buffered)
    {
        try
        {
            if (buffered != Progress.Done)
                buffered = await DrainAsync().ConfigureAwait(false);
            if (mustDrain)
                _cursor.FinishForClose(buffered);
        }
        catch (OperationCanceledException)
        {
            // As in CloseResult.
        }
        finally
        {
            var connection = _connection;
            EndClose();
            if (_cursor.ClosesConnection && connection is not null)
                await connection.CloseAsync().ConfigureAwait(false);
        }
    }

    private Progress Drain()
    {
        if (_cursor.AdvanceToClose() == Progress.Done)
            return Progress.Done;
        using var registration = StopWithToken();
        return _cursor.Drain();
    }

    private async ValueTask<Progress> DrainAsync()
    {
        var registration = StopWithToken();
        await using (registration.ConfigureAwait(false))
            return await _cursor.DrainAsync().ConfigureAwait(false);
    }

    private CancellationTokenRegistration StopWithToken() =>
        _cursor.Token.UnsafeRegister(static reader => ((PgDataReader)reader!).Stop(), this);

    private void Stop() => _cursor.Stop();

    private void EndClose()
    {
        _cursor.EndClose();
        _chars = default;
        LeaveConnection();
        RaiseClosed();
    }

    // An open connection would keep the command alive by its reader, and with it the values of its parameters.
    private void LeaveConnection()
    {
        if (_connection is { } connection && ReferenceEquals(connection.Reader, this))
            connection.Reader = null;
        _connection = null;
    }
}
