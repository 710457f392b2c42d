using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <content>How a lane ends: retired, abandoned by its callers, blocked by a large result, or with its connection lost.</content>
internal sealed partial class Lane
{
    // One that has run nothing for so long gives memory back.
    private const int IdleMilliseconds = 1000;

    // A lane whose commands have all been given up is cancelled when the first one has run for so long.
    private const int AbandonedMilliseconds = 1000;

    /// <summary>Takes no more commands, and closes the session when the last one has ended.</summary>
    public void Retire()
    {
        if (Interlocked.Exchange(ref _isRetired, 1) != 0)
            return;
        _set.Remove(this);
        if (Depth == 0)
            Close();
    }

    /// <summary>
    /// Gives up the calls whose time is over, and those whose reader was forgotten. A lane that only has given up commands left is closed.
    /// An idle one gives memory back, and its server is asked for a sign of life.
    /// </summary>
    public void Tick(long now)
    {
        if (IdleFor(now) >= IdleMilliseconds)
            Free.Trim();
        AskForLife(now);
        List<(LaneOperation Operation, long Call)> expired;
        lock (Session.Wire.Gate)
        {
            foreach (var forgotten in Wanted.Where(static operation => operation.IsForgotten).ToList())
                _queue.GiveUp(forgotten.Exchange, StopReason.Cancel);
            expired = [.. Wanted.Where(operation => operation.ExpiresAt <= now).Select(static operation => (operation, operation.Call))];
        }
        foreach (var (operation, call) in expired)
            operation.GiveUp(StopReason.Timeout, call);
        if (HeadAge < AbandonedMilliseconds)
            return;
        lock (Session.Wire.Gate)
        {
            if (Session.Wire.Flights.Count == 0 || Wanted.Any())
                return;
            // Nobody wants what the server is running, and from here on nothing is added that the request could hit.
            if (_abandonedAt == 0)
            {
                _abandonedAt = now;
                Session.Cancellation.Cancel(Session.CommandNumber);
            }
        }
        Retire();
        // Once the thread has stopped, nobody receives what is left.
        if (now - _abandonedAt > (Volatile.Read(ref _hasStopped) ? 0 : Patience))
            Close();
    }

    // Nobody waits for the answer. Without one in time the thread finds the session broken.
    private void AskForLife(long now)
    {
        var interval = Session.Context.Settings.KeepAlive;
        if (interval <= TimeSpan.Zero)
            return;
        lock (Session.Wire.Gate)
        {
            if (_hasStopped || Session.State != SessionState.Busy)
                return;
            var limit = Session.Context.Settings.CommandTimeout;
            if (_sign is { IsOver: false })
            {
                if (limit != Timeout.InfiniteTimeSpan && now - _askedAt >= limit.TotalMilliseconds)
                    Session.Failed(SessionErrors.NoSignOfLife());
                return;
            }
            if (Depth > 0 || now - Math.Max(_lastEnd, _askedAt) < interval.TotalMilliseconds)
                return;
            (_sign, _askedAt) = (_queue.TryAddSync(), now);
        }
        Send();
    }

    /// <summary>
    /// The queries that wait for one that takes long go to another lane. In a group nobody knows which one that is, so all of them go, each
    /// by itself from then on.
    /// </summary>
    public void MoveWaiting()
    {
        List<(LaneOperation Operation, long Call)> waiting;
        lock (Session.Wire.Gate)
        {
            if (_hasStopped || Session.State != SessionState.Busy)
                return;
            var due = Session.Wire.Flights.Exchanges.OfType<CommandExchange>().Select(static command => command.Operation)
                .OfType<LaneOperation>().ToList();
            if (due is not [var first, ..])
                return;
            var running = first.Group == 0 ? 1 : due.TakeWhile(other => other.Group == first.Group).Count();
            if (_movedAt == 0)
                _movedAt = Environment.TickCount64;
            waiting = [.. due.Skip(running == 1 ? 1 : 0).Select(static other => (other, other.Call))];
        }
        Move(waiting);
    }

    private void Move(List<(LaneOperation Operation, long Call)> waiting)
    {
        var moved = waiting.Count(static one => one.Operation.GiveUp(StopReason.Moved, one.Call));
        Interlocked.Add(ref _moved, moved);
    }

    // Behind a result that is too large to be collected they would wait until its reader has read on.
    private bool MovesBehindLarge => Reads && Session.State != SessionState.Broken && _set.MayGroup(reads: true);

    // It was worth while if the wait would have lasted as long again.
    private void MovedBehind(long now)
    {
        _set.Relief.Ended(wasSlow: now - _lastEnd >= 2 * (_movedAt - _lastEnd));
        _movedAt = 0;
    }

    private double Patience => Session.Context.CancelWait == Timeout.InfiniteTimeSpan ? double.MaxValue
        : Session.Context.CancelWait.TotalMilliseconds;

    // The commands whose callers wait for them, or read their rows.
    private IEnumerable<LaneOperation> Wanted => Session.Wire.Flights.Exchanges.OfType<CommandExchange>()
        .Where(static command => command.GivenUpFor == StopReason.None).Select(static command => command.Operation)
        .OfType<LaneOperation>().Concat(_changes?.Wanted ?? []);

    // By a result that is too large to be collected.
    private bool IsBlocked
    {
        get
        {
            lock (Session.Wire.Gate)
            {
                if (!Session.Wire.Flights.IsBlocked)
                    return false;
                if (Session.Wire.Flights.First is CommandExchange { Operation: LaneOperation large })
                    LaneSet.AvoidLanes(large, Environment.TickCount64);
                return true;
            }
        }
    }

    /// <summary>The connection is lost, or nobody can receive: the callers get the error when they receive for themselves.</summary>
    public void Lost(Exception e)
    {
        if (Session.State != SessionState.Broken)
            Session.Failed(e);
        Retire();
        ResumeAll(isLost: true);
        Close();
    }

    // The command that has ended, under the gate of the wire; null for one that was not written.
    private void Left(LaneOperation? ended)
    {
        if ((Interlocked.Decrement(ref _depth) == 0 && IsRetired) || (ended is not null && _hasStopped && IsLeftBehind(ended)))
            ThreadPool.UnsafeQueueUserWorkItem(static lane => lane.Close(), this, preferLocal: false);
    }

    // Nobody receives what is left: the queries have gone to other lanes, and the server need not run them.
    private bool IsLeftBehind(LaneOperation? ended) =>
        MovesBehindLarge && Session.Wire.Flights.Count > 0 && Wanted.All(other => ReferenceEquals(other, ended));

    // From here on each caller receives for itself, unless it waits for its group or goes to another lane.
    private void ResumeAll(bool isLost)
    {
        List<LaneOperation> waiting = [];
        List<(LaneOperation Operation, long Call)> moving = [];
        lock (Session.Wire.Gate)
        {
            _hasStopped = true;
            if (isLost)
                _changes?.Lost(waiting);
            waiting.AddRange(_arrived);
            _arrived.Clear();
            foreach (var exchange in Session.Wire.Flights.Exchanges)
            {
                if (exchange is not CommandExchange { Operation: LaneOperation { AwaitsGroup: false } operation })
                    continue;
                if (MovesBehindLarge && !ReferenceEquals(exchange, Session.Wire.Flights.First))
                    moving.Add((operation, operation.Call));
                else if (operation.TryArrive())
                    waiting.Add(operation);
            }
        }
        if (moving.Count > 0)
            MoveBehindLarge(moving);
        foreach (var operation in waiting)
            operation.ResumeInPool();
    }

    private void AddedTooLate(LaneOperation operation)
    {
        if (MovesBehindLarge)
            MoveBehindLarge([(operation, operation.Call)]);
        else if (operation.TryArrive())
            operation.ResumeInPool();
    }

    private void MoveBehindLarge(List<(LaneOperation Operation, long Call)> waiting)
    {
        Move(waiting);
        lock (Session.Wire.Gate)
        {
            // The reader may have come to its end meanwhile.
            if (!IsLeftBehind(null))
                return;
        }
        Close();
    }

    // The callers of a group go on when the server has committed it, and none of them receives before that.
    private void ReceiveGroups()
    {
        Exchange? last;
        lock (Session.Wire.Gate)
        {
            if (_changes is null or { IsEmpty: true })
                return;
            EndGroup();
            last = Session.Wire.Flights.Exchanges.LastOrDefault(static exchange => exchange is SyncExchange);
        }
        if (last is not null)
            _queue.Await(last, Timeout.Infinite, isOwn: false);
    }

    private void Close()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) == 0)
            _set.Discard(_rental);
    }
}
