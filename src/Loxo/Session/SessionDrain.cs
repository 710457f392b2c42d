using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Reads replies that no command waits for: those that arrive between two rentals, and the rest of an abandoned command.</summary>
internal static class SessionDrain
{
    /// <summary>
    /// Reads the messages that the server may have sent since the last command, without waiting: one system call if there are none. False
    /// if the session is over.
    /// </summary>
    public static bool IsAlive(ServerSession session)
    {
        try
        {
            // Until nothing is left: the end of the stream may follow a reply or a notice.
            do
            {
                if (!ReadIdleMessages(session))
                    return false;
            }
            while (session.Wire.TryFill());
            return true;
        }
        catch (Exception e) when (e is PgException or IOException or System.Net.Sockets.SocketException or ObjectDisposedException)
        {
            session.Failed(e as PgException ?? session.Deferred.OnEndOfStream() ?? TransportErrors.Lost(e));
            return false;
        }
    }

    /// <summary>
    /// Reads the messages that have arrived between two commands. False if the session is over: the server has said so, or has sent a reply
    /// to no request, after which later replies could not be matched with their requests.
    /// </summary>
    public static bool ReadIdleMessages(ServerSession session)
    {
        var input = session.Wire.Input;
        if (session.Deferred.IsDue && session.Wire.Advance(session.Deferred) == Progress.NeedMore)
        {
            if (session.Deferred.IsFatal)
                session.Failed(session.Deferred.OnEndOfStream()!);
            return !session.Deferred.IsFatal;
        }
        var idle = new IdleMessages(session);
        if (idle.Advance(input) == Progress.NeedMore)
            return true;
        session.Failed(idle.OnEndOfStream()!);
        return false;
    }

    /// <summary>Whether the input buffer holds no unexpected reply.</summary>
    public static bool HasNoUnexpectedReply(ServerSession session)
    {
        try
        {
            return session.Wire.Input.Buffered == 0 || ReadIdleMessages(session);
        }
        catch (PgException e)
        {
            session.Failed(e);
            return false;
        }
    }

    /// <summary>
    /// Reads the rest of an abandoned command, blocking, so that the session can be reused, or closed without a reset of its socket. A long
    /// rest is cancelled if that loses nothing. The session stays busy if that takes longer than 'Cancellation Timeout', or if another
    /// thread is reading.
    /// </summary>
    /// <returns>Whether the command has come to its end, which the caller tells the session.</returns>
    public static bool SkipRest(ServerSession session)
    {
        if (!TryBeginSkip(session))
            return false;
        var command = session.Command;
        try
        {
            var progress = MayCancel(session)
                ? session.Cancellation.Drain(command, command.Query, Milliseconds(session), mayStop: true)
                : session.Wire.Pump(command, Deadline.In(session.Context.CancelWait, session.Context.Time));
            return progress == Progress.Done;
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException)
        {
            // The session stays busy, and its caller closes it.
            return false;
        }
    }

    /// <inheritdoc cref="SkipRest"/>
    public static async ValueTask<bool> SkipRestAsync(ServerSession session)
    {
        if (!TryBeginSkip(session))
            return false;
        var command = session.Command;
        try
        {
            if (MayCancel(session))
            {
                await session.Cancellation.DrainAsync(command, command.Query, Milliseconds(session), mayStop: true).ConfigureAwait(false);
            }
            else
            {
                var limit = Deadline.In(session.Context.CancelWait, session.Context.Time);
                await session.Wire.PumpAsync(command, limit, CancellationToken.None).ConfigureAwait(false);
            }
            return true;
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException)
        {
            // As above.
            return false;
        }
    }

    private static bool MayCancel(ServerSession session) => session.Cancellation.CanCancel && session.Command.Query.MayBeStopped;

    private static int Milliseconds(ServerSession session) => (int)session.Context.CancelWait.TotalMilliseconds;

    private static bool TryBeginSkip(ServerSession session)
    {
        if (session.Wire.IsInUse || session.State is not (SessionState.Busy or SessionState.Cancelling))
            return false;
        session.Command.Query.SkipResults = true;
        // Another thread may be reading a value of the abandoned row: the next renter's rows lie elsewhere.
        session.Command.Rows = new Rows(session.Command);
        session.Wire.Input.LeaveBuffer();
        return true;
    }
}
