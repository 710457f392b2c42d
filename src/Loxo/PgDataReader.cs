using System.Data;
using System.Data.Common;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>Reads the results of a command, forward only. Dispose it before the connection runs another command.</summary>
/// <remarks>
/// A row is read where it lies in the connection's buffer, until the next call of <see cref="Read"/>. A conversion that fails leaves
/// the reader where it is; other columns and rows can still be read.
/// </remarks>
public sealed partial class PgDataReader : DbDataReader
{
    // The session's as long as results come, since it has one reader after the other; then those of nobody.
    private Rows _rows = Rows.Ended;
    private ServerSession _session = null!;
    private IExecutable _owner = null!;
    private ResultShape? _shape;
    private CommandBehavior _behavior;
    private CancellationToken _executionToken;
    private long _number;
    private ReaderState _state = ReaderState.Closed;
    private bool _hasRows;
    private bool _isPeeked;
    private bool _isLeft;
    private long _recordsAffected = -1;
    // 1 once a thread has begun to close the reader: only that one reads on.
    private int _isClosing;

    internal PgDataReader()
    {
    }

    /// <summary>Raised when the reader has been closed.</summary>
    public event EventHandler? ReaderClosed;

    private enum ReaderState
    {
        /// <summary>Nothing can be read any more.</summary>
        Closed,

        /// <summary>In a result: before, on or after its rows.</summary>
        InResult,

        /// <summary>After the last result; the server is ready, the reader not yet closed.</summary>
        AtEnd,
    }

    /// <inheritdoc/>
    public override bool HasRows => Open()._hasRows;

    /// <inheritdoc/>
    public override bool IsClosed => _state == ReaderState.Closed;

    /// <summary>Whether the reader stands on a row.</summary>
    public bool IsOnRow => _state == ReaderState.InResult && !_isPeeked && _rows.IsOnRow;

    /// <summary>Rows inserted, updated, deleted, merged, copied or moved by all statements so far; -1 when none was of these kinds.</summary>
    /// <exception cref="OverflowException">More than <see cref="int.MaxValue"/>.</exception>
    public override int RecordsAffected => checked((int)(_state == ReaderState.InResult ? _session.Query.RecordsAffected() : _recordsAffected));

    /// <summary>Always 0: results are not nested.</summary>
    public override int Depth => 0;

    private bool HasOutputsToFill => _state == ReaderState.InResult && _session.State != SessionState.Broken && _owner.HasOutputs;

    // Every other state answers without the server, in ReadKnown.
    private bool CanAdvance => _state == ReaderState.InResult && !_isPeeked && !_isLeft && !_rows.HasEnded;

    /// <inheritdoc/>
    public override bool Read()
    {
        if (!CanAdvance)
            return ReadKnown();
        if (_rows.TryTake())
            return Taken();
        var progress = AdvanceBuffered();
        if (progress == Progress.NeedMore)
            progress = _session.Pump(_session.Query, _owner.TimeoutMilliseconds);
        return AfterFill(progress, _executionToken);
    }

    /// <inheritdoc/>
    /// <remarks>A token that is cancelled, be it before the call, stops the command on the server.</remarks>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Cancelled(cancellationToken);
        try
        {
            if (!CanAdvance)
                return Task.FromResult(ReadKnown());
            if (_rows.TryTake())
                return Task.FromResult(Taken());
            var progress = AdvanceBuffered();
            return progress != Progress.NeedMore ? Task.FromResult(AfterFill(progress, cancellationToken)) : ReadAfterFillAsync(cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    /// <inheritdoc/>
    public override bool NextResult() =>
        LeaveResult() && EnterNext(Readable(_session.Pump(_session.Query, _owner.TimeoutMilliseconds)), _executionToken);

    /// <inheritdoc/>
    /// <remarks>A token that is cancelled, be it before the call, stops the command on the server.</remarks>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Cancelled(cancellationToken);
        try
        {
            if (!LeaveResult())
                return Task.FromResult(false);
            var buffered = _session.AdvanceQuery();
            return buffered == Progress.NeedMore || MustConvert(buffered)
                ? NextResultAfterFillAsync(buffered, cancellationToken)
                : Task.FromResult(EnterNext(buffered, cancellationToken));
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    /// <summary>
    /// Passes over the rest, so that the connection can be used again. Outside a transaction, the rest of a query that changes nothing is cancelled if it takes longer than
    /// 100 ms or has more than 1 MiB. Otherwise it is read to its end, until the command's timeout, or until the token is cancelled that the command was executed with.
    /// </summary>
    /// <exception cref="PostgresException">A statement whose results were not read had failed.</exception>
    public override void Close()
    {
        try
        {
            while (HasOutputsToFill && NextResult())
            {
                // Entering a result fills the output parameters.
            }
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

    private void CloseResult()
    {
        var mustDrain = BeginClose();
        if (mustDrain is null)
            return;
        try
        {
            if (mustDrain == true)
                FinishForClose(Drain());
        }
        finally
        {
            if (EndClose())
                _owner.Connection?.Close();
        }
    }

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync() => HasOutputsToFill ? FillAndCloseAsync() : CloseResultAsync();

    private async Task FillAndCloseAsync()
    {
        try
        {
            while (HasOutputsToFill && await NextResultAsync(CancellationToken.None).ConfigureAwait(false))
            {
                // As in Close.
            }
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
            var mustDrain = BeginClose();
            if (mustDrain is null)
                return Task.CompletedTask;
            var buffered = mustDrain == true ? _session.AdvanceQuery() : Progress.Done;
            if (buffered != Progress.Done || (_behavior & CommandBehavior.CloseConnection) != 0)
                return CloseAfterFillAsync(mustDrain == true, buffered);
            try
            {
                if (mustDrain == true)
                    FinishForClose(Progress.Done);
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

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => new(CloseAsync());

    /// <summary>Turns to the results of a command that is being run.</summary>
    internal PgDataReader Start(ServerSession session, IExecutable owner, CommandBehavior behavior, CancellationToken token)
    {
        _session = session;
        _number = session.CommandNumber;
        _rows = session.Rows;
        _owner = owner;
        _behavior = behavior;
        _executionToken = token;
        _state = ReaderState.InResult;
        _isClosing = 0;
        _recordsAffected = -1;
        ReaderClosed = null;
        _chars = null;
        // Output parameters are filled from the first row before it is read.
        session.Query.RowsInPieces = (behavior & CommandBehavior.SequentialAccess) != 0 && !owner.HasOutputs;
        return this;
    }

    /// <summary>Waits for the first result; <see cref="EnterFirst"/> takes what comes of it.</summary>
    internal ValueTask<Progress> PumpFirstAsync() => _session.PumpAsync(_session.Query, _owner.TimeoutMilliseconds, _executionToken);

    /// <summary>Enters the first result. An error that came before it is thrown, and the reader is closed.</summary>
    internal PgDataReader EnterFirst(Progress progress)
    {
        try
        {
            Enter(progress, _executionToken);
        }
        catch
        {
            _state = ReaderState.Closed;
            _rows = Rows.Ended;
            throw;
        }
        FillOutputs();
        return this;
    }

    // The next Read returns the row.
    private bool TryPeek() => _isPeeked = CanAdvance && _rows.TryTake();

    /// <summary>The value of a column of the row that was peeked at.</summary>
    internal object PeekValue(int ordinal)
    {
        _isPeeked = false;
        try
        {
            return GetValue(ordinal);
        }
        finally
        {
            _isPeeked = true;
        }
    }

    /// <summary>The connection is closed under the reader. False when the reader is closed, or another thread is closing it.</summary>
    /// <param name="hasSession">Whether the session is still the connection's; otherwise another reader may be using its rows.</param>
    internal bool TryAbandon(bool hasSession)
    {
        if (_state == ReaderState.Closed || Interlocked.Exchange(ref _isClosing, 1) != 0)
            return false;
        _state = ReaderState.Closed;
        if (hasSession)
            _rows.End();
        _rows = Rows.Ended;
        _shape = null;
        return true;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            Close();
    }

    private PgDataReader Open() => _state != ReaderState.Closed ? this : throw ReaderErrors.Closed();

    private bool ReadKnown()
    {
        Open();
        if (!_isPeeked)
        {
            _rows.Leave();
            return false;
        }
        _isPeeked = false;
        return Taken();
    }

    // Of a single row wanted, the others are left to the end of the result.
    private bool Taken()
    {
        _isLeft = (_behavior & CommandBehavior.SingleRow) != 0;
        return true;
    }

    private Progress AdvanceBuffered()
    {
        _rows.Leave();
        return _session.AdvanceQuery();
    }

    private async Task<bool> ReadAfterFillAsync(CancellationToken token) =>
        AfterFill(await _session.PumpAsync(_session.Query, _owner.TimeoutMilliseconds, token).ConfigureAwait(false), token);

    private bool AfterFill(Progress progress, CancellationToken token)
    {
        if (progress == Progress.Row && _rows.TryTake())
            return Taken();
        _rows.End();
        if (progress == Progress.Done)
            Finish(progress, token);
        else
            Open(); // closed by another thread meanwhile: that must not look like the end of the rows
        return false;
    }

    // False when there is no result left to go to.
    private bool LeaveResult()
    {
        Open();
        if (_state == ReaderState.AtEnd)
            return false;
        if (!_rows.HasEnded)
            _session.Query.LeaveResult();
        _session.Query.SkipResults = (_behavior & (CommandBehavior.SingleResult | CommandBehavior.SingleRow)) != 0;
        return true;
    }

    private async Task<bool> NextResultAfterFillAsync(Progress progress, CancellationToken token)
    {
        if (progress == Progress.NeedMore)
            progress = await _session.PumpAsync(_session.Query, _owner.TimeoutMilliseconds, token).ConfigureAwait(false);
        if (MustConvert(progress))
            progress = await ConvertAsync(progress, token).ConfigureAwait(false);
        return EnterNext(progress, token);
    }

    private bool EnterNext(Progress progress, CancellationToken token)
    {
        var isResult = Enter(progress, token);
        FillOutputs();
        return isResult;
    }

    private void FillOutputs()
    {
        if (_owner.HasOutputs && TryPeek())
            _owner.FillOutputs(this);
    }

    private bool Enter(Progress progress, CancellationToken token)
    {
        _isPeeked = _isLeft = false;
        _hasRows = progress == Progress.Row;
        _shape = null;
        if (progress == Progress.Done)
        {
            _rows.End();
            Finish(progress, token);
            return false;
        }
        _shape = _session.Query.Result!.Shape!;
        _rows.Start(_session, _shape.Count, _hasRows);
        _rows.Timeout = _owner.TimeoutMilliseconds;
        return true;
    }

    // ReadyForQuery has come: the session is free again, whatever else the caller does with the reader.
    private void Finish(Progress progress, CancellationToken token)
    {
        System.Diagnostics.Debug.Assert(progress == Progress.Done, "the exchange was to be run to its end");
        _recordsAffected = _session.Query.RecordsAffected();
        _rows.End();
        _rows = Rows.Ended;
        _state = ReaderState.AtEnd;
        if (CommandRunner.End(_owner, _session, token) is { } error)
            throw error;
    }

    // Whoever cancels a command and then closes its reader has what he wanted.
    private void FinishForClose(Progress progress)
    {
        try
        {
            Finish(progress, _executionToken);
        }
        catch (OperationCanceledException)
        {
        }
    }

    // Null: closed already. True: the exchange must be run to its end first.
    private bool? BeginClose()
    {
        if (_state == ReaderState.Closed || Interlocked.Exchange(ref _isClosing, 1) != 0)
            return null;
        // It runs no more if the connection is broken, or if the pool has recovered the session of a collected connection and a finalizer closes the reader.
        if (_state == ReaderState.AtEnd || !_session.IsRunning(_number))
            return false;
        _session.Query.SkipResults = true;
        return true;
    }

    private async Task CloseAfterFillAsync(bool mustDrain, Progress buffered)
    {
        try
        {
            if (buffered != Progress.Done)
                buffered = await DrainAsync().ConfigureAwait(false);
            if (mustDrain)
                FinishForClose(buffered);
        }
        finally
        {
            if (EndClose() && _owner.Connection is { } connection)
                await connection.CloseAsync().ConfigureAwait(false);
        }
    }

    private Progress Drain()
    {
        if (_session.AdvanceQuery() == Progress.Done)
            return Progress.Done;
        using var registration = StopWithToken();
        return _session.Drain(_owner.TimeoutMilliseconds, _session.Query.MayBeStopped);
    }

    private async ValueTask<Progress> DrainAsync()
    {
        var registration = StopWithToken();
        await using (registration.ConfigureAwait(false))
            return await _session.DrainAsync(_owner.TimeoutMilliseconds, _session.Query.MayBeStopped).ConfigureAwait(false);
    }

    private CancellationTokenRegistration StopWithToken() =>
        _executionToken.CanBeCanceled ? _executionToken.UnsafeRegister(static reader => ((PgDataReader)reader!).Stop(), this) : default;

    // The reader may be disposed next: the server must not go on for nobody. There is nothing to stop where the whole answer has arrived.
    private Task<bool> Cancelled(CancellationToken token)
    {
        if (_state == ReaderState.InResult && _session.Wire.Input.CountOf(Protocol.Backend.BackendMessageType.ReadyForQuery) < _session.Query.SyncsLeft)
            Stop();
        return Task.FromCanceled<bool>(token);
    }

    private void Stop() => _session.Stop(_number);

    // True when the connection is to be closed too.
    private bool EndClose()
    {
        _state = ReaderState.Closed;
        _rows.End();
        _rows = Rows.Ended;
        _shape = null;
        _chars = null;
        // An open connection would keep the command alive by its reader, and with it the values of its parameters.
        if (_owner.Connection is { } connection && ReferenceEquals(connection.Reader, this))
            connection.Reader = null;
        ReaderClosed?.Invoke(this, EventArgs.Empty);
        return (_behavior & CommandBehavior.CloseConnection) != 0;
    }
}
