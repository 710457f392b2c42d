using System.Diagnostics;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>
/// A session that runs the commands of many callers, one behind the other. A thread of the lane receives for all of them, copies each
/// caller's rows, resumes the callers, and sends what they have added meanwhile.
/// </summary>
internal sealed class Lane : Loop, IThreadPoolWorkItem, ISessionListener
{
    // So many bytes of rows a command collects. For a larger result the lane stops: each of its callers receives for itself.
    private const int MostCollected = 256 * 1024;

    // So many commands share a Sync.
    private const int MostInGroup = 64;

    // Callers that continue on the lane's thread wait no longer than that for the others of their round until their commands are sent.
    private static readonly long _mostUnsent = Stopwatch.Frequency / 10_000;

    // A lane whose commands have all been given up is cancelled when the first one has run for so long.
    private const int AbandonedMilliseconds = 1000;

    private readonly LaneSet _set;
    private readonly Rental<PooledSession> _rental;
    private readonly CommandQueue _queue;
    private readonly LaneReceiver _receiver;
    // Null if no changes share a transaction.
    private readonly LaneChanges? _changes;
    private readonly Turn _turn = new();
    private readonly long _receivesBefore;
    private readonly long _openedAt = Environment.TickCount64;
    private readonly List<LaneOperation> _arrived = [];
    private int _depth;
    private int _resuming;
    private int _isFlushDue;
    // Of the thread that leads: when it last sent.
    private long _sentAt;
    private int _isRetired;
    private int _isClosed;
    // Under the gate of the wire: the thread receives no more.
    private bool _hasStopped;
    private long _lastEnd = Environment.TickCount64;
    // Under the gate of the wire: the commands since the last Sync.
    private int _inGroup;
    // Written under the gate, or by the lane's thread.
    private long _commands;
    private long _grouped;
    private long _groups;

    public Lane(LaneSet set, Rental<PooledSession> rental, bool reads, bool groupsChanges)
        : base(set.Crew)
    {
        Reads = reads;
        _changes = groupsChanges ? new LaneChanges(this) : null;
        _set = set;
        _rental = rental;
        Session = rental.Resource.Session;
        Session.IsLane = true;
        _receivesBefore = Session.Wire.Receives;
        Session.Owner.HandOver(this);
        Session.Claim(this);
        _queue = new CommandQueue(Session, keepsOrder: false)
        {
            // Results are handed out when the server has committed, so all of them are collected.
            MostCollected = groupsChanges ? int.MaxValue : MostCollected,
            OutlastsDeadlocks = groupsChanges,
            SyncAdded = SyncAdded,
        };
        _receiver = new LaneReceiver(this);
        Free = new LaneFreeOperations(this);
    }

    public ServerSession Session { get; }

    public LaneFreeOperations Free { get; }

    /// <summary>Whether it runs commands that change nothing, in read-only transactions that several of them may share.</summary>
    public bool Reads { get; }

    /// <summary>Whether callers are to be resumed. Called under the gate of the wire.</summary>
    public bool HasArrived => _arrived.Count > 0;

    /// <summary>The number of commands that have not come to their end.</summary>
    public int Depth => Volatile.Read(ref _depth);

    /// <summary>What it has done so far.</summary>
    public LaneCounts Counts => new(_commands, _grouped, _groups, Session.Wire.Receives - _receivesBefore);

    /// <summary>For how many milliseconds it has had its session.</summary>
    public long Age => Environment.TickCount64 - _openedAt;

    /// <summary>Whether no more commands are added.</summary>
    public bool IsRetired => Volatile.Read(ref _isRetired) != 0;

    /// <summary>Whether its session was given up.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>For how many milliseconds the first command has been running, in the grain of the system's clock.</summary>
    public long HeadAge => Depth == 0 ? 0 : Environment.TickCount64 - Volatile.Read(ref _lastEnd);

    /// <summary>The session goes back to its pool unused.</summary>
    public void GiveBack(ResourcePool<PooledSession> pool)
    {
        _queue.End(Timeout.Infinite);
        Session.IsLane = false;
        pool.Return(_rental);
    }

    /// <summary>Adds an encoded command. False if the lane takes none any more.</summary>
    public bool TryAdd(LaneOperation operation, ResultMode mode, bool blocks, int timeout)
    {
        operation.Begin(blocks, timeout);
        var depth = Interlocked.Increment(ref _depth);
        try
        {
            if (IsRetired || Session.State != SessionState.Busy || !TryWrite(operation, mode, isAlone: blocks || depth == 1))
            {
                Left();
                return false;
            }
        }
        catch (Exception e)
        {
            Left();
            if (e is not PgException || Session.State == SessionState.Busy)
                throw;
            return false; // it broke meanwhile
        }
        if (depth == 1)
            Volatile.Write(ref _lastEnd, operation.AddedAt);
        Send(blocks, depth);
        // The thread may have stopped since, and have resumed all callers that it knew. While it runs, nobody else receives.
        if (Volatile.Read(ref _hasStopped) && operation.TryArrive())
            operation.ResumeInPool();
        return true;
    }

    // Fast commands that are sent together end with one Sync, which Execute writes.
    private bool TryWrite(LaneOperation operation, ResultMode mode, bool isAlone)
    {
        if (!Reads && _changes is null)
            return _queue.TryAdd(operation.Exchange, operation, mode) is not null;
        lock (Session.Wire.Gate)
        {
            var endsGroup = isAlone || !LaneSet.IsFast(operation) || _changes?.MayGroup(operation) == false;
            if (_inGroup >= MostInGroup)
                EndGroup();
            if (_queue.TryAdd(operation.Exchange, operation, mode, endsGroup) is null)
                return false;
            if (!endsGroup)
            {
                _inGroup++;
                _changes?.Add(operation);
            }
            return true;
        }
    }

    private void EndGroup()
    {
        if (!Session.Groups.IsEmpty && Session.State == SessionState.Busy)
            _queue.AddSync();
    }

    private void SyncAdded(SyncExchange sync)
    {
        if (_inGroup > 1)
        {
            _groups++;
            _grouped += _inGroup;
        }
        _inGroup = 0;
        _changes?.EndGroup(sync);
    }

    /// <summary>The caller of a command wants no more of it.</summary>
    public void GiveUp(LaneOperation operation, StopReason reason)
    {
        if (reason == StopReason.Timeout)
            LaneSet.AvoidLanes(operation, Environment.TickCount64);
        _queue.Abandon(operation.Exchange, reason);
    }

    /// <summary>A command has come to its end. Called under the gate of the wire.</summary>
    public void Ended(LaneOperation operation)
    {
        _commands++;
        var now = Environment.TickCount64;
        LaneSet.Ran(operation, now - Math.Max(_lastEnd, operation.AddedAt), now);
        Volatile.Write(ref _lastEnd, now);
        if (operation.TryArrive())
        {
            if (_hasStopped)
                operation.ResumeInPool();
            else
                _arrived.Add(operation);
        }
        Left();
    }

    /// <summary>A work item is queued by which a caller goes on.</summary>
    public void Resuming() => Interlocked.Increment(ref _resuming);

    /// <summary>That caller goes on.</summary>
    public void Resumed() => Interlocked.Decrement(ref _resuming);

    /// <summary>Takes no more commands, and closes the session when the last one has ended.</summary>
    public void Retire()
    {
        if (Interlocked.Exchange(ref _isRetired, 1) != 0)
            return;
        _set.Remove(this);
        if (Depth == 0)
            Close();
    }

    /// <summary>Gives up the calls whose time is over. A lane that only has given up commands left is closed.</summary>
    public void Tick(long now)
    {
        List<(LaneOperation Operation, long Call)> expired;
        lock (Session.Wire.Gate)
            expired = [.. Wanted.Where(operation => operation.ExpiresAt <= now).Select(static operation => (operation, operation.Call))];
        foreach (var (operation, call) in expired)
            operation.GiveUp(StopReason.Timeout, call);
        if (HeadAge < AbandonedMilliseconds)
            return;
        var isRetired = IsRetired;
        lock (Session.Wire.Gate)
        {
            if (Session.Wire.Flights.Count == 0 || Wanted.Any())
                return;
            // Nobody wants what the server is running, and from here on nothing is added that the request could hit.
            if (!isRetired)
                Session.Cancellation.Cancel(Session.CommandNumber);
        }
        if (!isRetired)
            Retire();
        else if (HeadAge > AbandonedMilliseconds + Patience)
            Close();
    }

    /// <inheritdoc/>
    protected override bool IsAwaited => Depth > 0 || HasSeveralReady;

    /// <inheritdoc/>
    protected override bool WaitForCallers()
    {
        if (Volatile.Read(ref _hasStopped) || IsClosed)
            return false;
        try
        {
            Session.Wire.Pump(_receiver, Deadline.None, _turn);
            AddArrived();
            if (IsBlocked)
            {
                Retire();
                ResumeAll();
            }
            _sentAt = Stopwatch.GetTimestamp();
            return true;
        }
        catch (Exception e)
        {
            // The callers get the error when they receive for themselves.
            if (Session.State != SessionState.Broken)
                Session.Failed(e);
            Retire();
            ResumeAll();
            Close();
            return false;
        }
    }

    /// <inheritdoc/>
    protected override void AllResumed() => SendGroup();

    // Sends what the callers have written that were resumed together.
    void IThreadPoolWorkItem.Execute()
    {
        Volatile.Write(ref _isFlushDue, 0);
        SendGroup();
    }

    private void SendGroup()
    {
        _sentAt = Stopwatch.GetTimestamp();
        if (Reads || _changes is not null)
        {
            lock (Session.Wire.Gate)
                EndGroup();
        }
        Send();
    }

    void ISessionListener.Notice(ServerErrorFields notice)
    {
    }

    void ISessionListener.Notification(PgNotificationEventArgs notification)
    {
    }

    private double Patience => Session.Context.CancelWait == Timeout.InfiniteTimeSpan ? double.MaxValue
        : Session.Context.CancelWait.TotalMilliseconds;

    // The commands whose callers wait for them, or read their rows.
    private IEnumerable<LaneOperation> Wanted => Session.Wire.Flights.Exchanges.OfType<CommandExchange>()
        .Where(static command => command.GivenUpFor == StopReason.None).Select(static command => command.Operation)
        .OfType<LaneOperation>().Concat(_changes?.Wanted ?? []);

    // The first caller after a pause sends at once. While others are being resumed or run, one send serves all that are about to write.
    private void Send(bool blocks, int depth)
    {
        if (blocks || (depth == 1 && Volatile.Read(ref _resuming) == 0 && !IsLeading))
            Send();
        else if (IsLeading && Stopwatch.GetTimestamp() - _sentAt > _mostUnsent)
            SendGroup();
        else if (!IsLeading && Interlocked.Exchange(ref _isFlushDue, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        Watch();
    }

    // The command has been added, whatever becomes of it: if it cannot be sent, the thread finds the session broken and tells its caller.
    private void Send()
    {
        try
        {
            _queue.Send();
        }
        catch (Exception e)
        {
            lock (Session.Wire.Gate)
                Session.Failed(e);
        }
    }

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

    private void Left()
    {
        if (Interlocked.Decrement(ref _depth) == 0 && IsRetired)
            ThreadPool.UnsafeQueueUserWorkItem(static lane => lane.Close(), this, preferLocal: false);
    }

    private void AddArrived()
    {
        lock (Session.Wire.Gate)
        {
            foreach (var operation in _arrived)
                Add(operation);
            _arrived.Clear();
        }
    }

    // From here on each caller receives for itself.
    private void ResumeAll()
    {
        List<LaneOperation> waiting = [];
        lock (Session.Wire.Gate)
        {
            _hasStopped = true;
            _changes?.Lost(waiting);
            waiting.AddRange(_arrived);
            _arrived.Clear();
            foreach (var exchange in Session.Wire.Flights.Exchanges)
            {
                if (exchange is CommandExchange { Operation: LaneOperation operation } && operation.TryArrive())
                    waiting.Add(operation);
            }
        }
        foreach (var operation in waiting)
            operation.ResumeInPool();
    }

    private void Close()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) == 0)
            _set.Discard(_rental);
    }
}
