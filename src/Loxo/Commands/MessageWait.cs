using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>Waits for a notice or a notification. At most signs of life are asked for, so nothing has to be cancelled.</summary>
internal static class MessageWait
{
    /// <summary>Waits, blocking. False when the time was over before.</summary>
    /// <param name="connection">Open, with no command running.</param>
    /// <param name="timeout">Milliseconds; 0 and -1 for no limit.</param>
    public static bool Run(PgConnection connection, int timeout)
    {
        Check(timeout);
        var session = Checked(connection);
        var heard = connection.Extras.Heard;
        var messages = session.Begin(connection, static (session, wait) => Messages(session, wait), (connection, heard));
        var limit = Limit(session, timeout);
        while (connection.Extras.Heard == heard)
        {
            var progress = session.Wire.Pump(messages, session.UntilSignOfLife(limit));
            if (progress != Progress.NeedMore || limit.HasExpired)
                break;
            session.AskForSignOfLife();
        }
        return End(connection, session, messages, heard);
    }

    /// <inheritdoc cref="Run"/>
    public static async Task<bool> RunAsync(PgConnection connection, int timeout, CancellationToken token)
    {
        Check(timeout);
        token.ThrowIfCancellationRequested();
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Listener, "a wait for messages", token).ConfigureAwait(false);
        var session = Checked(connection);
        var heard = connection.Extras.Heard;
        var beginning = session.BeginAsync(connection, static (session, wait) => Messages(session, wait), (connection, heard));
        var messages = await beginning.ConfigureAwait(false);
        var limit = Limit(session, timeout);
        while (connection.Extras.Heard == heard)
        {
            var progress = await PumpAsync(session, messages, session.UntilSignOfLife(limit).Left, token).ConfigureAwait(false);
            if (progress != Progress.NeedMore || limit.HasExpired || token.IsCancellationRequested)
                break;
            session.AskForSignOfLife();
        }
        if (End(connection, session, messages, heard))
            return true;
        token.ThrowIfCancellationRequested();
        return false;
    }

    /// <summary>The time in the unit that the others take.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It does not fit, or is negative without being infinite.</exception>
    public static int Milliseconds(TimeSpan timeout) =>
        timeout == Timeout.InfiniteTimeSpan || (timeout >= TimeSpan.Zero && timeout.TotalMilliseconds <= int.MaxValue)
            ? (int)Math.Ceiling(timeout.TotalMilliseconds)
            : throw new ArgumentOutOfRangeException(nameof(timeout), timeout,
                "The longest time to wait is 24 days; 0 and -1 milliseconds wait without a limit.");

    private static void Check(int timeout)
    {
        if (timeout < Timeout.Infinite)
            throw new ArgumentOutOfRangeException(nameof(timeout), timeout, "The time must be positive, or 0 or -1 for no limit.");
    }

    private static ServerSession Checked(PgConnection connection)
    {
        var session = OwnSession.Of(connection, PgOwnSessionReason.Listener, "a wait for messages");
        if (!session.KeepsDescriptions)
            throw new PgException(
                $"With 'Pooler={session.Context.Settings.Pooler}' a connection has no server process of its own that could send "
                + "notifications to it: wait on a connection past the pooler.", PgErrorCode.NotSupported);
        return session;
    }

    // What comes with the answer to an earlier statement ends the wait, too.
    private static IdleMessages Messages(ServerSession session, (PgConnection Connection, long Heard) wait) =>
        new(session, () => wait.Connection.Extras.Heard != wait.Heard);

    private static Deadline Limit(ServerSession session, int timeout) =>
        Deadline.In(timeout > 0 ? TimeSpan.FromMilliseconds(timeout) : Timeout.InfiniteTimeSpan, session.Context.Time);

    // The end of the time, or the token, ends the wait alone: the receive goes on, and the next command takes what it brings.
    private static async ValueTask<Progress> PumpAsync(ServerSession session, IdleMessages messages, TimeSpan time, CancellationToken token)
    {
        var turn = new Turn();
        using var timer = time == Timeout.InfiniteTimeSpan ? null : session.Context.Time.CreateTimer(
            static turn => ((Turn)turn!).End(), turn, time, Timeout.InfiniteTimeSpan);
        using var cancelled = token.UnsafeRegister(static turn => ((Turn)turn!).End(), turn);
        return await session.Wire.PumpAsync(messages, Deadline.None, CancellationToken.None, turn).ConfigureAwait(false);
    }

    private static bool End(PgConnection connection, ServerSession session, IdleMessages messages, long heard)
    {
        if (messages.OnEndOfStream() is { } error)
            throw session.Failed(error);
        session.End();
        connection.CommandEnded();
        return connection.Extras.Heard != heard;
    }
}
