using System.Collections.Concurrent;

namespace Loxo;

/// <summary>
/// The data sources behind <c>new PgConnection(connectionString)</c>: one for each set of settings, however the string spells them. They are kept
/// as long as the process runs.
/// </summary>
internal static class DataSources
{
    private static readonly ConcurrentDictionary<string, PgDataSource> Sources = new(StringComparer.Ordinal);
    private static readonly Lock Making = new();
    private static volatile PgDataSource? _last;

    static DataSources()
    {
        // The server is told, or it would log each connection as lost.
        AppDomain.CurrentDomain.ProcessExit += static (_, _) => ClearAll();
    }

    /// <summary>The one for a string, found by reference if it was the last one asked for, else by value.</summary>
    public static PgDataSource Get(string connectionString)
    {
        var last = _last;
        if (last is not null && ReferenceEquals(last.Settings.ConnectionString, connectionString))
            return last;
        return _last = Sources.TryGetValue(connectionString, out var known) ? known : Make(connectionString);
    }

    /// <summary>Closes all idle connections, and those in use when they come back.</summary>
    public static void ClearAll()
    {
        foreach (var source in Sources.Values)
            source.Clear();
    }

    // One pool for one set of settings, whoever comes first: two would open twice as many connections as allowed.
    private static PgDataSource Make(string connectionString)
    {
        lock (Making)
        {
            if (Sources.TryGetValue(connectionString, out var known))
                return known;
            var canonical = new PgConnectionStringBuilder(connectionString).Canonical();
            if (!Sources.TryGetValue(canonical, out var source))
                Sources[canonical] = source = PgDataSource.Create(connectionString);
            return Sources[connectionString] = source;
        }
    }
}
