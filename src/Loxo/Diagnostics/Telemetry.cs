using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Loxo.Diagnostics;

/// <summary>
/// The source of spans and the instruments of the driver, both named <c>Loxo</c>. Names and units are those of OpenTelemetry's Semantic
/// Conventions for Database Client Calls; docs/telemetry.md lists them.
/// </summary>
internal static class Telemetry
{
    public const string Name = "Loxo";

    private static readonly Meter _meter = new(Name, Version);
    // The conventions give these bounds, in seconds.
    private static readonly InstrumentAdvice<double> _bounds =
        new() { HistogramBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] };
    private static readonly InstrumentAdvice<long> _rowBounds =
        new() { HistogramBucketBoundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] };

    public static ActivitySource Activities { get; } = new(Name, Version);

    public static Histogram<double> OperationDuration { get; } = _meter.CreateHistogram(
        "db.client.operation.duration", "s", "Duration of commands, batches and copies, from their first byte to the end of their results.",
        tags: null, _bounds);

    public static Histogram<long> ReturnedRows { get; } = _meter.CreateHistogram(
        "db.client.response.returned_rows", "{row}", "Rows that commands have returned.", tags: null, _rowBounds);

    public static Histogram<double> CreateTime { get; } = _meter.CreateHistogram(
        "db.client.connection.create_time", "s", "Time to open a physical connection.", tags: null, _bounds);

    public static Histogram<double> WaitTime { get; } = _meter.CreateHistogram(
        "db.client.connection.wait_time", "s", "Time until the pool has handed out a connection.", tags: null, _bounds);

    public static Histogram<double> UseTime { get; } = _meter.CreateHistogram(
        "db.client.connection.use_time", "s", "Time between the opening of a connection and its return to the pool.", tags: null, _bounds);

    /// <summary>Whether anybody wants to know of commands.</summary>
    public static bool SeesOperations => Activities.HasListeners() || OperationDuration.Enabled || ReturnedRows.Enabled;

    /// <summary>Whether anybody wants to know how long callers wait for connections and use them.</summary>
    public static bool SeesConnections => Activities.HasListeners() || WaitTime.Enabled || UseTime.Enabled;

    private static string? Version => typeof(Telemetry).Assembly.GetName().Version?.ToString(3);

    static Telemetry() => PoolMeter.CreateInstruments(_meter);
}
