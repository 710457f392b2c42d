using System.Data.Common;
using Loxo.Diagnostics;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <content>What a command does because it shares its session with the others of a <see cref="CommandQueue"/>.</content>
internal sealed partial class CommandExchange
{
    private const int MostDeadlocks = 20;

    private CommandQueue? _queue;
    private bool _endsGroup = true;
    private int _deadlocks;
    private bool _isRead = true;
    private CollectedRows? _collected;
    // Kept while the exchange runs commands that collect nothing.
    private CollectedRows? _ownRows;

    /// <summary>Lets its caller wait while another one receives; null for a command that does not share its session.</summary>
    public Turn? Turn { get; private set; }

    /// <summary>What is told of the command; null if nothing is.</summary>
    public OperationTrace? Trace { get; set; }

    /// <summary>The trace of earlier commands, for the next one, which so costs no object; null if there was none.</summary>
    public OperationTrace? UsedTrace { get; set; }

    /// <summary>Why its caller has given it up; its statements may run, and their results are skipped.</summary>
    public StopReason GivenUpFor { get; private set; }

    /// <summary>Whether the server may have run any of it although the connection was lost; null while it was not.</summary>
    public bool? MayHaveRun { get; private set; }

    public override bool HasFailedGroup => !_endsGroup && Query.Error is not null;

    // A command that nobody has begun to read must not hold up one that somebody waits for, and nobody reads one that awaits its group.
    public override bool IsFull => _isRead && _collected is { IsFull: true } && GivenUpFor == StopReason.None
        && Operation is not { AwaitsGroup: true };

    /// <summary>
    /// Writes the first flight behind those of other commands. False if something has to be looked up first and that would change the
    /// order; nothing has been written then.
    /// </summary>
    /// <param name="queue">The commands that share the session.</param>
    /// <param name="source">The statements.</param>
    /// <param name="mode">How the results are treated.</param>
    /// <param name="endsGroup">Whether a Sync is written behind the statements.</param>
    public bool TryStart(CommandQueue queue, IStatementSource source, ResultMode mode, bool endsGroup)
    {
        Reset(source, mode);
        (_queue, _endsGroup) = (queue, endsGroup);
        Turn ??= new Turn();
        GivenUpFor = StopReason.None;
        MayHaveRun = null;
        _collected = (mode & ResultMode.Collect) == 0 ? null : _ownRows ??= new CollectedRows(queue.MostCollected);
        _collected?.Clear();
        HasHandedOut = false;
        _deadlocks = 0;
        _isRead = !queue.KeepsUnread;
        var isWritten = Write();
        // Its caller may change the statements from here on.
        if (queue.KeepsOrder)
            _source = null;
        return isWritten;
    }

    /// <summary>
    /// Somebody reads the rows from here on, so that no more are collected than <see cref="CommandQueue.MostCollected"/>.
    /// </summary>
    public void BeginReading()
    {
        if (_isRead)
            return;
        lock (Session.Wire.Gate)
            _isRead = true;
    }

    /// <summary>
    /// Blocks until the command stops. When the time is over, it is asked to stop, or given up if it shares its session.
    /// </summary>
    /// <param name="timeout">Milliseconds each wait may last; <see cref="Timeout.Infinite"/> for no limit.</param>
    public Progress Pump(int timeout) => _queue is null ? Session.Pump(this, timeout)
        : HasAllRows ? Replay()
        : _queue.Pump(this, TimeOf(timeout));

    /// <summary>Awaits until the command stops. A token that is cancelled has the effect of the end of the time.</summary>
    /// <inheritdoc cref="Pump"/>
    public ValueTask<Progress> PumpAsync(int timeout, CancellationToken token) =>
        _queue is null ? Session.PumpAsync(this, timeout, token)
        : HasAllRows ? new(Replay())
        : _queue.PumpAsync(this, TimeOf(timeout), token);

    /// <summary>Nobody reads the rows: gives the memory of large ones back.</summary>
    public void ForgetRows() => _ownRows?.Clear();

    /// <summary>Goes as far as what has arrived allows.</summary>
    public Progress AdvanceBuffered() => HasAllRows ? Replay() : Session.Advance(this);

    /// <summary>Blocks until the rest of the command, which is skipped, has come to its end.</summary>
    /// <inheritdoc cref="Pump"/>
    public Progress Drain(int timeout) => _queue is null ? Session.Cancellation.Drain(this, Query, timeout, Query.MayBeStopped)
        : TryLeave() ? Progress.Done
        : _queue.Pump(this, timeout);

    /// <inheritdoc cref="Drain"/>
    public ValueTask<Progress> DrainAsync(int timeout) => _queue is null
        ? Session.Cancellation.DrainAsync(this, Query, timeout, Query.MayBeStopped)
        : TryLeave() ? new(Progress.Done)
        : _queue.PumpAsync(this, timeout, CancellationToken.None);

    /// <summary>Whether the rows may come in portions: they are read from the wire, and no other command waits behind them.</summary>
    public bool MayFetchInPortions => _queue is null && _mode is ResultMode.Rows or ResultMode.RowsInPieces;

    /// <summary>Skips the rest of the current result, its end included.</summary>
    public void LeaveResult()
    {
        if (_collected is null)
            Query.LeaveResult();
        else
            _collected.LeaveResult();
    }

    /// <summary>Skips the results that have not been read.</summary>
    public void SkipRest()
    {
        if (_queue is null)
        {
            Query.SkipResults = true;
            return;
        }
        lock (Session.Wire.Gate)
        {
            Query.SkipResults = true;
            _collected?.LeaveAll();
            Session.Wire.Leave(this);
        }
    }

    /// <summary>Asks the server to stop the command, or gives it up if others are behind it.</summary>
    /// <param name="commandNumber">The number under which it runs.</param>
    public void Stop(long commandNumber)
    {
        if (_queue is null)
            Session.Cancellation.Stop(commandNumber);
        else
            GiveUp(StopReason.Cancel, commandNumber);
    }

    /// <summary>Its caller, who goes on with it by itself, wants no more of it. Nothing happens if it has ended.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="call">The number of the call, in a lane: the exchange may run another caller's command by now.</param>
    public void GiveUp(StopReason reason, long call)
    {
        lock (Session.Wire.Gate)
        {
            if (Operation is null || Operation.Call == call)
                _queue!.GiveUp(this, reason);
        }
    }

    /// <summary>
    /// Whether the command of that number has not come to its end. In a lane, whether its reader can go on: rows that have arrived can be
    /// read although the connection was lost.
    /// </summary>
    public bool IsRunning(long number) => Operation is null ? Session.IsRunning(number) : IsOver || Session.State != SessionState.Broken;

    /// <summary>The whole answer has arrived, although not all of it may have been read.</summary>
    public bool IsAnswered => _queue is null
        ? Session.Wire.Input.CountOf(BackendMessageType.ReadyForQuery) >= Query.SyncsLeft
        : IsOver;

    /// <summary>Whether the rest of it, in a lane, must not be given up: by its text it changes something.</summary>
    public bool MustBeRead => Operation is not null && !IsOver && !Query.OnlyReads;

    /// <summary>The command is over: a session that is not shared is free again.</summary>
    public void EndCommand()
    {
        if (_queue is null)
            Session.End();
        else
            Operation?.Release();
    }

    // Nobody waits for the rest of a query in a lane, however long it is.
    private bool TryLeave()
    {
        if (Operation is { } operation && Query.MayBeStopped)
            GiveUp(StopReason.Cancel, operation.Call);
        return GivenUpFor != StopReason.None;
    }

    // In a lane, the wait for the first row began when the command was added.
    private int TimeOf(int timeout) => Operation is { } caller && !HasHandedOut ? caller.TimeLeft : timeout;

    // Its caller is the only one that uses it from here on.
    private bool HasAllRows => _queue is not null && IsOver && GivenUpFor == StopReason.None;

    /// <summary>Skips the rest of the command for its caller. Called under the gate of the wire.</summary>
    public void GiveUp(StopReason reason)
    {
        GivenUpFor = reason;
        Query.SkipResults = true;
    }

    public override Progress Replay()
    {
        if (GivenUpFor != StopReason.None)
            return Progress.Done;
        if (_collected is null || _collected.Next() is not (not Progress.NeedMore and var progress))
            return base.Replay();
        HasHandedOut = true;
        Rows.ReadFrom(_collected.Reading);
        return progress;
    }

    public override bool SkipAfter(Exchange failed) => Query.SkipAfter(failed);

    // The commands of a group depend on none of the others, unless the queue keeps the order: what has failed only because of the others is
    // sent again by itself. The server has undone the group.
    public override bool TryGoOn()
    {
        if (_endsGroup)
            return _deadlocks < MostDeadlocks && Query.Error is { SqlState: SqlStates.DeadlockDetected } && TrySendAlone();
        return Operation is not { AwaitsGroup: true } && (Query.SkippedAfter is not null || MayFailBecauseOfGroup) && TrySendAlone();
    }

    public override void Ended() => Operation?.Ended();

    /// <summary>Whether its caller has been given a row, or the end of a result.</summary>
    public bool HasHandedOut { get; private set; }

    /// <summary>The caller, if another thread advances the command for it; else null.</summary>
    public IExchangeCaller? Operation { get; init; }

    // It may have two flights.
    public override void Lost(bool mayHaveRun) => MayHaveRun = MayHaveRun == true || mayHaveRun;

    // It goes on until its memory is full. Then the row stays in front, and nothing behind it is read.
    private Progress Collect(Progress progress, MessageReader messages)
    {
        while (progress is Progress.Row or Progress.ResultEnd)
        {
            if (progress == Progress.ResultEnd)
                _collected!.AddEnd(Query.Result!); // it has been consumed
            else if (IsFull)
                return Progress.NeedMore;
            else
                _collected!.AddRow(Query.Result!, messages);
            if ((_mode & ResultMode.FirstRow) != 0)
                Query.SkipResults = true;
            progress = AdvanceStep(messages);
        }
        return progress;
    }

    /// <summary>
    /// Sends the command again, with a Sync of its own: the server has undone it, or its group. False if that cannot be. Called under the
    /// gate of the wire.
    /// </summary>
    public bool TrySendAlone()
    {
        if (!MayBeSentAgain || _source is null || GivenUpFor != StopReason.None || HasHandedOut || Session.State != SessionState.Busy)
            return false;
        _hasRetried |= Query.Error is not null && StatementErrors.IsMendable(Query.Error);
        if (_endsGroup)
            _deadlocks++;
        _endsGroup = true;
        _collected?.Clear();
        WriteAgain();
        // Without a flight it has come to its end.
        return Failure is null;
    }

    /// <summary>The results do not count: the server has not committed them, or nobody knows. Called under the gate of the wire.</summary>
    public void Undo(Exception error)
    {
        Failure = error;
        _collected?.Clear();
    }

    // What has a Sync of its own must not be skipped with them.
    private void EndGroupOfOthers()
    {
        if (_queue is { KeepsOrder: false } && !Session.Groups.IsEmpty)
            _queue.AddSync();
    }

    private bool MayBeSentAgain => _queue is { KeepsOrder: false } && (!_endsGroup || (_queue.MayOutlastDeadlocks && Query.Groups <= 1));

    /// <summary>The command that runs and has no reader yet; null for none, and for what is no command, such as a batch.</summary>
    public DbCommand? Running => _source as DbCommand;

    private void ForgetSource() => _source = MayBeSentAgain ? _source : null;

    private bool MayFailBecauseOfGroup => Query.Error is { } error
        && (RetryPolicy.CanRetry(Query, _source, _hasRetried) || error.SqlState?.StartsWith("40", StringComparison.Ordinal) == true);

    // Whether another flight may follow those that are queued by now.
    private bool MayWriteAgain => GivenUpFor == StopReason.None && _endsGroup
        && (_queue is not { KeepsOrder: true } || Session.Wire.Flights.Count <= 1);

    // A lookup ends the group that it is written into, and what is written after it comes behind the commands that are queued by then.
    private bool CanLookUpFirst => _endsGroup && _queue is not { KeepsOrder: true };
}
