using System.Runtime.InteropServices;

namespace Loxo.Embedded;

/// <summary>
/// Disposes the servers that still run when the process ends. A process that is killed outright leaves them to the next start.
/// </summary>
internal static class ExitGuard
{
    private static readonly Lock Gate = new();
    private static readonly HashSet<PgEmbeddedServer> Running = [];
    private static readonly List<PosixSignalRegistration> Signals = [];

    public static void Watch(PgEmbeddedServer server)
    {
        lock (Gate)
        {
            if (Signals.Count == 0)
                Register();
            Running.Add(server);
        }
    }

    public static void Forget(PgEmbeddedServer server)
    {
        lock (Gate)
            Running.Remove(server);
    }

    private static void Register()
    {
        AppDomain.CurrentDomain.ProcessExit += (_, _) => DisposeAll();
        // A signal that nobody handles ends the process without ProcessExit. One that somebody handles and cancels does not end it: those
        // registered after us have been asked before us.
        foreach (var signal in new[] { PosixSignal.SIGTERM, PosixSignal.SIGINT, PosixSignal.SIGHUP, PosixSignal.SIGQUIT })
            Signals.Add(PosixSignalRegistration.Create(signal, context => DisposeUnless(context.Cancel)));
    }

    private static void DisposeUnless(bool cancelled)
    {
        if (!cancelled)
            DisposeAll();
    }

    private static void DisposeAll()
    {
        PgEmbeddedServer[] servers;
        lock (Gate)
            servers = [.. Running];
        foreach (var server in servers)
            DisposeQuietly(server);
    }

    private static void DisposeQuietly(PgEmbeddedServer server)
    {
        try
        {
            server.Dispose();
        }
        catch (PgEmbeddedServerException)
        {
            // The process is ending, nobody is left to tell; the next start sweeps.
        }
    }
}
