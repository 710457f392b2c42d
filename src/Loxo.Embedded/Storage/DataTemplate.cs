using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Loxo.Embedded.Binaries;
using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Storage;

/// <summary>
/// The data directory that a new server starts from: made once for each server version and each set of options that initdb sees, then only
/// copied, which takes a tenth of the time.
/// </summary>
internal sealed class DataTemplate(CacheDirectory cache, PgBinaries binaries, PgEmbeddedServerOptions options)
{
    // Part of the name: a change in how templates are made must not meet old ones.
    private const string Recipe = "1";

    /// <summary>Puts a fresh data directory into a workspace.</summary>
    /// <exception cref="PgEmbeddedServerException">initdb failed, or one of the initial statements did.</exception>
    public void CopyTo(Workspace workspace, CancellationToken token)
    {
        var template = Path.Combine(cache.Templates, Name());
        if (!Directory.Exists(template))
            Make(template, token);
        Directory.SetLastWriteTimeUtc(template, DateTime.UtcNow); // the sweep removes those that no start has touched for long
        FileTree.Copy(template, workspace.DataDirectory, cache.User);
    }

    private string Name()
    {
        var postgres = new FileInfo(binaries.Postgres);
        string[] ingredients =
        [
            Recipe, binaries.Directory, binaries.VersionText,
            postgres.Length.ToString(CultureInfo.InvariantCulture), postgres.LastWriteTimeUtc.Ticks.ToString(CultureInfo.InvariantCulture),
            options.Superuser, options.Password is null ? "no password" : "password " + options.Password,
            .. options.InitdbArguments, "statements", .. options.InitialStatements,
        ];
        var hash = SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\0', ingredients)));
        return $"{binaries.Version.Major}-{Convert.ToHexStringLower(hash.AsSpan(0, 8))}";
    }

    private void Make(string template, CancellationToken token)
    {
        options.Log?.Invoke($"Making a data directory with PostgreSQL {binaries.Version}");
        using var workspace = cache.Rent();
        cache.User?.Own(workspace.Directory);
        RunInitdb(workspace, token);
        RunInitialStatements(workspace, token);
        FileTree.Publish(workspace.DataDirectory, template);
    }

    private void RunInitdb(Workspace workspace, CancellationToken token)
    {
        List<string> arguments =
            ["-D", workspace.DataDirectory, "-U", options.Superuser, "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
        if (options.Password is not null)
        {
            var file = Path.Combine(workspace.Directory, "password");
            File.WriteAllText(file, options.Password + "\n");
            cache.User?.Own(file);
            arguments.Add($"--pwfile={file}");
        }
        var result = ServerCommand(workspace, "initdb", [.. arguments, .. options.InitdbArguments]).Run(token);
        if (!result.Succeeded)
            throw new PgEmbeddedServerException(
                $"initdb of PostgreSQL {binaries.Version} failed with exit code {result.ExitCode}: {result.Output}");
    }

    private void RunInitialStatements(Workspace workspace, CancellationToken token)
    {
        if (options.InitialStatements.Count == 0)
            return;

        // -j: a command ends at a semicolon followed by an empty line, instead of at every line break (postgres, single-user mode)
        var input = string.Concat(
            options.InitialStatements.Select(statement => statement.ReplaceLineEndings("\n").Trim().TrimEnd(';') + ";\n\n"));
        var single = ServerCommand(workspace, "postgres",
            ["--single", "-j", "-D", workspace.DataDirectory, "-c", "exit_on_error=on", "-c", "fsync=off", "-c", "log_statement=none",
                "postgres"]);
        var result = (single with { Input = input }).Run(token);
        if (!result.Succeeded)
            throw new PgEmbeddedServerException($"One of PgEmbeddedServerOptions.InitialStatements failed: {result.Output}");
    }

    private Command ServerCommand(Workspace workspace, string program, string[] arguments) => new(binaries.Program(program), arguments)
    {
        WorkingDirectory = workspace.Directory,
        Timeout = options.StartTimeout,
        UserName = cache.User?.Name,
        Environment = binaries.ServerEnvironment(),
    };
}
