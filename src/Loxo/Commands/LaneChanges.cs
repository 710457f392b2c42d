using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>
/// The changes of a lane that share a transaction. A caller goes on when the server has committed the group; if it has not, each of its
/// commands is sent again by itself. Every call is made under the gate of the wire.
/// </summary>
internal sealed class LaneChanges(Lane lane)
{
    // After a group that has failed, changes share nothing for a while, which doubles with each further one.
    private const int PauseMilliseconds = 50;
    private const int MostPauses = 7;

    private readonly Queue<List<LaneOperation>> _groups = [];
    private List<LaneOperation> _open = [];
    private long _pausesUntil;
    private int _failures;

    /// <summary>Whether the command may share a transaction.</summary>
    public bool MayGroup(LaneOperation operation) =>
        operation.Statements is [{ Source.IsChange: true }] && Environment.TickCount64 >= _pausesUntil;

    /// <summary>The command was written without a Sync.</summary>
    public void Add(LaneOperation operation)
    {
        operation.AwaitsGroup = true;
        _open.Add(operation);
    }

    /// <summary>A Sync ends the group of the commands so far.</summary>
    public void EndGroup(SyncExchange sync)
    {
        if (_open.Count == 0)
            return;
        _groups.Enqueue(_open);
        _open = [];
        sync.WhenEnded = Ended;
    }

    /// <summary>The commands that the server has run and not committed, and whose callers wait for that.</summary>
    public IEnumerable<LaneOperation> Wanted => Held.Where(static operation => operation is { Exchange.IsOver: true, IsGivenUp: false });

    private IEnumerable<LaneOperation> Held => _groups.SelectMany(static group => group).Concat(_open);

    /// <summary>The connection is lost: nobody knows what became of the commands whose group has not been answered.</summary>
    /// <param name="waiting">Gets the callers that are to be resumed.</param>
    public void Lost(List<LaneOperation> waiting)
    {
        if (_groups.Count == 0 && _open.Count == 0)
            return;
        var cause = lane.Session.BreakCause;
        var error = SessionErrors.LostInQueue(cause as PgException ?? TransportErrors.Lost(cause!), mayHaveRun: true);
        foreach (var operation in Held)
        {
            operation.AwaitsGroup = false;
            if (!operation.Exchange.IsOver)
                continue; // its caller learns of it as that of any command on its way does
            operation.Exchange.Undo(error);
            if (operation.TryArrive())
                waiting.Add(operation);
        }
        _groups.Clear();
        _open.Clear();
    }

    private void Ended(SyncExchange sync)
    {
        var group = _groups.Dequeue();
        var isCommitted = sync is { Failed: null, Error: null, WasCancelled: false };
        _failures = isCommitted ? 0 : Math.Min(_failures + 1, MostPauses);
        if (!isCommitted)
            _pausesUntil = Environment.TickCount64 + (PauseMilliseconds << _failures);
        foreach (var operation in group)
        {
            if (sync.WasCancelled)
                operation.Exchange.Undo(SessionErrors.CommitCancelled());
            else if (!isCommitted && !operation.IsGivenUp && operation.Exchange.TrySendAlone())
                operation.AwaitsGroup = false;
            if (operation.AwaitsGroup)
                operation.Ended();
        }
    }
}
