using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Asks the server for a sign of life when a session is idle in the hands of a caller: a Sync, whose answer the next command reads or the
/// next look at the session. Nobody waits for it. The pool itself asks for the sessions that it keeps, and a caller that waits for
/// notifications for its own.
/// </summary>
/// <remarks>
/// While it looks, it borrows the session (<see cref="StateWord.TryBorrow"/>): a command that begins just then waits as long as one send
/// and one receive that do not block.
/// </remarks>
internal sealed class KeepAlive : IDisposable
{
    // The timer must not keep a session alive whose connection was forgotten.
    private readonly WeakReference<ServerSession> _session;
    private readonly StateWord _state;
    private readonly TimeProvider _time;
    private readonly TimeSpan _interval;
    private readonly ITimer _timer;
    private long _lastUse;
    private long _askedAt;

    public KeepAlive(ServerSession session, StateWord state)
    {
        _session = new(session);
        _state = state;
        _time = session.Context.Time;
        _interval = session.Context.Settings.KeepAlive;
        _lastUse = _time.GetTimestamp();
        // The timer lives as long as the session; it must not keep the first caller's AsyncLocals alive with it.
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        // Started once the field is set, because the callback uses it.
        _timer = _time.CreateTimer(static state => ((KeepAlive)state!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(_interval, Timeout.InfiniteTimeSpan);
    }

    /// <summary>A command has ended.</summary>
    public void Used() => Volatile.Write(ref _lastUse, _time.GetTimestamp());

    /// <summary>How long a caller that has claimed the session may wait before it calls <see cref="Ask"/> again.</summary>
    public Deadline Until(Deadline limit) => limit.AtMost(_interval, _time);

    /// <summary>Writes a Sync, unless the answer to an earlier one is due. The session must have been claimed or borrowed.</summary>
    /// <returns>The error of a session that has not answered in time; null for none.</returns>
    public PgException? Ask(ServerSession session)
    {
        if (session.Deferred.IsDue)
            return IsLate(session.Context.Settings.CommandTimeout) ? SessionErrors.NoSignOfLife() : null;
        session.Deferred.WriteSync();
        _askedAt = _time.GetTimestamp();
        return null;
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        if (!_session.TryGetTarget(out var session) || session.State == SessionState.Broken)
        {
            Dispose();
            return;
        }
        var left = _interval - _time.GetElapsedTime(Volatile.Read(ref _lastUse));
        if (left <= TimeSpan.Zero)
        {
            AskIdle(session);
            left = _interval;
        }
        try
        {
            _timer.Change(left, Timeout.InfiniteTimeSpan);
        }
        catch (ObjectDisposedException) { }
    }

    private void AskIdle(ServerSession session)
    {
        if (!_state.TryBorrow())
            return;
        try
        {
            // Between rentals the session belongs to the pool, which looks at it by itself.
            if (!session.Owner.IsHandedOver || !SessionDrain.IsAlive(session))
                return;
            if (Ask(session) is { } error)
                session.Failed(error);
            else
                session.Wire.TrySend();
        }
        catch (Exception e) when (e is PgException or IOException or System.Net.Sockets.SocketException or ObjectDisposedException)
        {
            session.Failed(e as PgException ?? TransportErrors.Lost(e));
        }
        finally
        {
            _state.Return();
        }
    }

    // What is due may be the answer to a statement that the last use has sent.
    private bool IsLate(TimeSpan limit) => limit != Timeout.InfiniteTimeSpan
        && _time.GetElapsedTime(Math.Max(_askedAt, Volatile.Read(ref _lastUse))) >= limit;
}
