using Loxo.Pooling;

namespace Loxo.Hosting;

/// <summary>The pool of a data source, or the pools of its hosts taken together.</summary>
internal static class PoolsOf
{
    /// <summary>Null for none. Of several hosts, the sizes are those of each host's pool, and the counts are those of all.</summary>
    public static PoolStatistics? Statistics(PgDataSource source)
    {
        if (source is not PgMultiHostDataSource hosts)
            return source.GetPoolStatistics();
        var pools = hosts.GetHosts().Select(static host => host.Pool).OfType<PoolStatistics>().ToList();
        return pools.Count == 0 ? null : pools[0] with
        {
            Name = string.Join(", ", pools.Select(static pool => pool.Name)),
            Idle = pools.Sum(static pool => pool.Idle),
            Busy = pools.Sum(static pool => pool.Busy),
            RecentOpenFailures = [.. pools.SelectMany(static pool => pool.RecentOpenFailures)],
        };
    }
}
