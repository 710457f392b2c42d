using System.Diagnostics;
using System.Globalization;
using System.Text;
using Loxo.Embedded.Binaries;
using Loxo.Embedded.Storage;

namespace Loxo.Embedded.Processes;

/// <summary>
/// Starts and stops the server of a workspace through pg_ctl, which knows when it is ready and how to be no administrator on Windows.
/// </summary>
internal sealed class Postmaster(PgBinaries binaries, Workspace workspace, ServerUser? user, TimeSpan startTimeout)
{
    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(30);

    private const int LogTail = 4000;

    public string LogFile => Path.Combine(workspace.Directory, "server.log");

    /// <summary>The process id in the data directory, or 0 when no server runs.</summary>
    public int ProcessId => PidFile.Read(workspace.DataDirectory)?.ProcessId ?? 0;

    /// <summary>Starts the server and waits until it accepts connections.</summary>
    /// <returns>False when its port was taken; it does not run then.</returns>
    /// <exception cref="PgEmbeddedServerException">It did not start. The message holds the end of its log.</exception>
    public bool TryStart(CancellationToken token)
    {
        var waited = Stopwatch.StartNew();
        while (true)
        {
            var before = LogLength();
            var seconds = Math.Ceiling(startTimeout.TotalSeconds).ToString(CultureInfo.InvariantCulture);
            var result = PgCtl(startTimeout, "start", "-w", "-s", "-t", seconds, "-l", LogFile).Run(token);
            var log = LogFrom(before);
            if (log.Contains("could not bind", StringComparison.Ordinal))
            {
                if (result.Succeeded) // one of its addresses was free
                    Stop(PgStopMode.Immediate);
                return false;
            }
            if (result.Succeeded)
                return true;

            // After a kill, the kernel counts the dead processes as users of the shared memory for a moment (sysv_shmem.c).
            if (!log.Contains("is still in use", StringComparison.Ordinal) || waited.Elapsed > startTimeout)
                throw new PgEmbeddedServerException(
                    $"PostgreSQL {binaries.Version} did not start within {startTimeout}: {result.Output}\n{Tail(log)}");
            Thread.Sleep(50);
        }
    }

    public void Stop(PgStopMode mode)
    {
        if (!Survivor.Runs(workspace.DataDirectory))
        {
            ForgetDeadServer();
            return;
        }
        var seconds = StopTimeout.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        var result = PgCtl(StopTimeout, "stop", "-w", "-s", "-t", seconds, "-m", mode.ToString().ToLowerInvariant()).Run();
        if (!result.Succeeded && Survivor.Runs(workspace.DataDirectory))
            throw new PgEmbeddedServerException($"The server did not stop within {StopTimeout}: {result.Output}\n{Tail(LogFrom(0))}");
    }

    public void Reload()
    {
        var result = PgCtl(StopTimeout, "reload", "-s").Run();
        if (!result.Succeeded)
            throw new PgEmbeddedServerException($"The server could not be told to read its settings again: {result.Output}");
    }

    public void Kill()
    {
        if (!Survivor.Kill(workspace.DataDirectory))
            throw new PgEmbeddedServerException($"The server's process {ProcessId} could not be killed.");
        ForgetDeadServer();
    }

    // Where nobody reaps the dead process, or its id is in use again, the next start would take these files for a running server's.
    private void ForgetDeadServer()
    {
        FileTree.TryDeleteFile(PidFile.PathIn(workspace.DataDirectory));
        foreach (var socketLock in Directory.GetFiles(workspace.Directory, ".s.PGSQL.*.lock"))
            FileTree.TryDeleteFile(socketLock);
    }

    // pg_ctl limits its own wait; ours only guards against one that hangs.
    private Command PgCtl(TimeSpan timeout, params string[] arguments) =>
        new(binaries.Program("pg_ctl"), [.. arguments, "-D", workspace.DataDirectory])
    {
        WorkingDirectory = workspace.Directory,
        Timeout = timeout + TimeSpan.FromSeconds(10),
        UserName = user?.Name,
        Environment = binaries.ServerEnvironment(),
        Capture = !OperatingSystem.IsWindows(),
    };

    private long LogLength() => new FileInfo(LogFile) is { Exists: true } file ? file.Length : 0;

    private string LogFrom(long position)
    {
        if (!File.Exists(LogFile))
            return "";
        using var stream = new FileStream(LogFile, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        stream.Position = position;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd();
    }

    private static string Tail(string log) => log.Length <= LogTail ? log : "..." + log[^LogTail..];
}
