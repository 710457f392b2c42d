using System.Diagnostics.Metrics;

namespace Loxo.Diagnostics;

/// <summary>The instruments that look at the data sources of the process when somebody asks.</summary>
internal static class PoolMeter
{
    private static readonly Lock _lock = new();
    // Weak, so that a data source that nobody disposes of can be collected.
    private static readonly List<WeakReference<Func<PoolSample?>>> _sources = [];

    /// <summary>Adds a data source for as long as <paramref name="read"/> is kept.</summary>
    /// <param name="read">Its figures; null once it is disposed of.</param>
    public static void Add(Func<PoolSample?> read)
    {
        lock (_lock)
        {
            _sources.RemoveAll(static source => !source.TryGetTarget(out _));
            _sources.Add(new(read));
        }
    }

    public static void CreateInstruments(Meter meter)
    {
        CreatePoolInstruments(meter);
        CreateStatementInstruments(meter);
        meter.CreateObservableUpDownCounter("loxo.operations.executing", static () => Read(static one => one.Measure(one.Executing)),
            "{operation}", "Commands and batches that are running, on connections of the pool and in lanes.");
        Counter(meter, "loxo.operations.failed", "{operation}", "Commands and batches that have failed.", static one => one.Failed);
        Counter(meter, "loxo.rows.returned", "{row}", "Rows that statements have returned.", static one => one.Rows);
        Counter(meter, "loxo.bytes.sent", "By", "Bytes sent to the server.", static one => one.BytesSent);
        Counter(meter, "loxo.bytes.received", "By", "Bytes received from the server.", static one => one.BytesReceived);
        Counter(meter, "loxo.resets.avoided", "{reset}", "Connections that went back to the pool and needed no reset.",
            static one => one.ResetsAvoided);
        meter.CreateObservableCounter("loxo.resets.sent", static () => Read(static one => [.. one.ResetReasons.Select(
            reason => one.Measure(reason.Count, new("loxo.reset.reason", reason.Reason))[0])]),
            "{reset}", "Resets and rollbacks of connections that went back to the pool, by their reason.");
        CreateLaneInstruments(meter);
        meter.CreateObservableUpDownCounter("loxo.replication.lag", static () => Read(static one => [.. one.ChangeStreams.Select(
            stream => one.Measure(stream.BytesBehind, new("loxo.replication.slot", stream.Slot))[0])]),
            "By", "Write-ahead log that a change stream has not acknowledged, as of the last message that it has read.");
    }

    private static void CreateLaneInstruments(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            "loxo.lanes.depth", () => Read(static lane => lane.Depth), "{operation}", "Commands in a lane.");
        Counter("loxo.lanes.operations", "{operation}", "Commands that a lane has run.", static lane => lane.Operations);
        Counter("loxo.lanes.sends", "{send}", "How often a lane has sent commands.", static lane => lane.Sends);
        Counter("loxo.lanes.receives", "{receive}", "How often a lane has received answers.", static lane => lane.Receives);

        void Counter(string name, string unit, string description, Func<LaneSample, long> value) =>
            meter.CreateObservableCounter(name, () => Read(value), unit, description);

        static List<Measurement<long>> Read(Func<LaneSample, long> value) => PoolMeter.Read(one =>
            [.. one.Lanes.Select(lane => one.Measure(value(lane), new("loxo.lane", lane.Name))[0])]);
    }

    private static void CreatePoolInstruments(Meter meter)
    {
        meter.CreateObservableUpDownCounter("db.client.connection.count", static () => Read(
            static one => [.. one.Measure(one.Connections?.Idle, new("db.client.connection.state", "idle")),
                .. one.Measure(one.Connections?.Used, new("db.client.connection.state", "used"))]),
            "{connection}", "Connections of the pool that are idle, and those that are used.");
        UpDown(meter, "db.client.connection.idle.max", "{connection}", "Connections that the pool keeps idle at most.",
            static one => one.Connections?.Maximum);
        UpDown(meter, "db.client.connection.idle.min", "{connection}",
            "Connections that the pool keeps idle at least: 'Minimum Pool Size'.", static one => one.Connections?.Minimum);
        UpDown(meter, "db.client.connection.max", "{connection}", "Connections that the pool opens at most: 'Maximum Pool Size'.",
            static one => one.Connections?.Maximum);
        UpDown(meter, "db.client.connection.pending_requests", "{request}", "Callers that wait for a connection.",
            static one => one.Connections?.Waiting);
        Counter(meter, "db.client.connection.timeouts", "{timeout}",
            "Callers to whom the pool had no connection to give within 'Timeout'.", static one => one.Connections?.TimedOut);
    }

    private static void CreateStatementInstruments(Meter meter)
    {
        Counter(meter, "loxo.statements.executed", "{statement}", "Statements that have run.", static one => one.Statements);
        Counter(meter, "loxo.statements.cached", "{statement}", "Statements that have run and were prepared before.",
            static one => one.Hits);
        Counter(meter, "loxo.statements.prepared", "{statement}", "Statements that were prepared.", static one => one.Prepared);
        Counter(meter, "loxo.statements.evicted", "{statement}", "Prepared statements that made room for others.",
            static one => one.Evicted);
        Counter(meter, "loxo.statements.healed", "{statement}", "Prepared statements that were out of date and were prepared again.",
            static one => one.Healed);
    }

    private static void Counter(Meter meter, string name, string unit, string description, Func<PoolSample, long?> value) =>
        meter.CreateObservableCounter(name, () => Read(one => one.Measure(value(one))), unit, description);

    private static void UpDown(Meter meter, string name, string unit, string description, Func<PoolSample, long?> value) =>
        meter.CreateObservableUpDownCounter(name, () => Read(one => one.Measure(value(one))), unit, description);

    private static List<Measurement<long>> Read(Func<PoolSample, Measurement<long>[]> measure)
    {
        List<Func<PoolSample?>> sources = [];
        lock (_lock)
        {
            foreach (var source in _sources)
            {
                if (source.TryGetTarget(out var read))
                    sources.Add(read);
            }
        }
        return [.. sources.Select(static read => read()).OfType<PoolSample>().SelectMany(measure)];
    }
}
