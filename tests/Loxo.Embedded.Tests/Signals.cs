using System.Runtime.InteropServices;

namespace Loxo.Embedded.Tests;

/// <summary>
/// Signal dispositions of this process. <c>nohup</c> starts a process with SIGHUP ignored, and a shell starts a background job with SIGINT and
/// SIGQUIT ignored; children inherit that, and .NET leaves ignored signals ignored.
/// </summary>
internal static partial class Signals
{
    private const nint Default = 0; // SIG_DFL
    private const nint Failed = -1; // SIG_ERR

    // The same numbers on Linux and macOS.
    private static readonly int[] Ending = [1 /* SIGHUP */, 2 /* SIGINT */, 3 /* SIGQUIT */, 15 /* SIGTERM */];

    /// <summary>Lets the signals that end a process end this one. Call it before anything registers a signal handler.</summary>
    public static void RestoreDefaults()
    {
        if (OperatingSystem.IsWindows())
            return;
        foreach (var signal in Ending)
        {
            if (SetHandler(signal, Default) == Failed)
                throw new InvalidOperationException($"Signal {signal} could not be reset: error {Marshal.GetLastPInvokeError()}.");
        }
    }

    [LibraryImport("libc", EntryPoint = "signal", SetLastError = true)]
    private static partial nint SetHandler(int signal, nint handler);
}
