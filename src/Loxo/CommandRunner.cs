using System.Data;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// How a command or a batch is run: write everything, pump to the first stop, end. Each step exists once; the blocking and the asynchronous
/// form differ only in the pump.
/// </summary>
internal static class CommandRunner
{
    /// <summary>Claims the session and writes; if writing fails nothing was sent and the session is free again.</summary>
    public static void Begin(ServerSession session, IStatements statements, CommandBehavior behavior)
    {
        session.Begin();
        Write(session, statements, behavior);
    }

    /// <inheritdoc cref="Begin"/>
    public static ValueTask BeginAsync(ServerSession session, IStatements statements, CommandBehavior behavior)
    {
        var settled = session.BeginAsync();
        if (!settled.IsCompletedSuccessfully)
            return WriteAfterAsync(settled, session, statements, behavior);
        Write(session, statements, behavior);
        return default;
    }

    /// <summary>Runs to the end without looking at rows.</summary>
    public static int RunToEnd(ServerSession session, IReaderOwner owner)
    {
        session.Query.SkipResults = true;
        session.Pump(session.Query, owner.TimeoutMilliseconds);
        return Count(session, owner, CancellationToken.None);
    }

    /// <inheritdoc cref="RunToEnd"/>
    public static async Task<int> RunToEndAsync(ServerSession session, IReaderOwner owner, CancellationToken token)
    {
        session.Query.SkipResults = true;
        await session.PumpAsync(session.Query, owner.TimeoutMilliseconds, token).ConfigureAwait(false);
        return Count(session, owner, token);
    }

    /// <summary>The error that the server reported for the command that has just ended, or null. The session is free again.</summary>
    public static Exception? End(ServerSession session, CancellationToken token)
    {
        var query = session.Query;
        var reason = session.StopReason;
        session.End();
        if (query.Error is not { } fields)
            return null;
        var error = ErrorOf(session, fields, reason, token);
        return query.LaterErrors is null ? error : Together(error, query.LaterErrors, session, token);
    }

    /// <summary>What to throw for an error that the server reported: one that we asked for by cancelling says so.</summary>
    public static Exception ErrorOf(ServerSession session, ServerErrorFields fields, StopReason reason, CancellationToken token)
    {
        var error = SessionErrors.FromServer(fields, session.Context.Settings);
        return error.SqlState == SqlStates.QueryCanceled && reason != StopReason.None ? SessionErrors.Confirmed(reason, error, token) : error;
    }

    private static int Count(ServerSession session, IReaderOwner owner, CancellationToken token) =>
        owner.End(session, token) is { } error ? throw error : session.Query.RecordsAffected();

    // A method of its own, as a lambda in End would cost every command an object.
    private static PgException Together(Exception first, List<ServerErrorFields> later, ServerSession session, CancellationToken token)
    {
        var all = later.Select(other => ErrorOf(session, other, StopReason.None, token)).Prepend(first).ToArray();
        return new PgException($"{all.Length} statements of the batch failed; the first: {first.Message}", PgErrorCode.ServerError, new AggregateException(all));
    }

    private static async ValueTask WriteAfterAsync(ValueTask settled, ServerSession session, IStatements statements, CommandBehavior behavior)
    {
        await settled.ConfigureAwait(false);
        Write(session, statements, behavior);
    }

    private static void Write(ServerSession session, IStatements statements, CommandBehavior behavior)
    {
        try
        {
            session.Query.Start();
            statements.Write(session, behavior);
            session.Query.Written();
        }
        catch
        {
            session.Query.TakeBack();
            session.End();
            throw;
        }
    }
}
