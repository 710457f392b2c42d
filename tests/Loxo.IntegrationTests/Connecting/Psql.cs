using System.Diagnostics;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>psql, and with it libpq: what comes of a connection when the original opens it.</summary>
internal static class Psql
{
    /// <summary>What both drivers report of a connection.</summary>
    public const string Facts = "SELECT concat_ws(E'\\x01', current_user, current_database(), inet_server_port(), host(inet_server_addr()), "
        + "current_setting('application_name'), current_setting('TimeZone'), current_setting('DateStyle'), current_setting('geqo'), current_setting('work_mem'))";

    /// <summary>Where it is installed; null if it is not.</summary>
    public static string? Path { get; } = Directory.Exists("/usr/lib/postgresql")
        ? Directory.GetDirectories("/usr/lib/postgresql").Select(version => System.IO.Path.Combine(version, "bin", "psql")).Where(File.Exists).Max()
        : null;

    /// <summary>The facts, or null if it could not connect.</summary>
    /// <param name="uri">What to connect to; null for the environment alone.</param>
    /// <param name="environment">All variables that libpq looks at.</param>
    public static string? Connect(string? uri, IReadOnlyDictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(Path!, ["-X", "-A", "-t", "-w", "-c", Facts, .. uri is null ? Array.Empty<string>() : [uri]])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        foreach (var name in start.Environment.Keys.Where(name => name.StartsWith("PG", StringComparison.Ordinal)).ToList())
            start.Environment.Remove(name);
        start.Environment["HOME"] = "/nonexistent";
        start.Environment["LC_ALL"] = "C.UTF-8";
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        process.StandardInput.Close();
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        _ = errors.Result;
        return process.ExitCode == 0 ? output.TrimEnd('\n') : null;
    }
}
