using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// Fetches the rows of a command's last statement in portions. Its portal lives as long as its transaction, so the Sync that ends the group
/// waits until the portal has done: outside a transaction block the implicit transaction stays open that long.
/// F: Execute(rows) Flush; for each s, while rows are wanted, Execute(rows) Flush, and otherwise Close or Execute(all); Sync
/// B: D* s for each portion, D* C or 3 for the last, Z
/// </summary>
/// <param name="session">Where the statement runs.</param>
internal sealed class PortalFetch(ServerSession session)
{
    private bool _owesSyncBehindCopy;

    /// <summary>How many rows the statement that is added next returns at a time; 0 for all at once.</summary>
    public int Rows { get; set; }

    /// <summary>Whether rows that nobody has read need not be fetched: the text of the statement changes nothing.</summary>
    public bool OnlyReads { get; set; }

    /// <summary>Whether the Sync of the group is still to be sent: behind a portion, the server waits for what it is asked.</summary>
    public bool OwesSync { get; private set; }

    /// <summary>A command begins.</summary>
    public void Reset() => (Rows, OnlyReads, OwesSync, _owesSyncBehindCopy) = (0, false, false, false);

    /// <summary>Ends a group: with Sync, or, if its last statement returns rows in portions, with Flush.</summary>
    public void EndGroup(RequestWriter requests)
    {
        OwesSync = Rows > 0;
        if (OwesSync)
            requests.Flush();
        else
            requests.Sync();
    }

    /// <summary>A portion has ended. Returns whether the statement goes on.</summary>
    /// <param name="requests">Writes what follows.</param>
    /// <param name="isWanted">Whether more rows are to be read.</param>
    public bool GoOn(RequestWriter requests, bool isWanted)
    {
        if (!isWanted && OnlyReads && !session.Effects.MayHideChanges)
        {
            requests.ClosePortal();
            return false;
        }
        requests.ExecuteOn(isWanted ? Rows : 0);
        requests.Flush();
        return true;
    }

    /// <summary>
    /// The statement copies from the client: ends the copy with CopyFail, and the group with Sync. If a Sync has been sent, another one
    /// follows the error that answers CopyFail.
    /// </summary>
    public void RefuseCopyIn(RequestWriter requests, string reason)
    {
        session.Output.WriteCopyFail(reason);
        _owesSyncBehindCopy = !OwesSync;
        if (OwesSync)
            End(requests);
    }

    /// <summary>The statement has ended: sends the Sync that is due. Nothing happens if none is.</summary>
    public void End(RequestWriter requests)
    {
        if (_owesSyncBehindCopy)
            requests.SyncBehindCopy();
        _owesSyncBehindCopy = false;
        if (!OwesSync)
            return;
        OwesSync = false;
        requests.Sync();
        // The caller may not wait for the server before it closes its reader, and the transaction would stay open until then.
        session.Wire.TrySend();
    }
}
