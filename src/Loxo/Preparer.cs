using System.Data;
using Loxo.Session;

namespace Loxo;

/// <summary>Explicit preparation: what the session does not know yet is parsed and described, in one round trip.</summary>
internal static class Preparer
{
    public static void Prepare(IExecutable command)
    {
        var session = SessionOf(command);
        if (Match(command, session) is not { Count: > 0 } missing)
            return;
        try
        {
            CommandRunner.Begin(session, command, CommandBehavior.SchemaOnly, _ => Write(session, missing));
            session.Query.SkipResults = true;
            session.Pump(session.Query, command.TimeoutMilliseconds);
            Keep(command, session, missing, CancellationToken.None);
        }
        catch
        {
            Detach(command, session);
            throw;
        }
    }

    public static async Task PrepareAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var session = SessionOf(command);
        if (Match(command, session) is not { Count: > 0 } missing)
            return;
        try
        {
            await CommandRunner.BeginAsync(session, command, CommandBehavior.SchemaOnly, _ => Write(session, missing)).ConfigureAwait(false);
            session.Query.SkipResults = true;
            await session.PumpAsync(session.Query, command.TimeoutMilliseconds, token).ConfigureAwait(false);
            Keep(command, session, missing, token);
        }
        catch
        {
            Detach(command, session);
            throw;
        }
    }

    public static void Unprepare(IExecutable command)
    {
        var session = SessionOf(command);
        CommandRunner.Begin(session, command, CommandBehavior.Default, _ => WriteClose(command, session));
        session.Pump(session.Query, command.TimeoutMilliseconds);
        Check(CommandRunner.End(command, session, CancellationToken.None));
    }

    public static async Task UnprepareAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var session = SessionOf(command);
        await CommandRunner.BeginAsync(session, command, CommandBehavior.Default, _ => WriteClose(command, session)).ConfigureAwait(false);
        await session.PumpAsync(session.Query, command.TimeoutMilliseconds, token).ConfigureAwait(false);
        Check(CommandRunner.End(command, session, token));
    }

    private static ServerSession SessionOf(IExecutable command) => command.DataSource is not null
        ? throw new NotSupportedException("A command of a data source runs on another connection each time and cannot be prepared by itself.")
        : (command.Connection ?? throw new InvalidOperationException("There is no connection to prepare on: set Connection.")).OpenSession();

    // Attaches to each statement its prepared one and returns those that are new; the same text twice is prepared once.
    private static List<PreparedStatement> Match(IExecutable command, ServerSession session)
    {
        var missing = new List<PreparedStatement>();
        foreach (var statement in command.Plan(session))
        {
            statement.BindTypes();
            statement.Prepared = session.Statements.Find(statement.Sql, statement.Types)
                ?? missing.Find(other => other.Sql == statement.Sql && statement.Fits(other));
            if (statement.Prepared is null)
                missing.Add(statement.Prepared = session.Statements.Create(statement.Sql, statement.Types));
        }
        return missing;
    }

    private static void Write(ServerSession session, List<PreparedStatement> missing)
    {
        foreach (var statement in missing)
            session.Query.AddPreparation(statement);
    }

    private static void Keep(IExecutable command, ServerSession session, List<PreparedStatement> prepared, CancellationToken token)
    {
        Check(CommandRunner.End(command, session, token));
        foreach (var statement in prepared)
            session.Statements.Add(statement);
    }

    private static void WriteClose(IExecutable command, ServerSession session)
    {
        foreach (var statement in command.Plan(session))
        {
            if (statement.Prepared is not { IsValid: true } prepared)
                continue;
            statement.Prepared = null;
            if (prepared.Holders > 0)
                continue;
            session.Query.AddClose(prepared);
            session.Statements.Remove(prepared);
        }
    }

    private static void Detach(IExecutable command, ServerSession session)
    {
        foreach (var statement in command.Plan(session))
            statement.Prepared = null;
    }

    private static void Check(Exception? error)
    {
        if (error is not null)
            throw error;
    }
}
