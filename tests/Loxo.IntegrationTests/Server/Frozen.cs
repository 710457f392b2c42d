using System.Runtime.InteropServices;

namespace Loxo.IntegrationTests.Server;

/// <summary>Stops processes as SIGSTOP does, on Linux: they are still there, and do not answer.</summary>
internal static partial class Frozen
{
    private const int Continue = 18, Pause = 19; // SIGCONT and SIGSTOP

    public static void Freeze(int process) => Signal(process, Pause);

    public static void Thaw(int process) => Signal(process, Continue);

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Signal(int process, int signal);
}
