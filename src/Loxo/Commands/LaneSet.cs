using Loxo.Diagnostics;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Sql;
using Loxo.Transport;
using Microsoft.Extensions.Logging;

namespace Loxo.Commands;

/// <summary>
/// The lanes of a data source: few sessions of its pool that run the plain commands of all callers. It opens more while the lanes have much
/// to do, and replaces those that end.
/// </summary>
internal sealed partial class LaneSet : IDisposable
{
    // So many commands in every lane: another one is opened.
    private const int Saturated = 64;
    // A lane whose first command runs for so long takes no more, and a statement that has done so once takes a session of its own.
    private const int StuckMilliseconds = 1000;
    // For so long a slow statement is not tried in a lane again.
    private const int SlowForMilliseconds = 60_000;
    // Statements that ran no longer the last times share a transaction: a slow one would delay the answers to the others.
    private const int FastMilliseconds = 8;
    private const byte FastRunsToGroup = 3;
    private const int TickMilliseconds = 200;
    private const int LookMilliseconds = 30_000;

    private readonly SessionContext _context;
    private readonly ResourcePool<PooledSession> _pool;
    private readonly bool _trustsAll;
    private readonly ILogger _log;
    private readonly PgLaneOptions _options;
    private readonly LaneList _reading = new("queries");
    private readonly LaneList _mixed = new("mixed");
    private readonly bool _mayShare;
    private readonly double _lifetime;
    private readonly double _idleLifetime;
    private readonly Func<Lane, bool> _isTrusted;
    private readonly Lock _lock = new();
    private readonly Timer _timer;
    private readonly long[] _ownSessions = new long[Enum.GetValues<PgOwnSessionReason>().Length];
    private readonly List<Lane> _retiring = [];
    private bool _groupsReads;
    private long _lookedAt = Environment.TickCount64;
    private int _clears;
    private bool _isDisposed;

    public LaneSet(
        SessionContext context, ResourcePool<PooledSession> pool, PoolSettings settings, PgLaneOptions options, ILogger log)
    {
        _log = log;
        _context = context;
        _isTrusted = IsTrusted;
        _pool = pool;
        _trustsAll = settings.Reset == SessionReset.Never;
        _options = options;
        // A pooler that gives each transaction another server process loses what is sent before the transaction in front of it has ended.
        _mayShare = (settings.Reset is SessionReset.Never or SessionReset.Auto) && context.Settings.Pooler == Pooler.None;
        _groupsReads = options.GroupQueries;
        Resize(settings.MaximumSize);
        _lifetime = settings.Lifetime.TotalMilliseconds;
        _idleLifetime = settings.IdleLifetime.TotalMilliseconds;
        // The timer must keep neither the caller's AsyncLocals alive, nor the lanes of a data source that nobody has any more.
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _timer = new Timer(
            static set =>
            {
                if (((WeakReference<LaneSet>)set!).TryGetTarget(out var lanes))
                    lanes.Tick();
            },
            new WeakReference<LaneSet>(this), TickMilliseconds, TickMilliseconds);
        Relief = new LaneRelief(this);
    }

    /// <summary>How many lanes run the commands while these are fast.</summary>
    public int Processors { get; init; } = Environment.ProcessorCount;

    /// <summary>Looks at the lanes for queries.</summary>
    public LaneRelief Relief { get; }

    /// <summary>The threads of the lanes.</summary>
    public LoopCrew Crew { get; init; } = LoopCrew.Shared;

    /// <summary>Whether commands may share sessions at all: not if each user is to have a session that was reset.</summary>
    public bool IsUsable => _mayShare && _mixed.Most > 0;

    /// <summary>The session of a lane, for what all sessions have in common; null for none.</summary>
    public ServerSession? AnySession => _reading.Lanes is [var reading, ..] ? reading.Session
        : _mixed.Lanes is [var mixed, ..] ? mixed.Session
        : null;

    /// <summary>The number of lanes.</summary>
    public int Count => _reading.Lanes.Length + _mixed.Lanes.Length;

    /// <summary>The number of lanes that there may be.</summary>
    public int Most => _reading.Most + _mixed.Most;

    /// <summary>
    /// Whether queries, or changes, may share a transaction and be sent again: not if a function of the database may do what no rollback
    /// takes back; nor queries, if one may do what a read-only transaction does not prevent.
    /// </summary>
    public bool MayGroup(bool reads) =>
        _context.Database.Reachable?.Invoke() is not { } known || (!known.ActsOutside && !(reads && known.EscapesReadOnly));

    /// <summary>The lanes.</summary>
    public IEnumerable<Lane> All => _reading.Lanes.Concat(_mixed.Lanes);

    /// <summary>
    /// A lane that takes a command, or null. All callers of a lane share its session, so it takes only commands that are known to leave the
    /// session as it was.
    /// </summary>
    /// <param name="reads">Whether the command changes nothing, as far as its text tells.</param>
    public Lane? Choose(bool reads)
    {
        var list = reads && _reading.Most > 0 && MayGroup(reads: true) ? _reading : _mixed;
        var lanes = list.Lanes;
        if (lanes.Length < Math.Min(_options.Minimum, list.Most))
            OpenAnother(list);
        if (lanes.Length == 0)
            return null;
        // Commands that travel together cost less, so no more lanes than processors run them while these are fast.
        var best = LaneList.BestOf(lanes.AsSpan(0, Math.Min(lanes.Length, Processors)), _isTrusted);
        if (lanes.Length > Processors && best is null or { IsBusy: true })
            best = LaneList.BestOf(lanes, _isTrusted);
        if (best is null or { IsHeldUp: true })
            best = LaneList.BestOf(lanes, _isTrusted, compared: lanes.Length);
        if (best is null || best.Depth >= Saturated || best.IsHeldUp)
            OpenAnother(list);
        // A change cannot leave the lane again, and its caller may hold the lock that the first command waits for.
        return best is { HeadAge: < StuckMilliseconds } && (reads || !best.IsHeldUp) ? best : null;
    }

    /// <summary>A command takes a session of its own.</summary>
    public void Note(PgOwnSessionReason reason, IExecutable command) =>
        Note(reason, _log.IsEnabled(LogLevel.Debug) ? TextOf(command) : "");

    /// <summary>Something takes a session of its own.</summary>
    public void Note(PgOwnSessionReason reason, string text)
    {
        Interlocked.Increment(ref _ownSessions[(int)reason]);
        if (_log.IsEnabled(LogLevel.Debug))
            LaneLog.OwnSession(_log, reason.ToString(), LaneLog.Shown(text));
    }

    /// <summary>The text of a command, or the texts of a batch.</summary>
    public static string TextOf(IExecutable command) => command is PgBatch batch
        ? string.Join("; ", batch.BatchCommands.Cast<PgBatchCommand>().Select(static one => one.CommandText))
        : ((PgCommand)command).CommandText;

    public PgLaneStatistics GetStatistics()
    {
        lock (_lock)
        {
            Lane[] open = [.. All, .. _retiring];
            // Read once, so that the sums are those of the lanes.
            LaneCounts[] each = [.. open.Select(static lane => lane.Counts)];
            var counts = each.Aggregate(_reading.Past.Plus(_mixed.Past), static (sum, one) => sum.Plus(one));
            return new PgLaneStatistics
            {
                QueryLanes = _reading.Lanes.Length,
                MixedLanes = _mixed.Lanes.Length,
                CommandsInFlight = open.Sum(static lane => lane.Depth),
                Lanes = [.. open.Zip(each, Describe)],
                Commands = counts.Commands,
                Moved = counts.Moved,
                GroupedCommands = counts.Grouped,
                Groups = counts.Groups,
                Sends = counts.Sends,
                Receives = counts.Receives,
                OwnSessions = Enum.GetValues<PgOwnSessionReason>().Where(reason => Volatile.Read(ref _ownSessions[(int)reason]) > 0)
                    .ToDictionary(static reason => reason, reason => Volatile.Read(ref _ownSessions[(int)reason])),
            };
        }
    }

    /// <summary>The figures of each lane for the instruments.</summary>
    public LaneSample[] Sample()
    {
        lock (_lock)
        {
            return
            [
                .. _reading.Sample(_retiring.Where(static lane => lane.Reads)),
                .. _mixed.Sample(_retiring.Where(static lane => !lane.Reads)),
            ];
        }
    }

    /// <summary>The queries that wait for one that takes much longer than usual go to another lane, if one has time for them.</summary>
    /// <param name="moves">Whether they do now.</param>
    /// <returns>Whether queries wait.</returns>
    public bool Relieve(bool moves)
    {
        var waits = false;
        var lanes = _reading.Lanes;
        foreach (var lane in lanes)
        {
            waits |= lane.Depth > 1;
            if (!moves || lane is not { Depth: > 1, IsHeldUp: true } || !MayGroup(reads: true))
                continue;
            if (!lanes.Any(static other => other is { IsRetired: false, IsFull: false, IsHeldUp: false }))
                OpenAnother(_reading);
            else if (lane.IsStuck || lanes.Any(lane.IsOvertakenBy))
                lane.MoveWaiting();
        }
        return waits;
    }

    /// <summary>A command has run for so many milliseconds, by itself or together with its group.</summary>
    public static void Ran(LaneOperation operation, long milliseconds, long now)
    {
        var writes = operation.WasRefused;
        foreach (var statement in operation.Statements)
        {
            var source = statement.Source;
            if (writes)
                source.Writes = true;
            if (milliseconds > FastMilliseconds)
                source.FastRuns = 0;
            else if (source.FastRuns < FastRunsToGroup)
                source.FastRuns++;
            if (milliseconds <= LaneList.SlowMilliseconds)
            {
                if (source.SlowRuns != 0)
                    source.SlowRuns = 0;
            }
            else if (operation.Group == 0 && now - milliseconds >= source.SlowUntil)
            {
                // Runs at the same time may have had the same reason, which is not the text.
                source.SlowUntil = now;
                if (++source.SlowRuns > 1 || milliseconds > StuckMilliseconds)
                    source.AvoidLanesUntil = now + SlowForMilliseconds;
            }
        }
    }

    /// <summary>The command is slow or has a large result: its statements take a session of their own for a while.</summary>
    public static void AvoidLanes(LaneOperation operation, long now)
    {
        foreach (var statement in operation.Statements)
            statement.Source.AvoidLanesUntil = now + SlowForMilliseconds;
    }

    /// <summary>
    /// Whether the command may share a transaction with others: it is one statement, which was fast the last times, and not one of those
    /// that may just have held up another lane.
    /// </summary>
    public static bool IsFast(LaneOperation operation) =>
        operation is { HasMoved: false, Statements: [{ Source.FastRuns: >= FastRunsToGroup }] };

    /// <summary>The lane takes no more commands.</summary>
    public void Remove(Lane lane)
    {
        lock (_lock)
        {
            ListOf(lane).Remove(lane);
            _retiring.Add(lane);
        }
    }

    /// <summary>The session of a lane is closed.</summary>
    public void Discard(in Rental<PooledSession> rental) => _pool.Discard(rental);

    /// <summary>The pool may have so many sessions from here on; some are left for what cannot run in a lane.</summary>
    public void Resize(int maximum)
    {
        var most = _options.MostIn(maximum);
        lock (_lock)
        {
            _reading.Most = _groupsReads ? most / 2 : 0;
            _mixed.Most = most - _reading.Most;
        }
        if (Count > most)
            Clear();
    }

    /// <summary>Retires all lanes; what they run comes to its end.</summary>
    public void Clear()
    {
        lock (_lock)
            _clears++;
        foreach (var lane in All)
            lane.Retire();
    }

    public void Dispose()
    {
        lock (_lock)
            _isDisposed = true;
        Clear();
    }

    // The lane's session must not have been able to change since it was handed to the lane, or a caller would see what another one left.
    private bool IsTrusted(Lane lane)
    {
        if (IsKnownToBeTrusted(lane))
            return true;
        lane.Retire();
        return false;
    }

    private bool IsKnownToBeTrusted(Lane lane) => _trustsAll || _context.Database.HidesNothing?.Invoke(lane.Session) == true;

    private void Tick()
    {
        var now = Environment.TickCount64;
        Lane[] retiring;
        lock (_lock)
        {
            // Asked once: a lane may be closed meanwhile.
            foreach (var lane in _retiring.Where(static lane => lane.IsClosed).ToList())
            {
                ListOf(lane).Closed(lane);
                _retiring.Remove(lane);
            }
            retiring = [.. _retiring];
            // Until the last lane has ended, its callers need their timeouts. Lanes that are to retire may not have done so yet.
            if (_isDisposed && retiring.Length == 0 && Count == 0)
                _timer.Dispose();
        }
        foreach (var lane in All)
        {
            lane.Tick(now);
            if ((_lifetime > 0 && lane.Age > _lifetime) || !IsKnownToBeTrusted(lane))
                lane.Retire();
        }
        foreach (var lane in retiring)
            lane.Tick(now);
        RetireIdle(_reading, now);
        RetireIdle(_mixed, now);
        if (_trustsAll || Count == 0 || now - _lookedAt < LookMilliseconds)
            return;
        _lookedAt = now;
        _ = LookAgainAsync();
    }

    private static PgLane Describe(Lane lane, LaneCounts counts) => new()
    {
        Number = lane.Number,
        IsForQueries = lane.Reads,
        IsRetiring = lane.IsRetired,
        ProcessId = lane.Session.ProcessId,
        Age = TimeSpan.FromMilliseconds(lane.Age),
        CommandsInFlight = lane.Depth,
        RunningFor = TimeSpan.FromMilliseconds(lane.HeadAge),
        Commands = counts.Commands,
        Sends = counts.Sends,
        Receives = counts.Receives,
    };

    private LaneList ListOf(Lane lane) => lane.Reads ? _reading : _mixed;

    private void RetireIdle(LaneList list, long now)
    {
        foreach (var lane in list.Lanes)
        {
            if (_idleLifetime > 0 && lane.IdleFor(now) > _idleLifetime && list.Lanes.Length > Math.Min(_options.Minimum, list.Most))
                lane.Retire();
        }
    }

    // The database is looked through anew when a session comes back to the pool; those of the lanes do not.
    private async Task LookAgainAsync()
    {
        try
        {
            _pool.Return(await _pool.RentAsync().ConfigureAwait(false));
        }
        catch (Exception)
        {
            // It is tried again. The program's code, which a login may call, throws anything.
        }
    }
}
