using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>Finds the data sources and change streams that the dashboard shows.</summary>
internal static class DashboardSources
{
    /// <summary>The data sources of the options; without any, those of the container, with and without a key.</summary>
    public static IReadOnlyList<DashboardSource> DataSources(IServiceProvider services, PgDashboardOptions options, ILogger log)
    {
        var found = options.DataSources.Count > 0 ? [.. options.DataSources] : Registered<PgDataSource>(services, log);
        var names = new Dictionary<string, int>(StringComparer.Ordinal);
        var sources = new List<DashboardSource>();
        foreach (var one in found.Distinct().SelectMany(HostsOf).Distinct())
        {
            var name = NameOf(one);
            var same = names[name] = names.GetValueOrDefault(name) + 1;
            sources.Add(new DashboardSource(one, same == 1 ? name : $"{name} ({same})", options.Samples));
        }
        return sources;
    }

    /// <summary>The change streams of the options; without any, those of the container.</summary>
    public static IReadOnlyList<PgChangeStream> ChangeStreams(IServiceProvider services, PgDashboardOptions options, ILogger log) =>
        [.. (options.ChangeStreams.Count > 0 ? [.. options.ChangeStreams] : Registered<PgChangeStream>(services, log)).Distinct()];

    private static List<T> Registered<T>(IServiceProvider services, ILogger log)
        where T : class
    {
        var found = Resolve(services.GetServices<T>, log);
        if (services is IKeyedServiceProvider)
            found.AddRange(Resolve(() => services.GetKeyedServices<T>(KeyedService.AnyKey), log));
        return found;
    }

    private static List<T> Resolve<T>(Func<IEnumerable<T>> resolve, ILogger log)
    {
        try
        {
            return [.. resolve()];
        }
        catch (Exception e)
        {
            DashboardLog.NoDataSources(log, e);
            return [];
        }
    }

    // Several hosts are shown one by one: each has a pool of its own.
    private static IReadOnlyList<PgDataSource> HostsOf(PgDataSource source) =>
        source is PgMultiHostDataSource many ? many.HostDataSources : [source];

    private static string NameOf(PgDataSource source)
    {
        if (source.GetPoolStatistics() is { Name: { Length: > 0 } name })
            return name;
        var settings = new PgConnectionStringBuilder(source.ConnectionString);
        return $"{settings.Database ?? settings.Username} on {settings.Host}";
    }
}
