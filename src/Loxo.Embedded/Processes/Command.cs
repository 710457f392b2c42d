using System.ComponentModel;
using System.Diagnostics;
using System.Text;

namespace Loxo.Embedded.Processes;

/// <summary>One program to run to its end: what, where, as whom and for how long.</summary>
internal sealed record Command(string FileName, params IReadOnlyList<string> Arguments)
{
    // How long the readers may go on after the program's end: a grandchild can hold its pipes open for ever.
    private static readonly TimeSpan PipeGrace = TimeSpan.FromSeconds(2);

    public required string WorkingDirectory { get; init; }

    public required TimeSpan Timeout { get; init; }

    /// <summary>The user to run as; null is the user of this process.</summary>
    public string? UserName { get; init; }

    /// <summary>Variables to set, or to remove where the value is null.</summary>
    public IReadOnlyDictionary<string, string?> Environment { get; init; } = new Dictionary<string, string?>();

    /// <summary>What the program reads from its standard input; null is nothing.</summary>
    public string? Input { get; init; }

    /// <summary>Whether the output is wanted. A server started on Windows inherits the pipes, and reading them would never end.</summary>
    public bool Capture { get; init; } = true;

    /// <summary>Runs the program, blocking. It never touches the thread pool: it may be called while that is starved.</summary>
    /// <exception cref="PgEmbeddedServerException">The program is not there, may not be run, or did not end in time.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; the program was killed.</exception>
    public CommandResult Run(CancellationToken token = default)
    {
        token.ThrowIfCancellationRequested();
        using var process = Launch();
        var output = new StringBuilder();
        Thread[] readers = Capture ? [Drain(process.StandardOutput, output), Drain(process.StandardError, output)] : [];
        var ended = false;
        using (token.Register(() => Kill(process)))
        {
            Feed(process);
            ended = process.WaitForExit(Timeout);
        }
        if (!ended)
            Kill(process);
        token.ThrowIfCancellationRequested();

        foreach (var reader in readers)
            reader.Join(PipeGrace);
        lock (output)
        {
            return ended
                ? new CommandResult(process.ExitCode, output.ToString().Trim())
                : throw new PgEmbeddedServerException($"'{FileName}' did not end within {Timeout} and was killed. Its output: {output}");
        }
    }

    private Process Launch()
    {
        try
        {
            return Process.Start(StartInfo())!;
        }
        catch (Win32Exception error)
        {
            var user = UserName is null ? "" : $" as the user '{UserName}'";
            throw new PgEmbeddedServerException($"'{FileName}' could not be run{user}: {error.Message}. It must exist, be executable and "
                + "lie in folders that this user may enter.", error);
        }
    }

    private ProcessStartInfo StartInfo()
    {
        var info = new ProcessStartInfo(FileName, Arguments)
        {
            WorkingDirectory = WorkingDirectory,
            RedirectStandardInput = true,
            StandardInputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
            RedirectStandardOutput = Capture,
            RedirectStandardError = Capture,
            CreateNoWindow = true,
        };
        // On Unix the runtime calls setgroups, setgid and setuid in the forked child: root needs no helper program.
        if (UserName is not null)
            info.UserName = UserName;
        foreach (var (name, value) in Environment)
            info.Environment[name] = value;
        return info;
    }

    private void Feed(Process process)
    {
        try
        {
            process.StandardInput.Write(Input);
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // The program ended before it read everything; its exit code tells more.
        }
    }

    private static Thread Drain(StreamReader reader, StringBuilder output)
    {
        var thread = new Thread(() =>
        {
            while (TryReadLine(reader) is { } line)
            {
                lock (output)
                    output.Append(line).Append('\n');
            }
        })
        {
            IsBackground = true,
            Name = "Loxo.Embedded output",
        };
        thread.Start();
        return thread;
    }

    private static string? TryReadLine(StreamReader reader)
    {
        try
        {
            return reader.ReadLine();
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            return null;
        }
    }

    private static void Kill(Process process)
    {
        try
        {
            process.Kill(entireProcessTree: true);
        }
        catch (Exception error) when (error is InvalidOperationException or Win32Exception)
        {
            // It has ended meanwhile.
        }
    }
}

internal readonly record struct CommandResult(int ExitCode, string Output)
{
    public bool Succeeded => ExitCode == 0;
}
