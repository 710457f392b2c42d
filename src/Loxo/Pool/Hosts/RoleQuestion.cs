using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>Asks a server for its role, on a session that nobody else uses. The answer is a sign of life, too.</summary>
internal static class RoleQuestion
{
    // Servers before PostgreSQL 14 do not report these by themselves, and no server reports them to a session that is idle.
    private const string Sql = "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('default_transaction_read_only')";

    // What is inserted, not what is flushed: with synchronous_commit=off a commit returns before its record is flushed.
    private const string WithLog = $"{Sql}, CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() "
        + "ELSE pg_catalog.pg_current_wal_insert_lsn() END, pg_catalog.current_setting('wal_block_size')";

    /// <summary>Asks, blocking.</summary>
    /// <param name="one">Where.</param>
    /// <param name="limit">Of the answer.</param>
    /// <param name="withLog">Whether it is also asked how far its log has come.</param>
    /// <exception cref="PgException">The time is over, the session is lost, or the server refuses the question.</exception>
    public static HostAnswer Ask(HostSession one, Deadline limit, bool withLog)
    {
        var answer = new Answer(one.Host.State, withLog);
        one.Session.Begin(owner: null, Write, answer);
        if (!one.Session.Deferred.Take(limit))
            throw SessionErrors.OpenTimedOut(one.Host.State.Address, "asking for its role");
        one.Session.End();
        return answer.Checked(one.Host.Context);
    }

    /// <inheritdoc cref="Ask"/>
    public static async ValueTask<HostAnswer> AskAsync(HostSession one, Deadline limit, bool withLog, CancellationToken token)
    {
        var answer = new Answer(one.Host.State, withLog);
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
        return answer.Checked(one.Host.Context);
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
        session.Deferred.Write(answer.WithLog ? RoleQuestion.WithLog : Sql, answer.Take);
        return true;
    }

    private sealed class Answer(HostState state, bool withLog)
    {
        public bool WithLog => withLog;

        private readonly HostQuestion _asked = state.Ask();
        private ServerErrorFields? _error;
        private HostAnswer _answer;

        public void Take(string?[]? row, ServerErrorFields? error)
        {
            _error = error;
            if (row is not [{ } isInRecovery, { } isReadOnly, .. var log])
                return;
            _answer = new(HostState.RoleOf(isInRecovery == "t", isReadOnly == "on"), null);
            state.Learn(_answer.Role, _asked);
            if (log is not [{ } position, { } blockSize])
                return;
            var end = LogNeed.EndOfRecords(
                PgLogSequenceNumber.Parse(position), ulong.Parse(blockSize, CultureInfo.InvariantCulture));
            _answer = _answer with { Log = end };
            state.LearnLog(end, _asked);
        }

        public HostAnswer Checked(SessionContext context) =>
            _error is null ? _answer : throw SessionErrors.FromServer(_error, context);
    }
}

/// <summary>What a server has said of itself.</summary>
/// <param name="Role">Its role.</param>
/// <param name="Log">The end of the last record that it has replayed or, as a primary, written; null if it was not asked for it.</param>
internal readonly record struct HostAnswer(PgHostRole Role, PgLogSequenceNumber? Log);
