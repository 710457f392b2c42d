using System.Diagnostics.Metrics;

namespace Loxo.Diagnostics;

/// <summary>The instruments that look at the pools of the process when somebody asks.</summary>
internal static class PoolMeter
{
    private static readonly Lock _lock = new();
    // Weak, so that a data source that nobody disposes of can be collected.
    private static readonly List<WeakReference<Func<PoolSample?>>> _pools = [];

    /// <summary>Adds a pool for as long as <paramref name="read"/> is kept.</summary>
    public static void Add(Func<PoolSample?> read)
    {
        lock (_lock)
        {
            _pools.RemoveAll(static pool => !pool.TryGetTarget(out _));
            _pools.Add(new(read));
        }
    }

    public static void CreateInstruments(Meter meter)
    {
        meter.CreateObservableUpDownCounter("db.client.connection.count", static () => Read(
            static pool => [pool.Measure(pool.Idle, new("db.client.connection.state", "idle")),
                pool.Measure(pool.Used, new("db.client.connection.state", "used"))]),
            "{connection}", "Connections of the pool that are idle, and those that are used.");
        meter.CreateObservableUpDownCounter("db.client.connection.idle.max", static () => Read(static pool => [pool.Measure(pool.Maximum)]),
            "{connection}", "Connections that the pool keeps idle at most.");
        meter.CreateObservableUpDownCounter("db.client.connection.idle.min", static () => Read(static pool => [pool.Measure(pool.Minimum)]),
            "{connection}", "Connections that the pool keeps idle at least: 'Minimum Pool Size'.");
        meter.CreateObservableUpDownCounter("db.client.connection.max", static () => Read(static pool => [pool.Measure(pool.Maximum)]),
            "{connection}", "Connections that the pool opens at most: 'Maximum Pool Size'.");
        meter.CreateObservableUpDownCounter("db.client.connection.pending_requests",
            static () => Read(static pool => [pool.Measure(pool.Waiting)]), "{request}", "Callers that wait for a connection.");
        meter.CreateObservableCounter("db.client.connection.timeouts", static () => Read(static pool => [pool.Measure(pool.TimedOut)]),
            "{timeout}", "Callers to whom the pool had no connection to give within 'Timeout'.");
    }

    private static List<Measurement<long>> Read(Func<PoolSample, Measurement<long>[]> measure)
    {
        List<Func<PoolSample?>> pools = [];
        lock (_lock)
        {
            foreach (var pool in _pools)
            {
                if (pool.TryGetTarget(out var read))
                    pools.Add(read);
            }
        }
        return [.. pools.Select(static read => read()).OfType<PoolSample>().SelectMany(measure)];
    }
}

/// <summary>A pool at one moment.</summary>
internal sealed record PoolSample(
    KeyValuePair<string, object?> PoolTag, long Idle, long Used, long Minimum, long Maximum, long Waiting, long TimedOut)
{
    public Measurement<long> Measure(long value) => new(value, PoolTag);

    public Measurement<long> Measure(long value, KeyValuePair<string, object?> state) => new(value, PoolTag, state);
}
