using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>Waits until the server sends a notice or a notification. Nothing is sent, so nothing has to be cancelled.</summary>
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
        var messages = session.Begin(connection, static (session, _) => new IdleMessages(session, stopsAtMessage: true), 0);
        var limit = Deadline.In(timeout > 0 ? TimeSpan.FromMilliseconds(timeout) : Timeout.InfiniteTimeSpan, session.Context.Time);
        if (connection.Extras.Heard == heard)
            session.Wire.Pump(messages, limit);
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
        var beginning = session.BeginAsync(connection, static (session, _) => new IdleMessages(session, stopsAtMessage: true), 0);
        var messages = await beginning.ConfigureAwait(false);
        if (connection.Extras.Heard == heard)
            await PumpAsync(session, messages, timeout, token).ConfigureAwait(false);
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

    // The end of the time, or the token, ends the wait alone: the receive goes on, and the next command takes what it brings.
    private static async ValueTask PumpAsync(ServerSession session, IdleMessages messages, int timeout, CancellationToken token)
    {
        var turn = new Turn();
        using var timer = timeout <= 0 ? null : session.Context.Time.CreateTimer(static turn => ((Turn)turn!).End(), turn,
            TimeSpan.FromMilliseconds(timeout), Timeout.InfiniteTimeSpan);
        using var cancelled = token.UnsafeRegister(static turn => ((Turn)turn!).End(), turn);
        await session.Wire.PumpAsync(messages, Deadline.None, CancellationToken.None, turn).ConfigureAwait(false);
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
