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
internal sealed partial class Lane : Loop, IThreadPoolWorkItem, ISessionListener
{
    // So many bytes of rows a command collects. For a larger result the lane stops: each of its callers receives for itself.
    private const int MostCollected = 256 * 1024;

    // A lane with so many commands takes no more.
    private const int MostCommands = 1024;

    // Nor does one that has so many bytes to send: the server does not keep up with large values.
    private const int MostUnsentBytes = 1024 * 1024;

    // A command that waits longer for those in front of it would be faster in another lane.
    private const int MostMillisecondsInFront = 2;
    private static readonly long _mostInFront = Stopwatch.Frequency * MostMillisecondsInFront / 1000;

    // The server has been silent for longer than usual if it was so this many times as long.
    private const int UnusualTimes = 4;
    private const int TimesToBeStuck = 3;

    // Callers that continue on the lane's thread wait no longer than that for the others of their round until their commands are sent. On a
    // single processor the server cannot work meanwhile, and to switch to it more often costs more.
    private static readonly long _mostUnsent = Stopwatch.Frequency / (Environment.ProcessorCount == 1 ? 1_000 : 10_000);

    private readonly LaneSet _set;
    private readonly Rental<PooledSession> _rental;
    private readonly CommandQueue _queue;
    private readonly LaneReceiver _receiver;
    // Null if no commands share a transaction.
    private readonly LaneGroups? _groups;
    // Null if no changes do.
    private readonly LaneChanges? _changes;
    private readonly Turn _turn = new();
    private readonly long _sendsBefore;
    private readonly long _receivesBefore;
    private readonly long _openedAt = Environment.TickCount64;
    private readonly List<LaneOperation> _arrived = [];
    private int _depth;
    private int _resuming;
    private int _isFlushDue;
    // Of the thread that leads: when it last sent.
    private long _sentAt;
    // When a command was added while there was none.
    private long _busySince;
    // What the server takes for a command, on average of the last ones; at first so much that every lane gets commands.
    private long _serverTime = _mostInFront;
    // For how long the server is silent while commands are due, on average of the last times; at first so long that it seems usual.
    private long _silence = Stopwatch.Frequency / 40;
    private long _unusualFrom = 100;
    // When queries have gone to other lanes, until the one that they waited for has ended; else 0.
    private long _movedAt;
    // When a command has last come to its end.
    private long _answeredAt;
    // The last group that has ended, and how many milliseconds it took.
    private (long Number, long Time) _ended;
    private long _moved;
    private int _isRetired;
    private int _isClosed;
    // Under the gate of the wire: the thread receives no more.
    private bool _hasStopped;
    // As well: what the server was asked for as a sign of life; null if it was not asked yet.
    private SyncExchange? _sign;
    private long _askedAt;
    // Of the timer: when nobody wanted anything any more, and the server was asked to stop; 0 before that.
    private long _abandonedAt;
    private long _lastEnd = Environment.TickCount64;
    // Written under the gate, or by the lane's thread.
    private long _commands;

    public Lane(LaneSet set, Rental<PooledSession> rental, bool reads, bool groupsChanges)
        : base(set.Crew)
    {
        Reads = reads;
        _changes = groupsChanges ? new LaneChanges(this) : null;
        _groups = reads || groupsChanges ? new LaneGroups(_changes, EndGroup) : null;
        _set = set;
        _rental = rental;
        Session = rental.Resource.Session;
        Session.IsLane = true;
        _sendsBefore = Session.Wire.Sends;
        _receivesBefore = Session.Wire.Receives;
        Session.Owner.HandOver(this);
        Session.Claim(this);
        _queue = new CommandQueue(Session, keepsOrder: false)
        {
            MostCollected = MostCollected,
            OutlastsDeadlocks = groupsChanges,
            SyncAdded = _groups is null ? null : _groups.SyncAdded,
        };
        _receiver = new LaneReceiver(this);
        Free = new LaneFreeOperations(this);
    }

    public ServerSession Session { get; }

    public LaneFreeOperations Free { get; }

    /// <summary>Its number among the lanes of its kind; a lane that takes no more commands may have that of another one.</summary>
    public int Number { get; set; }

    /// <summary>Whether it runs commands that change nothing, in read-only transactions that several of them may share.</summary>
    public bool Reads { get; }

    /// <summary>Whether several commands may share a transaction.</summary>
    public bool Groups => _groups is not null;

    /// <summary>Whether callers are to be resumed. Called under the gate of the wire.</summary>
    public bool HasArrived => _arrived.Count > 0;

    /// <summary>The number of commands that have not come to their end.</summary>
    public int Depth => Volatile.Read(ref _depth);

    /// <summary>What it has done so far.</summary>
    public LaneCounts Counts => new(_commands, _moved, _groups?.Commands ?? 0, _groups?.Count ?? 0,
        Session.Wire.Sends - _sendsBefore, Session.Wire.Receives - _receivesBefore);

    /// <summary>Whether it takes no more commands for now. Callers that write at the same time do not see each other's.</summary>
    public bool IsFull => Depth >= MostCommands || Session.Output.PendingLength > MostUnsentBytes;

    /// <summary>Whether its commands have kept the server, or will keep it, so long that another lane is better.</summary>
    public bool IsBusy => Depth * Volatile.Read(ref _serverTime) > _mostInFront || HeadAge > MostMillisecondsInFront;

    /// <summary>Whether its first command takes much longer than usual.</summary>
    public bool IsHeldUp => HeadAge > UnusualFrom;

    /// <summary>Whether it is held up, and so long that the server as a whole, or this process, cannot be the reason.</summary>
    public bool IsStuck => HeadAge > UnusualFrom * TimesToBeStuck;

    /// <summary>Whether the other lane has got an answer while this one waited for its own.</summary>
    public bool IsOvertakenBy(Lane other) =>
        Volatile.Read(ref other._answeredAt) > Volatile.Read(ref _lastEnd) + LaneRelief.LeastPatience / 2;

    private long UnusualFrom => Math.Max(_set.Relief.Patience, Volatile.Read(ref _unusualFrom));

    /// <summary>For how many milliseconds it has had its session.</summary>
    public long Age => Environment.TickCount64 - _openedAt;

    /// <summary>Whether no more commands are added.</summary>
    public bool IsRetired => Volatile.Read(ref _isRetired) != 0;

    /// <summary>Whether its session was given up.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>For how many milliseconds the first command has been running, in the grain of the system's clock.</summary>
    public long HeadAge => Depth == 0 ? 0 : Environment.TickCount64 - Volatile.Read(ref _lastEnd);

    /// <summary>For how many milliseconds it has run nothing.</summary>
    public long IdleFor(long now) => Depth > 0 ? 0 : now - Volatile.Read(ref _lastEnd);

    /// <summary>The session goes back to its pool unused.</summary>
    public void GiveBack(ResourcePool<PooledSession> pool)
    {
        _queue.End(Timeout.Infinite);
        Session.IsLane = false;
        pool.Return(_rental);
    }

    /// <summary>Adds an encoded command. False if the lane takes none any more.</summary>
    public bool TryAdd(LaneOperation operation, ResultMode mode, bool blocks, int timeout, long firstAddedAt = 0)
    {
        if (IsFull)
            return false;
        operation.Begin(blocks, timeout, firstAddedAt);
        var depth = Interlocked.Increment(ref _depth);
        try
        {
            if (IsRetired || Session.State != SessionState.Busy || !TryWrite(operation, mode, isAlone: blocks || depth == 1))
            {
                Left(null);
                // It is being cancelled: nobody wanted any of its commands.
                if (Session.State != SessionState.Busy)
                    Retire();
                return false;
            }
        }
        catch (Exception e)
        {
            Left(null);
            if (e is not PgException || Session.State == SessionState.Busy)
                throw;
            return false; // it broke meanwhile
        }
        if (depth == 1)
        {
            Volatile.Write(ref _lastEnd, operation.AddedAt);
            Volatile.Write(ref _busySince, Stopwatch.GetTimestamp());
        }
        else if (Reads)
        {
            _set.Relief.Watch();
        }
        Send(blocks, depth);
        // The thread may have stopped since, and have resumed all callers that it knew. While it runs, nobody else receives.
        if (Volatile.Read(ref _hasStopped) && !operation.AwaitsGroup)
            AddedTooLate(operation);
        return true;
    }

    // Fast commands that are sent together end with one Sync, which Execute writes.
    private bool TryWrite(LaneOperation operation, ResultMode mode, bool isAlone)
    {
        if (_groups is null)
            return _queue.TryAdd(operation.Exchange, operation, mode) is not null;
        lock (Session.Wire.Gate)
        {
            var endsGroup = isAlone || _hasStopped || !_set.MayGroup(Reads) || !_groups.MayJoin(operation);
            if (_groups.IsFull)
                EndGroup();
            if (_queue.TryAdd(operation.Exchange, operation, mode, endsGroup) is null)
                return false;
            if (!endsGroup)
                _groups.Joined(operation);
            return true;
        }
    }

    private void EndGroup()
    {
        if (!Session.Groups.IsEmpty)
            _queue.TryAddSync();
    }

    /// <summary>The caller of a command wants no more of it.</summary>
    public void GiveUp(LaneOperation operation, StopReason reason)
    {
        // What waited for others has not shown itself slow.
        if (reason == StopReason.Timeout && HeadAge > LaneList.SlowMilliseconds && IsFirst(operation))
            LaneSet.AvoidLanes(operation, Environment.TickCount64);
        _queue.Abandon(operation.Exchange, reason);
    }

    private bool IsFirst(LaneOperation operation)
    {
        lock (Session.Wire.Gate)
            return ReferenceEquals(Session.Wire.Flights.First, operation.Exchange);
    }

    /// <summary>A command has come to its end. Called under the gate of the wire.</summary>
    public void Ended(LaneOperation operation)
    {
        if (!operation.IsMoved)
            _commands++;
        var now = Environment.TickCount64;
        var time = now - Math.Max(_lastEnd, operation.AddedAt);
        // The answers of a group come together, and nobody knows which of its commands took the time.
        if (operation.Group != 0)
        {
            time = operation.Group == _ended.Number ? Math.Max(time, _ended.Time) : time;
            _ended = (operation.Group, time);
        }
        LaneSet.Ran(operation, time, now);
        if (_movedAt != 0)
            MovedBehind(now);
        Volatile.Write(ref _answeredAt, now);
        Volatile.Write(ref _lastEnd, now);
        if (operation.TryArrive())
        {
            if (_hasStopped)
                operation.ResumeInPool();
            else
                _arrived.Add(operation);
        }
        Left(operation);
    }

    /// <summary>A command whose group has failed runs again by itself. Called under the gate of the wire.</summary>
    public void SentAlone(LaneOperation operation)
    {
        operation.AwaitsGroup = false;
        if (_hasStopped && operation.TryArrive())
            operation.ResumeInPool();
    }

    /// <summary>A work item is queued by which a caller goes on.</summary>
    public void Resuming() => Interlocked.Increment(ref _resuming);

    /// <summary>That caller goes on.</summary>
    public void Resumed() => Interlocked.Decrement(ref _resuming);

    /// <inheritdoc/>
    protected override bool IsAwaited => Depth > 0 || HasSeveralReady;

    /// <inheritdoc/>
    protected override bool WaitForCallers()
    {
        if (Volatile.Read(ref _hasStopped) || IsClosed)
            return false;
        try
        {
            var began = Stopwatch.GetTimestamp();
            Session.Wire.Pump(_receiver, Deadline.None, _turn);
            // First of all: this thread may wait for a caller's reader, and until then would resume none of those added below.
            if (IsBlocked)
            {
                Retire();
                ResumeAll(isLost: false);
                ReceiveGroups();
            }
            var answers = AddArrived();
            _sentAt = Stopwatch.GetTimestamp();
            if (answers > 0)
                Waited(_sentAt - Math.Max(began, Volatile.Read(ref _busySince)), answers);
            return true;
        }
        catch (Exception e)
        {
            Lost(e);
            return false;
        }
    }

    private void Waited(long time, int answers)
    {
        _serverTime += ((time / answers) - _serverTime) / 8;
        // One that takes long tells little of the others.
        _silence += (Math.Min(time, 2 * _silence + _mostInFront) - _silence) / 8;
        Volatile.Write(ref _unusualFrom, _silence * UnusualTimes * 1000 / Stopwatch.Frequency);
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
        if (_groups is not null)
        {
            lock (Session.Wire.Gate)
                _groups.End();
        }
        Send();
        // Behind the send: the server may answer within it where both share a core, and the next caller would send at once.
        _sentAt = Stopwatch.GetTimestamp();
    }

    void ISessionListener.Notice(ServerErrorFields notice)
    {
    }

    void ISessionListener.Notification(PgNotificationEventArgs notification)
    {
    }

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

    private int AddArrived()
    {
        lock (Session.Wire.Gate)
        {
            foreach (var operation in _arrived)
                Add(operation);
            var count = _arrived.Count;
            _arrived.Clear();
            return count;
        }
    }
}
