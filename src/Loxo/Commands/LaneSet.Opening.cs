using System.Globalization;
using Loxo.Diagnostics;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <content>How a lane is opened, on a thread of its own.</content>
internal sealed partial class LaneSet
{
    private void OpenAnother(LaneList list)
    {
        if (list.Lanes.Length < list.Most && Environment.TickCount64 >= Volatile.Read(ref list.OpensFrom)
            && Volatile.Read(ref list.IsOpening) == 0 && Interlocked.Exchange(ref list.IsOpening, 1) == 0)
            StartOpening(list);
    }

    // By itself, or each call of the method above would make the delegate's object.
    private void StartOpening(LaneList list)
    {
        try
        {
            Crew.StartThread(new Thread(() => Open(list)) { IsBackground = true, Name = "Loxo lane opening" });
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // The system has no thread left.
            NotOpened(list, e);
            Volatile.Write(ref list.IsOpening, 0);
        }
    }

    // Without an answer of the audit there would be no use for it.
    private void Open(LaneList list)
    {
        try
        {
            // The one that was being opened may be the last.
            if (list.Lanes.Length >= list.Most)
                return;
            var clears = Volatile.Read(ref _clears);
            var rental = Rent();
            if (Begin(rental, list) is not { } lane)
                return;
            bool isWanted;
            lock (_lock)
            {
                // A session that was rented before lanes and pool were cleared is an old one.
                isWanted = !_isDisposed && clears == _clears && list.Lanes.Length < list.Most;
                if (isWanted)
                    list.Add(lane);
            }
            if (isWanted)
                Start(lane);
            else
                _pool.Discard(rental);
        }
        catch (Exception e)
        {
            // The callers' own sessions may fail with the same error. The program's code, which a login may call, throws anything.
            NotOpened(list, e);
        }
        finally
        {
            Volatile.Write(ref list.IsOpening, 0);
        }
    }

    private void NotOpened(LaneList list, Exception e)
    {
        if (e is not ObjectDisposedException)
            LaneLog.OpenFailed(_log, e);
        Volatile.Write(ref list.OpensFrom, Environment.TickCount64 + TickMilliseconds);
    }

    private static void Start(Lane lane)
    {
        try
        {
            lane.Start();
        }
        catch (OutOfMemoryException e)
        {
            lane.Lost(e);
            throw;
        }
    }

    // A thread blocks for the answers of a lane, so a session that was opened by a blocking call costs less. A program may supply its
    // passwords to asynchronous calls only.
    private Rental<PooledSession> Rent()
    {
        var rental = _pool.Rent();
        if (!rental.Resource.Session.Wire.Channel.IsWatched)
            return rental;
        try
        {
            rental.Resource.Replace(SessionOpener.Open(_context, _context.Settings.OpenTimeout));
        }
        catch (Exception e)
        {
            LaneLog.OpenedAsynchronously(_log, e);
        }
        return rental;
    }

    // Null if the session cannot be a lane's; then it is the pool's again.
    private Lane? Begin(Rental<PooledSession> rental, LaneList list)
    {
        try
        {
            var lane = new Lane(this, rental, reads: list == _reading,
                groupsChanges: _options.GroupChanges && list == _mixed && _reading.Most > 0);
            if (!IsKnownToBeTrusted(lane))
            {
                // Its return lets the pool look through the database.
                lane.GiveBack(_pool);
                Volatile.Write(ref list.OpensFrom, Environment.TickCount64 + TickMilliseconds);
                return null;
            }
            if (!lane.Groups)
                return lane;
            if (CanShare(lane.Session))
            {
                if (lane.Reads)
                    MakeReadOnly(lane.Session);
                return lane;
            }
            lock (_lock)
            {
                _groupsReads = false;
                (_mixed.Most, _reading.Most) = (_mixed.Most + _reading.Most, 0);
            }
            // Those for changes rely on the others for queries.
            Clear();
            _pool.Discard(rental);
            return null;
        }
        catch
        {
            // It may be the lane's already, which is none then.
            _pool.Discard(rental);
            throw;
        }
    }

    // Whether commands may share a transaction. Where READ COMMITTED is not the default they would share a snapshot, and the session of a
    // pooler must not be changed, since its other clients would find it so.
    private bool CanShare(ServerSession session)
    {
        var canShare = false;
        session.Deferred.Write("SELECT current_setting('default_transaction_isolation'), pg_backend_pid()",
            (row, _) => canShare = row is ["read committed", { } pid] && pid == session.ProcessId.ToString(CultureInfo.InvariantCulture));
        Take(session);
        return canShare;
    }

    // A group of queries that fails loses nothing then. Users do not hear of it: their transactions run in other sessions.
    private void MakeReadOnly(ServerSession session)
    {
        const string Setting = "default_transaction_read_only";
        var reported = session.Parameters.Values.GetValueOrDefault(Setting);
        session.Deferred.Write($"SET {Setting} = on");
        Take(session);
        if (reported is not null)
            session.Parameters.Set(Setting, reported);
    }

    private void Take(ServerSession session)
    {
        var limit = Deadline.In(_context.Settings.OpenTimeout, _context.Time);
        if (session.Wire.Pump(session.Deferred, limit, new Turn()) == Progress.NeedMore)
            throw SessionErrors.OpenTimedOut(_context.Transport.Host, "becoming a lane");
    }
}
