using Loxo.Session;

namespace Loxo;

/// <summary>Looks up the types of parameters that were not known when a command was to be written. The session has been begun for that command.</summary>
internal static class TypeResolution
{
    /// <summary>Blocking.</summary>
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

    /// <summary>Asynchronous.</summary>
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
        if (session.State == SessionState.Broken)
            return;
        session.Output.Rewind(position);
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
