using System.ComponentModel;
using System.Diagnostics;

namespace Loxo.Embedded.Processes;

/// <summary>Finds and kills a server, with everything it started, by the process id in its data directory.</summary>
internal static class Survivor
{
    // A process id is reused sooner or later; off Linux, the start time must agree as well. The server notes it a moment after its start.
    private static readonly TimeSpan StartTolerance = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>Kills the server of a data directory if it runs, and waits until it is gone.</summary>
    /// <returns>Whether no server runs there any more.</returns>
    public static bool Kill(string dataDirectory)
    {
        if (PidFile.Read(dataDirectory) is not { } file || !IsServerOf(file, dataDirectory))
            return true;

        try
        {
            using var process = Process.GetProcessById(file.ProcessId);
            process.Kill(entireProcessTree: true);
        }
        catch (Exception error) when (error is ArgumentException or InvalidOperationException or Win32Exception)
        {
            // It has ended meanwhile, or may not be killed: the wait below tells which.
        }
        var waited = Stopwatch.StartNew();
        while (IsRunning(file.ProcessId) && waited.Elapsed < Patience)
            Thread.Sleep(5);
        return !IsRunning(file.ProcessId);
    }

    /// <summary>Whether the server of a data directory runs; a file that a crash left behind does not count.</summary>
    public static bool Runs(string dataDirectory) =>
        PidFile.Read(dataDirectory) is { } file && IsServerOf(file, dataDirectory) && IsRunning(file.ProcessId);

    private static bool IsServerOf(PidFile file, string dataDirectory)
    {
        try
        {
            if (OperatingSystem.IsLinux())
                return File.ReadAllText($"/proc/{file.ProcessId}/cmdline").Split('\0').Contains(dataDirectory, StringComparer.Ordinal);
            using var process = Process.GetProcessById(file.ProcessId);
            return process.ProcessName.StartsWith("postgres", StringComparison.OrdinalIgnoreCase)
                && (process.StartTime.ToUniversalTime() - file.StartTime.UtcDateTime).Duration() < StartTolerance;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException or InvalidOperationException
            or Win32Exception)
        {
            return false;
        }
    }

    private static bool IsRunning(int processId)
    {
        try
        {
            // Where the first process of a container does not reap, a dead server stays as a zombie, which still counts as a process.
            if (OperatingSystem.IsLinux())
                return File.ReadAllText($"/proc/{processId}/stat").Split(") ")[^1][0] is not ('Z' or 'X');
            using var process = Process.GetProcessById(processId);
            return !process.HasExited;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException or InvalidOperationException
            or Win32Exception)
        {
            return false;
        }
    }
}
