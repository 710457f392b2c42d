using Loxo.Session;

namespace Loxo;

/// <summary>
/// Looks up the types of parameters that were not known when a command was to be written. The session is claimed for that command.
/// </summary>
internal static class TypeResolution
{
    /// <summary>Claims the session for the lookup alone; blocking.</summary>
    public static void LookUpAlone(ServerSession session, IExecutable command)
    {
        session.Claim();
        LookUp(session, command);
        EndAlone(session, command);
    }

    /// <inheritdoc cref="LookUpAlone"/>
    public static async ValueTask LookUpAloneAsync(ServerSession session, IExecutable command, CancellationToken token)
    {
        await session.ClaimAsync().ConfigureAwait(false);
        await LookUpAsync(session, command, token).ConfigureAwait(false);
        EndAlone(session, command);
    }

    /// <summary>Looks them up on a claimed session; blocking. If that fails, the session is given back.</summary>
    public static void LookUp(ServerSession session, IExecutable command)
    {
        Start(session, command);
        var position = session.Output.Position;
        try
        {
            session.Pump(Lookup(session), command.TimeoutMilliseconds);
        }
        catch
        {
            GiveUp(session, command, position);
            throw;
        }
        End(session, command, CancellationToken.None);
    }

    /// <inheritdoc cref="LookUp"/>
    public static async ValueTask LookUpAsync(ServerSession session, IExecutable command, CancellationToken token)
    {
        Start(session, command);
        var position = session.Output.Position;
        try
        {
            await session.PumpAsync(Lookup(session), command.TimeoutMilliseconds, token).ConfigureAwait(false);
        }
        catch
        {
            GiveUp(session, command, position);
            throw;
        }
        End(session, command, token);
    }

    private static TypeLookup Lookup(ServerSession session) => new(session, session.TransactionStatus, [], session.Types.Wanted);

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

    // A wish to stop ends the command here, before it was sent.
    private static void End(ServerSession session, IExecutable command, CancellationToken token)
    {
        if (session.StopReason == StopReason.None)
            return;
        Stop(session, command);
        var reason = session.StopReason;
        session.End();
        throw SessionErrors.StoppedBefore(reason, token);
    }
}
