using System.Diagnostics;

namespace Loxo.Embedded.Tests;

/// <summary>Processes that start a server (Program.cs) and can be ended in every way.</summary>
internal static class Children
{
    private static string Host =>
        Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet";

    public static Child Start(string cache, string? run = null)
    {
        var info = new ProcessStartInfo(Host) { ArgumentList = { "exec", typeof(Children).Assembly.Location, cache, Servers.Binaries } };
        if (run is not null)
            info.ArgumentList.Add(run);
        return Start(info);
    }

    /// <summary>Starts the process as <c>nohup</c> or a background job of a shell would: with these signals ignored.</summary>
    public static Child StartIgnoring(string signals, string cache) => Start(new ProcessStartInfo("/bin/sh")
    {
        ArgumentList = { "-c", $"trap '' {signals}; exec \"$@\"", "sh", Host, "exec", typeof(Children).Assembly.Location, cache, Servers.Binaries },
    });

    private static Child Start(ProcessStartInfo info)
    {
        info.RedirectStandardInput = info.RedirectStandardOutput = true;
        var process = Process.Start(info)!;
        var directory = process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The child process did not start a server.");
        return new Child(process, directory, int.Parse(process.StandardOutput.ReadLine()!));
    }

    /// <summary>Whether a process runs; one that is dead and only not yet reaped does not.</summary>
    public static bool IsRunning(int processId)
    {
        try
        {
            if (OperatingSystem.IsLinux())
                return File.ReadAllText($"/proc/{processId}/stat").Split(") ")[^1][0] is not ('Z' or 'X');
            using var process = Process.GetProcessById(processId);
            return !process.HasExited;
        }
        catch (Exception error) when (error is IOException or ArgumentException)
        {
            return false;
        }
    }
}

internal sealed record Child(Process Process, string DataDirectory, int ServerProcess) : IDisposable
{
    public void EndByItself()
    {
        Process.StandardInput.Close();
        Process.WaitForExit();
    }

    public void Dispose()
    {
        if (!Process.HasExited)
            Process.Kill();
        Process.Dispose();
    }
}
