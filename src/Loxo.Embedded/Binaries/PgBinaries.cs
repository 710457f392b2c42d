using System.Globalization;
using System.Text.RegularExpressions;
using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Binaries;

/// <summary>A folder with a server's programs, known to run on this system.</summary>
internal sealed partial record PgBinaries(string Directory, string VersionText, Version Version)
{
    private static readonly TimeSpan ProbeTimeout = TimeSpan.FromSeconds(20);

    public string Postgres => Program("postgres");

    /// <summary>Whether a folder holds the three programs that are needed; they may still not run.</summary>
    public static bool LooksComplete(string directory) =>
        new[] { "postgres", "initdb", "pg_ctl" }.All(name => File.Exists(Path.Combine(directory, FileName(name))));

    /// <summary>Asks the server in a folder for its version.</summary>
    /// <exception cref="PgEmbeddedServerException">It does not run, or is no PostgreSQL.</exception>
    public static PgBinaries Probe(string directory)
    {
        var unknown = new PgBinaries(directory, "", new Version(0, 0));
        var command = new Command(unknown.Postgres, "--version")
        {
            WorkingDirectory = directory,
            Timeout = ProbeTimeout,
            Environment = unknown.ServerEnvironment(),
        };
        var result = command.Run();
        var match = VersionNumber().Match(result.Output);
        if (!result.Succeeded || !match.Success)
            throw new PgEmbeddedServerException($"'{unknown.Postgres} --version' should name a PostgreSQL version, but ended with exit "
                + $"code {result.ExitCode} and said: {result.Output}");

        var minor = match.Groups["minor"];
        return unknown with
        {
            VersionText = result.Output,
            Version = new Version(Number(match.Groups["major"]), minor.Success ? Number(minor) : 0), // a beta has no minor version
        };
    }

    public string Program(string name) => Path.Combine(Directory, FileName(name));

    /// <summary>The variables that the server's programs run with.</summary>
    public Dictionary<string, string?> ServerEnvironment()
    {
        // PGDATA, PGPORT, PGTZ and the like would reach the server as settings; the server must not depend on who starts it.
        var variables = Environment.GetEnvironmentVariables().Keys.Cast<string>()
            .Where(name => name.StartsWith("PG", StringComparison.Ordinal))
            .ToDictionary(name => name, _ => (string?)null, StringComparer.Ordinal);
        variables["LC_ALL"] = "C"; // messages that we read; and macOS needs some locale (postmaster "became multithreaded")
        if (OperatingSystem.IsLinux() && CarriedLibraries() is { } libraries)
            variables["LD_LIBRARY_PATH"] = Environment.GetEnvironmentVariable("LD_LIBRARY_PATH") is { Length: > 0 } inherited
                ? $"{libraries}:{inherited}" : libraries;
        return variables;
    }

    // The npm package carries ICU and OpenSSL beside the server; only some of its files have a run path that finds them.
    private string? CarriedLibraries()
    {
        var root = Path.GetDirectoryName(Directory);
        return root is not null && File.Exists(Path.Combine(root, NpmPackage.SymlinkList)) ? Path.Combine(root, "lib") : null;
    }

    private static string FileName(string program) => OperatingSystem.IsWindows() ? program + ".exe" : program;

    private static int Number(Group group) => int.Parse(group.Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"\(PostgreSQL\) (?<major>\d+)(\.(?<minor>\d+))?")]
    private static partial Regex VersionNumber();
}
