using System.Runtime.ExceptionServices;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Explicit preparation: the statements that the session does not know yet are parsed and described, in one round trip.</summary>
internal static class Preparer
{
    public static void Prepare(IExecutable command)
    {
        var session = SessionOf(command);
        command.Connection!.Extras.IsPinned = true;
        var preparation = new Preparation(command);
        if (!preparation.IsNeeded(session))
            return;
        try
        {
            var exchange = CommandRunner.Begin(session, command, preparation, ResultMode.Prepare);
            session.Pump(exchange, command.TimeoutMilliseconds);
            Check(CommandRunner.End(command, exchange, CancellationToken.None));
        }
        catch
        {
            preparation.Detach(session);
            throw;
        }
    }

    public static async Task PrepareAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        Note(command);
        await CommandRunner.BindAsync(command, token).ConfigureAwait(false);
        var session = SessionOf(command);
        command.Connection!.Extras.IsPinned = true;
        var preparation = new Preparation(command);
        if (!preparation.IsNeeded(session))
            return;
        try
        {
            var exchange = await CommandRunner.BeginAsync(session, command, preparation, ResultMode.Prepare).ConfigureAwait(false);
            await session.PumpAsync(exchange, command.TimeoutMilliseconds, token).ConfigureAwait(false);
            Check(CommandRunner.End(command, exchange, token));
        }
        catch
        {
            preparation.Detach(session);
            throw;
        }
    }

    public static void Unprepare(IExecutable command)
    {
        var session = SessionOf(command);
        var exchange = CommandRunner.Begin(session, command, new Release(command), ResultMode.Skip);
        session.Pump(exchange, command.TimeoutMilliseconds);
        Check(CommandRunner.End(command, exchange, CancellationToken.None));
    }

    public static async Task UnprepareAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var session = SessionOf(command);
        var exchange = await CommandRunner.BeginAsync(session, command, new Release(command), ResultMode.Skip).ConfigureAwait(false);
        await session.PumpAsync(exchange, command.TimeoutMilliseconds, token).ConfigureAwait(false);
        Check(CommandRunner.End(command, exchange, token));
    }

    private static ServerSession SessionOf(IExecutable command)
    {
        command.CheckDisposed();
        if (command.DataSource is not null)
            throw new NotSupportedException("A command of a data source runs on another connection each time and cannot be prepared by "
                + "itself.");
        var connection = command.Connection ?? throw new InvalidOperationException("There is no connection to prepare on: set Connection.");
        Note(command);
        var session = connection.OpenSession();
        PoolerRules.CheckPrepare(session);
        return session;
    }

    private static void Note(IExecutable command) =>
        OwnSession.Note(command.Connection, PgOwnSessionReason.Prepare, LaneSet.TextOf(command));

    private static void Check(Exception? error)
    {
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    // Parse and Describe of the statements that the session does not know.
    private sealed class Preparation(IExecutable command) : IStatementSource
    {
        private readonly List<CachedStatement> _missing = [];

        // False if the session knows all statements, which the command holds from now on.
        public bool IsNeeded(ServerSession session)
        {
            Match(session);
            return _missing.Count > 0 || session.Types.NamesToLookUp.Count > 0;
        }

        public void Write(CommandExchange exchange)
        {
            Match(exchange.Session);
            foreach (var statement in _missing)
                exchange.Query.AddPreparation(statement);
        }

        public void Detach(ServerSession session)
        {
            var count = command.Plan(session).Length;
            for (var i = 0; i < count; i++)
                command.Hold(i, null);
            foreach (var statement in _missing)
            {
                if (statement is { Holders: 0, IsDescribed: false })
                    session.Statements.Remove(statement);
            }
            _missing.Clear();
        }

        // Attaches its prepared statement to each statement; the same text twice is prepared once. If types have to be looked up, it is
        // called again.
        private void Match(ServerSession session)
        {
            _missing.Clear();
            var statements = command.Plan(session);
            for (var i = 0; i < statements.Length; i++)
            {
                new StatementValues(statements[i], command.ParametersAt(i)).BindTypes(session.Types);
                var prepared = session.Statements.Hold(statements[i].Sql, session.Types.Bound);
                command.Hold(i, prepared);
                if (!(session.Validity.IsCurrent(prepared) && session.Validity.IsDescribed(prepared)) && !_missing.Contains(prepared))
                    _missing.Add(prepared);
            }
            if (session.Types.NamesToLookUp.Count > 0)
                Detach(session);
        }
    }

    // Close of the statements that no other command holds.
    private sealed class Release(IExecutable command) : IStatementSource
    {
        public void Write(CommandExchange exchange)
        {
            var session = exchange.Session;
            var statements = command.Plan(session);
            for (var i = 0; i < statements.Length; i++)
            {
                if (statements[i].Prepared is not { } prepared)
                    continue;
                command.Hold(i, null);
                if (prepared.Holders == 0 && session.Statements.Contains(prepared))
                    session.Statements.Remove(prepared);
            }
            exchange.Query.AddCloses(goOn: true);
        }
    }
}
