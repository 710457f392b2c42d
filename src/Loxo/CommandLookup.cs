using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Asks the server what has to be known before a command can be written: the types of its parameters, or its columns. The session is claimed for that command.
/// </summary>
internal static class CommandLookup
{
    /// <summary>Claims the session for the lookup alone; blocking.</summary>
    public static void LookUpAlone(ServerSession session, IExecutable command)
    {
        session.Claim(command.Connection);
        LookUp(session, command);
        EndAlone(session, command);
    }

    /// <inheritdoc cref="LookUpAlone"/>
    public static async ValueTask LookUpAloneAsync(ServerSession session, IExecutable command, CancellationToken token)
    {
        await session.ClaimAsync(command.Connection).ConfigureAwait(false);
        await LookUpAsync(session, command, token).ConfigureAwait(false);
        EndAlone(session, command);
    }

    /// <summary>Looks them up on a claimed session; blocking. If that fails, the session is given back.</summary>
    public static void LookUp(ServerSession session, IExecutable command)
    {
        Start(session, command);
        var position = session.Output.Position;
        Exchange lookup;
        try
        {
            lookup = Lookup(session);
            session.Pump(lookup, command.TimeoutMilliseconds);
        }
        catch
        {
            GiveUp(session, command, position);
            throw;
        }
        End(session, command, lookup, CancellationToken.None);
    }

    /// <inheritdoc cref="LookUp"/>
    public static async ValueTask LookUpAsync(ServerSession session, IExecutable command, CancellationToken token)
    {
        Start(session, command);
        var position = session.Output.Position;
        Exchange lookup;
        try
        {
            lookup = Lookup(session);
            await session.PumpAsync(lookup, command.TimeoutMilliseconds, token).ConfigureAwait(false);
        }
        catch
        {
            GiveUp(session, command, position);
            throw;
        }
        End(session, command, lookup, token);
    }

    private static Exchange Lookup(ServerSession session) => session.Query.WantedColumns is { } statement
        ? new ColumnLookup(session, statement.Sql, statement.Types)
        : new TypeLookup(session, session.TransactionStatus, [], session.Types.Wanted);

    // From here on the command can be cancelled.
    private static void Start(ServerSession session, IExecutable command)
    {
        ref var execution = ref command.Execution;
        execution.Number = session.CommandNumber;
        execution.Session = session;
    }

    // A name that cannot be sent, for one, has been written in part.
    private static void GiveUp(ServerSession session, IExecutable command, long position)
    {
        Stop(session, command);
        session.GiveBack(position);
    }

    private static void EndAlone(ServerSession session, IExecutable command)
    {
        command.Execution.Session = null;
        session.End();
    }

    private static void Stop(ServerSession session, IExecutable command)
    {
        command.Execution.Session = null;
        session.Types.Written();
    }

    // If the command was to be stopped during the lookup, nothing is sent. A transaction that failed with the question cannot run the statement.
    private static void End(ServerSession session, IExecutable command, Exchange lookup, CancellationToken token)
    {
        var reason = session.StopReason;
        if (lookup is ColumnLookup && reason == StopReason.None)
            command.Plan(session)[0].Source.AreColumnsKnown = true;
        var refused = lookup is ColumnLookup { Error: { } error } && session.TransactionStatus == TransactionStatus.Failed ? error : null;
        if (reason == StopReason.None && refused is null)
            return;
        Stop(session, command);
        session.End();
        throw refused is null ? SessionErrors.StoppedBefore(reason, token) : CommandRunner.ErrorOf(session, refused, reason, token);
    }
}
