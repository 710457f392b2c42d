using Loxo.Commands;
using Loxo.Session;

namespace Loxo.Transactions;

/// <summary>Runs commands that end a transaction on a session that has no connection at the moment.</summary>
internal static class EndingCommand
{
    /// <summary>Runs a command, blocking, and returns its tag.</summary>
    /// <param name="session">It belongs to the caller alone.</param>
    /// <param name="sql">A single statement.</param>
    /// <param name="limit">How long the server may take to answer.</param>
    /// <param name="wasSent">Set when the server may have got it, also if this throws.</param>
    public static string Run(ServerSession session, string sql, TimeSpan limit, ref bool wasSent)
    {
        var command = session.Begin(owner: null, static (session, sql) => session.Simple.Start(sql), sql);
        wasSent = true;
        try
        {
            session.Pump(command, Milliseconds(limit));
        }
        catch (Exception) when (command.HasCommitted)
        {
            // The connection is lost; the transaction is not.
        }
        return End(session, command);
    }

    /// <inheritdoc cref="Run"/>
    public static async ValueTask<string> RunAsync(ServerSession session, string sql, TimeSpan limit)
    {
        var command = await session.BeginAsync(owner: null, static (session, sql) => session.Simple.Start(sql), sql)
            .ConfigureAwait(false);
        await session.PumpAsync(command, Milliseconds(limit), CancellationToken.None).ConfigureAwait(false);
        return End(session, command);
    }

    private static string End(ServerSession session, SimpleCommand command)
    {
        var error = !command.HasCommitted && command.Error is { } fields
            ? CommandRunner.ErrorOf(session, fields, session.StopReason, CancellationToken.None)
            : null;
        var tag = command.Tag;
        session.End();
        return error is null ? tag : throw error;
    }

    private static int Milliseconds(TimeSpan limit) =>
        limit == Timeout.InfiniteTimeSpan ? Timeout.Infinite : (int)Math.Min(int.MaxValue, limit.TotalMilliseconds);
}
