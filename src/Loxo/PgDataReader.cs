using System.Data;
using System.Data.Common;
using System.Runtime.ExceptionServices;
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
    // The command's rows while a result is open, Rows.Ended afterwards: the session's next command reuses the same object.
    private Rows _rows = Rows.Ended;
    private CommandExchange _exchange = null!;
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
    public override int RecordsAffected => checked((int)(_state == ReaderState.InResult ? _exchange.Query.RecordsAffected() : _recordsAffected));

    /// <summary>Always 0: results are not nested.</summary>
    public override int Depth => 0;

    private bool HasOutputsToFill => _state == ReaderState.InResult && Session.State != SessionState.Broken && _owner.HasOutputs;

    /// <summary>The command whose results are read.</summary>
    internal CommandExchange Exchange => _exchange;

    private ServerSession Session => _exchange.Session;

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
            progress = Pump();
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
        LeaveResult() && EnterNext(PumpToResult(), _executionToken);

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
            var buffered = Session.Advance(_exchange);
            return buffered == Progress.NeedMore || _exchange.MustLookUpElsewhere
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
            var buffered = mustDrain == true ? Session.Advance(_exchange) : Progress.Done;
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
    internal PgDataReader Start(CommandExchange exchange, IExecutable owner, CommandBehavior behavior, CancellationToken token)
    {
        _exchange = exchange;
        _number = exchange.Session.CommandNumber;
        _rows = exchange.Rows;
        _owner = owner;
        _behavior = behavior;
        _executionToken = token;
        _state = ReaderState.InResult;
        _isClosing = 0;
        _recordsAffected = -1;
        ReaderClosed = null;
        _chars = null;
        return this;
    }

    /// <summary>Blocks until the first result has come, and enters it.</summary>
    internal PgDataReader EnterFirst() => EnterFirst(PumpToResult());

    /// <inheritdoc cref="EnterFirst()"/>
    /// <typeparam name="T">The reader's type as the caller names it, so that one task is made and not a second one around it.</typeparam>
    internal async Task<T> EnterFirstAsync<T>()
        where T : DbDataReader
    {
        var progress = await PumpAsync(_executionToken).ConfigureAwait(false);
        if (_exchange.MustLookUpElsewhere)
            await SpareSession.LookUpAsync(_exchange, _owner.TimeoutMilliseconds, _executionToken).ConfigureAwait(false);
        return (T)(DbDataReader)EnterFirst(progress);
    }

    // An error that came before the first result is thrown, and the reader is closed.
    private PgDataReader EnterFirst(Progress progress)
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
        return Session.Advance(_exchange);
    }

    private Progress Pump() => Session.Pump(_exchange, _owner.TimeoutMilliseconds);

    private ValueTask<Progress> PumpAsync(CancellationToken token) => Session.PumpAsync(_exchange, _owner.TimeoutMilliseconds, token);

    private Progress PumpToResult()
    {
        var progress = Pump();
        if (_exchange.MustLookUpElsewhere)
            SpareSession.LookUp(_exchange, _owner.TimeoutMilliseconds);
        return progress;
    }

    private async Task<bool> ReadAfterFillAsync(CancellationToken token) => AfterFill(await PumpAsync(token).ConfigureAwait(false), token);

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
            _exchange.Query.LeaveResult();
        _exchange.Query.SkipResults = (_behavior & (CommandBehavior.SingleResult | CommandBehavior.SingleRow)) != 0;
        return true;
    }

    private async Task<bool> NextResultAfterFillAsync(Progress progress, CancellationToken token)
    {
        if (progress == Progress.NeedMore)
            progress = await PumpAsync(token).ConfigureAwait(false);
        if (_exchange.MustLookUpElsewhere)
            await SpareSession.LookUpAsync(_exchange, _owner.TimeoutMilliseconds, token).ConfigureAwait(false);
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
        _shape = _exchange.Query.Result!.Shape!;
        _rows.Start(_shape.Count, _hasRows);
        _rows.Timeout = _owner.TimeoutMilliseconds;
        return true;
    }

    // ReadyForQuery has come: the session is free again, whatever else the caller does with the reader.
    private void Finish(Progress progress, CancellationToken token)
    {
        System.Diagnostics.Debug.Assert(progress == Progress.Done, "the exchange was to be run to its end");
        _recordsAffected = _exchange.Query.RecordsAffected();
        _rows.End();
        _rows = Rows.Ended;
        _state = ReaderState.AtEnd;
        if (CommandRunner.End(_owner, _exchange, token) is { } error)
            ExceptionDispatchInfo.Throw(error);
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
        // It no longer runs if the connection is broken, or if the pool has recovered the session of a collected connection and a finalizer closes
        // the reader.
        if (_state == ReaderState.AtEnd || !Session.IsRunning(_number))
            return false;
        _exchange.Query.SkipResults = true;
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
        if (Session.Advance(_exchange) == Progress.Done)
            return Progress.Done;
        using var registration = StopWithToken();
        return Session.Cancellation.Drain(_owner.TimeoutMilliseconds, _exchange.Query.MayBeStopped);
    }

    private async ValueTask<Progress> DrainAsync()
    {
        var registration = StopWithToken();
        await using (registration.ConfigureAwait(false))
            return await Session.Cancellation.DrainAsync(_owner.TimeoutMilliseconds, _exchange.Query.MayBeStopped).ConfigureAwait(false);
    }

    private CancellationTokenRegistration StopWithToken() =>
        _executionToken.CanBeCanceled ? _executionToken.UnsafeRegister(static reader => ((PgDataReader)reader!).Stop(), this) : default;

    // The reader may be disposed next: the server must not go on for nobody. There is nothing to stop where the whole answer has arrived.
    private Task<bool> Cancelled(CancellationToken token)
    {
        if (_state == ReaderState.InResult && Session.Wire.Input.CountOf(Protocol.Backend.BackendMessageType.ReadyForQuery) < _exchange.Query.SyncsLeft)
            Stop();
        return Task.FromCanceled<bool>(token);
    }

    private void Stop() => Session.Cancellation.Stop(_number);

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
