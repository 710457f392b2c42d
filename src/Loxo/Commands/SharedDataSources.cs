using System.Collections.Concurrent;

namespace Loxo.Commands;

/// <summary>The data sources behind connection strings, one for each set of settings; kept as long as the process runs.</summary>
internal static class SharedDataSources
{
    private const int Slots = 64;
    private static readonly ConcurrentDictionary<string, PgDataSource> Sources = new(StringComparer.Ordinal);
    private static readonly Lock Making = new();
    // By the reference of the string: programs use the same few again and again.
    private static readonly Found?[] Recent = new Found?[Slots];

    static SharedDataSources()
    {
        // The server is told, or it would log each connection as lost.
        AppDomain.CurrentDomain.ProcessExit += static (_, _) => ClearAll();
    }

    /// <summary>The one for a string, found by reference if it was asked for lately, else by value.</summary>
    public static PgDataSource Get(string connectionString)
    {
        ref var slot = ref Recent[RuntimeHelpers.GetHashCode(connectionString) & (Slots - 1)];
        if (slot is { } recent && ReferenceEquals(recent.ConnectionString, connectionString))
            return recent.Source;
        var source = Sources.TryGetValue(connectionString, out var known) ? known : Make(connectionString);
        slot = new Found(connectionString, source);
        return source;
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
                Sources[canonical] = source = Make(Builder(connectionString));
            return Sources[connectionString] = source;
        }
    }

    // Strings that differ in what they ask of a host share the hosts and their pools.
    private static PgDataSource Make(PgDataSourceBuilder builder)
    {
        var settings = builder.ConnectionStringBuilder.ToSettings();
        if (!settings.HasChoice)
            return builder.Build();
        var keywords = new PgConnectionStringBuilder(builder.ConnectionString) { TargetSessionAttributes = null };
        var ofHosts = "hosts of " + keywords.Canonical();
        if (!Sources.TryGetValue(ofHosts, out var hosts))
            Sources[ofHosts] = hosts = builder.BuildMultiHost();
        return ((PgMultiHostDataSource)hosts).ViewOf(settings);
    }

    private static PgDataSourceBuilder Builder(string connectionString) => new PgDataSourceBuilder(connectionString)
        .UseLoggerFactory(PgLoggingConfiguration.LoggerFactory)
        .EnableParameterLogging(PgLoggingConfiguration.ShowsParameters);

    private sealed record Found(string ConnectionString, PgDataSource Source);
}
