using Loxo.Session;

namespace Loxo.Commands;

/// <summary>
/// The groups of a lane: fast commands that are sent together end with one Sync. Every call is made under the gate of the wire.
/// </summary>
internal sealed class LaneGroups
{
    // So many commands share a Sync.
    private const int MostInGroup = 64;
    // A failed group of queries costs those behind the failed one another round trip. That is less than groups save, unless many fail.
    private const int FailuresOfQueries = 2;
    private const int SuccessesOfQueries = 8;

    private readonly LaneChanges? _changes;
    private readonly LaneGroupPause _pause;
    private readonly Action _end;
    private readonly Action<SyncExchange> _ended;
    // The commands since the last Sync.
    private int _inGroup;
    // Whether the group is to end as soon as the server has answered those before it.
    private bool _isDue;
    private long _number = 1;

    /// <summary>Begins.</summary>
    /// <param name="changes">Those that wait for their group; null if queries are grouped.</param>
    /// <param name="end">Writes a Sync, if there are commands without one.</param>
    public LaneGroups(LaneChanges? changes, Action end)
    {
        (_changes, _end) = (changes, end);
        _pause = changes is null ? new LaneGroupPause(FailuresOfQueries, SuccessesOfQueries)
            : new LaneGroupPause(tolerated: 0, successes: 1);
        _ended = Ended;
    }

    /// <summary>How many commands have shared their transaction with others.</summary>
    public long Commands { get; private set; }

    /// <summary>The transactions that they shared.</summary>
    public long Count { get; private set; }

    /// <summary>Whether the next command begins another group.</summary>
    public bool IsFull => _inGroup >= MostInGroup;

    /// <summary>Whether the command may share a transaction.</summary>
    public bool MayJoin(LaneOperation operation) => LaneSet.IsFast(operation) && _pause.IsOver
        && (_changes is null || operation.Statements is [{ Source.IsChange: true }]);

    /// <summary>The command was written without a Sync.</summary>
    public void Joined(LaneOperation operation)
    {
        _inGroup++;
        operation.Group = _number;
        _changes?.Add(operation);
    }

    /// <summary>
    /// The commands so far are to be run. A group of changes is open until the server has answered the one before it: otherwise small
    /// groups would follow each other, each with a flush of the WAL, since the callers of a group add the next one together. It is sent all
    /// the same: the group in front of it may not have been.
    /// </summary>
    public void End()
    {
        _isDue = _changes is { AwaitsCommit: true };
        if (!_isDue)
            _end();
    }

    /// <summary>A Sync ends the group of the commands so far.</summary>
    public void SyncAdded(SyncExchange sync)
    {
        if (_inGroup > 1)
        {
            Count++;
            Commands += _inGroup;
        }
        // A cancel request must not hit the commit of changes whose callers wait for it.
        sync.IsAwaited = _changes?.EndGroup() == true;
        if (sync.IsAwaited || (_changes is null && _inGroup > 1))
            sync.WhenEnded = _ended;
        (_inGroup, _isDue) = (0, false);
        _number++;
    }

    private void Ended(SyncExchange sync)
    {
        var isCommitted = sync is { Failed: null, Error: null, WasCancelled: false };
        _pause.Ended(hasFailed: !isCommitted);
        _changes?.GroupEnded(isCommitted, sync.WasCancelled);
        if (_isDue)
            End();
    }
}
