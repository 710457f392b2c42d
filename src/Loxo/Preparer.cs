using System.Data;
using Loxo.Session;

namespace Loxo;

/// <summary>Explicit preparation: what the session does not know yet is parsed and described, in one round trip.</summary>
internal static class Preparer
{
    public static void Prepare(IExecutable command)
    {
        var session = SessionOf(command);
        var missing = Match(command, session);
        if (session.Types.Wanted.Count > 0)
        {
            Detach(command, session, missing);
            CommandLookup.LookUpAlone(session, command);
            missing = Match(command, session);
            session.Types.Written();
        }
        if (missing.Count == 0)
            return;
        try
        {
            CommandRunner.Begin(session, command, CommandBehavior.SchemaOnly, _ => Write(session, missing));
            session.Query.SkipResults = true;
            session.Pump(session.Query, command.TimeoutMilliseconds);
            if (MustRepeat(command, session, CommandRunner.End(command, session, CancellationToken.None)))
                Prepare(command);
            else if (UnknownTypes(session, missing) is { Count: > 0 } unknown)
                LookUp(session, missing, unknown, command);
        }
        catch
        {
            Detach(command, session, missing);
            throw;
        }
    }

    public static async Task PrepareAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var session = SessionOf(command);
        var missing = Match(command, session);
        if (session.Types.Wanted.Count > 0)
        {
            Detach(command, session, missing);
            await CommandLookup.LookUpAloneAsync(session, command, token).ConfigureAwait(false);
            missing = Match(command, session);
            session.Types.Written();
        }
        if (missing.Count == 0)
            return;
        try
        {
            await CommandRunner.BeginAsync(session, command, CommandBehavior.SchemaOnly, token, _ => Write(session, missing)).ConfigureAwait(false);
            session.Query.SkipResults = true;
            await session.PumpAsync(session.Query, command.TimeoutMilliseconds, token).ConfigureAwait(false);
            if (MustRepeat(command, session, CommandRunner.End(command, session, token)))
                await PrepareAsync(command, token).ConfigureAwait(false);
            else if (UnknownTypes(session, missing) is { Count: > 0 } unknown)
                await LookUpAsync(session, missing, unknown, command, token).ConfigureAwait(false);
        }
        catch
        {
            Detach(command, session, missing);
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
        await CommandRunner.BeginAsync(session, command, CommandBehavior.Default, token, _ => WriteClose(command, session)).ConfigureAwait(false);
        await session.PumpAsync(session.Query, command.TimeoutMilliseconds, token).ConfigureAwait(false);
        Check(CommandRunner.End(command, session, token));
    }

    private static ServerSession SessionOf(IExecutable command)
    {
        if (command.DataSource is not null)
            throw new NotSupportedException("A command of a data source runs on another connection each time and cannot be prepared by itself.");
        var connection = command.Connection ?? throw new InvalidOperationException("There is no connection to prepare on: set Connection.");
        var session = connection.OpenSession();
        PoolerRules.CheckPrepare(session);
        return session;
    }

    // Attaches to each statement its prepared one and returns those that the server does not know; the same text twice is prepared once.
    private static List<CachedStatement> Match(IExecutable command, ServerSession session)
    {
        var missing = new List<CachedStatement>();
        foreach (var statement in command.Plan(session))
        {
            statement.BindTypes(session.Types);
            var prepared = statement.Prepared = session.Statements.Hold(statement.Sql, statement.Types);
            if (!(session.Query.IsCurrent(prepared) && session.Query.IsDescribed(prepared)) && !missing.Contains(prepared))
                missing.Add(prepared);
        }
        return missing;
    }

    // Columns of types that nobody knows would be asked for as text from now on.
    private static HashSet<uint> UnknownTypes(ServerSession session, List<CachedStatement> prepared) =>
        session.Types.HasCatalogue ? [.. prepared.SelectMany(statement => statement.Shape?.UnknownTypes ?? [])] : [];

    private static void LookUp(ServerSession session, List<CachedStatement> prepared, HashSet<uint> unknown, IExecutable command)
    {
        session.Pump(session.Begin(command.Connection, Lookup, unknown), command.TimeoutMilliseconds);
        DescribeAnew(session, prepared);
    }

    private static async ValueTask LookUpAsync(ServerSession session, List<CachedStatement> prepared, HashSet<uint> unknown, IExecutable command, CancellationToken token)
    {
        var lookup = await session.BeginAsync(command.Connection, Lookup, unknown).ConfigureAwait(false);
        await session.PumpAsync(lookup, command.TimeoutMilliseconds, token).ConfigureAwait(false);
        DescribeAnew(session, prepared);
    }

    private static TypeLookup Lookup(ServerSession session, HashSet<uint> unknown) => new(session, session.TransactionStatus, unknown, []);

    private static void DescribeAnew(ServerSession session, List<CachedStatement> prepared)
    {
        session.Types.Written();
        session.End();
        foreach (var statement in prepared)
        {
            if (statement.Shape is { } shape)
                statement.Describe(shape.With(session.Types.Known).AsWanted(), session.Types.Stamp);
        }
    }

    private static void Write(ServerSession session, List<CachedStatement> missing)
    {
        foreach (var statement in missing)
            session.Query.AddPreparation(statement);
    }

    private static void WriteClose(IExecutable command, ServerSession session)
    {
        foreach (var statement in command.Plan(session))
        {
            if (statement.Prepared is not { } prepared)
                continue;
            statement.Prepared = null;
            if (prepared.Holders == 0 && session.Statements.Contains(prepared))
                session.Statements.Remove(prepared);
        }
        session.Query.AddCloses(goOn: true);
    }

    private static void Detach(IExecutable command, ServerSession session, List<CachedStatement> missing)
    {
        foreach (var statement in command.Plan(session))
            statement.Prepared = null;
        foreach (var statement in missing)
        {
            if (statement is { Holders: 0, IsDescribed: false })
                session.Statements.Remove(statement);
        }
    }

    // Another client of a pooler had prepared the same statement in this server process: it is only described then.
    private static bool MustRepeat(IExecutable command, ServerSession session, Exception? error)
    {
        if (error is null)
            return false;
        if (!RunAgain.IsPossible(session))
            throw error;
        RunAgain.GetReady(session, command.Connection!);
        return true;
    }

    private static void Check(Exception? error)
    {
        if (error is not null)
            throw error;
    }
}
