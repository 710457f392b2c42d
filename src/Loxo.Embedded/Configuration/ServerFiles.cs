using System.Globalization;
using System.Text;

namespace Loxo.Embedded.Configuration;

/// <summary>Writes postgresql.conf and pg_hba.conf of a data directory.</summary>
internal static class ServerFiles
{
    /// <summary>Appends our settings to the file that initdb wrote: the last line for a setting wins.</summary>
    public static void AppendSettings(string dataDirectory, IEnumerable<KeyValuePair<string, string>> settings)
    {
        var text = new StringBuilder("\n# The settings of the embedded server.\n");
        foreach (var (name, value) in settings)
            text.Append(CultureInfo.InvariantCulture, $"{name} = '{Escape(value)}'\n");
        File.AppendAllText(Path.Combine(dataDirectory, "postgresql.conf"), text.ToString());
    }

    public static void WriteHba(string dataDirectory, PgEmbeddedServerOptions options)
    {
        var method = options.Password is null ? "trust" : "scram-sha-256";
        var text = new StringBuilder();
        foreach (var line in options.HbaLines)
            text.Append(line).Append('\n');
        if (!OperatingSystem.IsWindows()) // where the server may know no such lines
            text.Append(CultureInfo.InvariantCulture, $"local all,replication all {method}\n");
        text.Append(CultureInfo.InvariantCulture, $"host all,replication all 127.0.0.1/32 {method}\n");
        text.Append(CultureInfo.InvariantCulture, $"host all,replication all ::1/128 {method}\n");
        File.WriteAllText(Path.Combine(dataDirectory, "pg_hba.conf"), text.ToString());
    }

    /// <summary>The settings that follow from the options, in the order of precedence: the last one wins.</summary>
    public static IEnumerable<KeyValuePair<string, string>> SettingsFor(PgEmbeddedServerOptions options, string socketDirectory)
    {
        yield return new("listen_addresses", string.Join(",", PortChooser.LocalAddresses));
        yield return new("unix_socket_directories", OperatingSystem.IsWindows() ? "" : socketDirectory);
        // Nothing here has to survive a crash of the machine.
        yield return new("fsync", "off");
        yield return new("synchronous_commit", "off");
        yield return new("full_page_writes", "off");
        // In files of the data directory, so that a killed server leaves no segments of shared memory behind.
        if (!OperatingSystem.IsWindows())
            yield return new("dynamic_shared_memory_type", "mmap");
        // The same answers on every machine.
        yield return new("lc_messages", "C");
        yield return new("timezone", "UTC");
        yield return new("log_timezone", "UTC");
        if (options.WalLevel is { } level)
            yield return new("wal_level", level.ToString().ToLowerInvariant());
        if (options.WalLevel is PgWalLevel.Minimal)
            yield return new("max_wal_senders", "0");
        yield return new("max_prepared_transactions", options.MaxPreparedTransactions.ToString(CultureInfo.InvariantCulture));
        foreach (var setting in options.Settings)
            yield return setting;
    }

    // Inside quotes the file knows backslash escapes besides the doubled quote (guc-file.l).
    private static string Escape(string value) =>
        value.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal);
}
