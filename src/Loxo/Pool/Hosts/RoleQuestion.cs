using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>Asks a server for its role, on a session that nobody else uses. The answer is a sign of life, too.</summary>
internal static class RoleQuestion
{
    // Servers before PostgreSQL 14 do not report these by themselves, and no server reports them to a session that is idle.
    private const string Sql = "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('default_transaction_read_only')";

    /// <summary>Asks, blocking.</summary>
    /// <exception cref="PgException">The time is over, the session is lost, or the server refuses the question.</exception>
    public static void Ask(HostSession one, Deadline limit)
    {
        var answer = new Answer(one.Host.State);
        one.Session.Begin(owner: null, Write, answer);
        if (!one.Session.Deferred.Take(limit))
            throw SessionErrors.OpenTimedOut(one.Host.State.Address, "asking for its role");
        one.Session.End();
        answer.Check(one.Host.Context);
    }

    /// <inheritdoc cref="Ask"/>
    public static async ValueTask AskAsync(HostSession one, Deadline limit, CancellationToken token)
    {
        var answer = new Answer(one.Host.State);
        await one.Session.BeginAsync(owner: null, Write, answer).ConfigureAwait(false);
        // The limit of the search: the session has one more for the server to stop a command.
        var answering = one.Session.Deferred.TakeAsync(Deadline.None, CancellationToken.None).AsTask();
        try
        {
            await answering.WaitAsync(limit.Left, one.Host.Context.Time, token).ConfigureAwait(false);
        }
        catch (Exception e) when (!answering.IsCompleted)
        {
            _ = IgnoreAsync(answering);
            throw e is TimeoutException ? SessionErrors.OpenTimedOut(one.Host.State.Address, "asking for its role") : e;
        }
        one.Session.End();
        answer.Check(one.Host.Context);
    }

    // The caller closes the session, which ends the wait for its answer.
    private static async Task IgnoreAsync(Task answering)
    {
        try
        {
            await answering.ConfigureAwait(false);
        }
        catch (Exception)
        {
            // It was given up.
        }
    }

    private static bool Write(ServerSession session, Answer answer)
    {
        session.Deferred.Write(Sql, answer.Take);
        return true;
    }

    private sealed class Answer(HostState state)
    {
        private readonly HostQuestion _asked = state.Ask();
        private ServerErrorFields? _error;

        public void Take(string?[]? row, ServerErrorFields? error)
        {
            _error = error;
            if (row is [{ } isInRecovery, { } isReadOnly])
                state.Learn(HostState.RoleOf(isInRecovery == "t", isReadOnly == "on"), _asked);
        }

        public void Check(SessionContext context)
        {
            if (_error is not null)
                throw SessionErrors.FromServer(_error, context);
        }
    }
}
