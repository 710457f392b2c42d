using System.Diagnostics;
using System.Text;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>A program in front of <see cref="TestServer.Default"/>, in a temporary folder, as an unprivileged user.</summary>
internal abstract class PoolerProcess : IDisposable
{
    private readonly StringBuilder _log = new();
    private Process? _process;

    protected PoolerProcess() => AppDomain.CurrentDomain.ProcessExit += Kill;

    public int Port { get; } = FreePort.Next();

    /// <summary>Where its files are: it may write there.</summary>
    protected string Folder { get; } = Directory.CreateTempSubdirectory("loxo-pooler-").FullName;

    /// <summary>The shared server's, with another port.</summary>
    public string ConnectionString => $"{TestServer.Default.ConnectionString};Host=127.0.0.1;Port={Port};SSL Mode=Disable";

    /// <summary>The program with its arguments, once its files are written.</summary>
    protected abstract ProcessStartInfo Command { get; }

    /// <summary>Starts it, or starts it again at the same port; returns when it listens.</summary>
    public void Start()
    {
        var start = Command;
        start.RedirectStandardError = start.RedirectStandardOutput = true;
        start.WorkingDirectory = Folder;
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(Folder, (UnixFileMode)Convert.ToInt32("777", 8));
        if (Environment.IsPrivilegedProcess)
            start.UserName = "nobody"; // the runtime changes the user in the forked child
        _process = new Process { StartInfo = start };
        _process.ErrorDataReceived += (_, line) => Log(line.Data);
        _process.OutputDataReceived += (_, line) => Log(line.Data);
        _process.Start();
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
        while (!FreePort.HasListener(Port))
        {
            if (_process.WaitForExit(20))
                throw new InvalidOperationException($"{start.FileName} did not start: {Output}");
        }
    }

    /// <summary>Ends it with all connections.</summary>
    public void Stop()
    {
        if (_process is null)
            return;
        End(_process);
        _process.WaitForExit();
        _process.Dispose();
        _process = null;
    }

    /// <summary>Leaves it as a machine that is there and does not answer.</summary>
    public void Freeze() => Frozen.Freeze(_process!.Id);

    public void Thaw() => Frozen.Thaw(_process!.Id);

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= Kill;
        Stop();
        Directory.Delete(Folder, recursive: true);
    }

    protected string Write(string name, string text)
    {
        var path = Path.Combine(Folder, name);
        File.WriteAllText(path, text);
        DebianPackage.OpenToAll(path);
        return path;
    }

    protected virtual void End(Process process) => process.Kill();

    private string Output
    {
        get
        {
            lock (_log)
                return _log.ToString();
        }
    }

    private void Log(string? line)
    {
        lock (_log)
            _log.AppendLine(line);
    }

    private void Kill(object? sender, EventArgs e) => _process?.Kill(entireProcessTree: true);
}
