using System.Text.RegularExpressions;

namespace Loxo.Embedded;

/// <summary>Refuses options that could only fail later and with a worse message.</summary>
internal static partial class OptionsValidation
{
    private static readonly string[] OurSettings = ["port", "unix_socket_directories", "data_directory", "hba_file", "config_file"];

    public static void Check(PgEmbeddedServerOptions options)
    {
        Require(options.Version is null or > 0, nameof(options.Version), "a major version such as 18, or null for any",
            $"{options.Version}");
        Require((options.Acquire & ~PgAcquire.All) == 0, nameof(options.Acquire), "a combination of the values of PgAcquire",
            $"{options.Acquire}");
        Require(options.Port is >= 0 and <= 65535, nameof(options.Port), "0 (any free port) to 65535", $"{options.Port}");
        Require(options.MaxPreparedTransactions >= 0, nameof(options.MaxPreparedTransactions), "0 or more",
            $"{options.MaxPreparedTransactions}");
        Require(options.StartTimeout > TimeSpan.Zero, nameof(options.StartTimeout), "a time above zero", $"{options.StartTimeout}");
        Require(options.AcquireTimeout > TimeSpan.Zero, nameof(options.AcquireTimeout), "a time above zero", $"{options.AcquireTimeout}");
        Require(IsOneLine(options.Superuser), nameof(options.Superuser), "a role name on one line", $"'{options.Superuser}'");
        Require(options.Password is null || IsOneLine(options.Password), nameof(options.Password),
            "one line, or null for none", "something else");
        CheckSettings(options.Settings);
        CheckLines(options);
    }

    /// <summary>
    /// Refuses settings that the file could not hold, or that would turn the server away from what this library knows of it.
    /// </summary>
    public static void CheckSettings(IEnumerable<KeyValuePair<string, string>> settings)
    {
        foreach (var (name, value) in settings)
        {
            Require(SettingName().IsMatch(name), nameof(PgEmbeddedServerOptions.Settings), "names of server settings", $"'{name}'");
            Require(value is not null && !value.AsSpan().ContainsAny('\0', '\n', '\r'), nameof(PgEmbeddedServerOptions.Settings),
                $"a value on one line for {name}", value is null ? "null" : "several lines");
            Require(!OurSettings.Contains(name, StringComparer.OrdinalIgnoreCase), nameof(PgEmbeddedServerOptions.Settings),
                "settings that the embedded server does not choose itself (for the port, set the option Port)", $"'{name}'");
        }
    }

    private static void CheckLines(PgEmbeddedServerOptions options)
    {
        foreach (var line in options.HbaLines)
            Require(IsOneLine(line), nameof(options.HbaLines), "lines of pg_hba.conf, each without a line break", $"'{line}'");
        foreach (var statement in options.InitialStatements)
        {
            // The server in single-user mode (-j) ends a command at a semicolon followed by an empty line.
            var normalized = statement.ReplaceLineEndings("\n").Trim();
            Require(normalized.Length > 0 && !normalized.Contains(";\n\n", StringComparison.Ordinal), nameof(options.InitialStatements),
                "SQL without an empty line after a semicolon", $"'{statement}'");
        }
        foreach (var name in options.Tls?.HostNames ?? [])
            Require(IsOneLine(name), nameof(PgEmbeddedTlsOptions.HostNames), "host names or addresses", $"'{name}'");
    }

    private static bool IsOneLine(string? value) => !string.IsNullOrWhiteSpace(value) && !value.AsSpan().ContainsAny('\0', '\n', '\r');

    private static void Require(bool fulfilled, string option, string expected, string received)
    {
        if (!fulfilled)
            throw new ArgumentException($"PgEmbeddedServerOptions.{option} must be {expected}, but it is {received}.", "options");
    }

    [GeneratedRegex(@"^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*$")]
    private static partial Regex SettingName();
}
