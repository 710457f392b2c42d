using System.Collections.Concurrent;

namespace Loxo;

/// <summary>The data sources behind <c>new PgConnection(connectionString)</c>: one for each distinct string.</summary>
internal static class DataSources
{
    private static readonly ConcurrentDictionary<string, PgDataSource> Sources = new();
    private static volatile PgDataSource? _last;

    /// <summary>The one for a string, found by reference if it was the last one asked for, else by value.</summary>
    public static PgDataSource Get(string connectionString)
    {
        var last = _last;
        if (last is not null && ReferenceEquals(last.Settings.ConnectionString, connectionString))
            return last;
        return _last = Sources.TryGetValue(connectionString, out var known)
            ? known
            : Sources.GetOrAdd(connectionString, PgDataSource.Create(connectionString));
    }
}
