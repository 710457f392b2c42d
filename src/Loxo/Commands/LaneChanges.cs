using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>
/// The changes of a lane that share a transaction. A caller goes on when the server has committed the group; if it has not, each of its
/// commands is sent again by itself. Every call is made under the gate of the wire.
/// </summary>
internal sealed class LaneChanges(Lane lane)
{
    private readonly Queue<List<LaneOperation>> _groups = [];
    private List<LaneOperation> _open = [];

    /// <summary>The command was written without a Sync.</summary>
    public void Add(LaneOperation operation)
    {
        operation.AwaitsGroup = true;
        _open.Add(operation);
    }

    /// <summary>A Sync ends the group of the commands so far. False if there are none.</summary>
    public bool EndGroup()
    {
        if (_open.Count == 0)
            return false;
        _groups.Enqueue(_open);
        _open = [];
        return true;
    }

    /// <summary>Whether the server has not answered the Sync of a group.</summary>
    public bool AwaitsCommit => _groups.Count > 0;

    /// <summary>Whether commands wait for their group.</summary>
    public bool IsEmpty => _groups.Count == 0 && _open.Count == 0;

    /// <summary>The commands that the server has run and not committed, and whose callers wait for that.</summary>
    public IEnumerable<LaneOperation> Wanted => Held.Where(static operation => operation is { Exchange.IsOver: true, IsGivenUp: false });

    private IEnumerable<LaneOperation> Held => _groups.SelectMany(static group => group).Concat(_open);

    /// <summary>The connection is lost: nobody knows what became of the commands whose group has not been answered.</summary>
    /// <param name="waiting">Gets the callers that are to be resumed.</param>
    public void Lost(List<LaneOperation> waiting)
    {
        if (IsEmpty)
            return;
        var error = SessionErrors.LostInQueue(lane.Session.BreakCause!, mayHaveRun: true);
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

    /// <summary>The server has answered the Sync of the first group.</summary>
    /// <param name="isCommitted">Whether the server has committed it.</param>
    /// <param name="wasCancelled">Whether nobody knows, because a cancel signal came at the commit.</param>
    public void GroupEnded(bool isCommitted, bool wasCancelled)
    {
        foreach (var operation in _groups.Dequeue())
        {
            if (wasCancelled)
                operation.Exchange.Undo(SessionErrors.CommitCancelled());
            else if (!isCommitted && !operation.IsGivenUp)
                SendAlone(operation);
            if (operation.AwaitsGroup)
                operation.Ended();
        }
    }

    private void SendAlone(LaneOperation operation)
    {
        if (operation.Exchange.TrySendAlone())
            lane.SentAlone(operation);
        else if (operation.Exchange.Failure is null)
            operation.Exchange.Undo(SessionErrors.UndoneWithGroup(lane.Session.BreakCause));
    }
}
