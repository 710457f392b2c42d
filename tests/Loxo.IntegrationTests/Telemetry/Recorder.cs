using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>Listens to the spans and instruments of the driver, and keeps those of one data source.</summary>
internal sealed class Recorder : IDisposable
{
    private readonly ActivityListener? _spans;
    private readonly MeterListener? _meters;
    private readonly ConcurrentQueue<Activity> _ended = [];
    private readonly ConcurrentQueue<Measured> _measured = [];
    private readonly string _database;

    /// <summary>Begins to listen.</summary>
    /// <param name="database">Spans of other databases are left out.</param>
    /// <param name="traces">Whether it listens to spans.</param>
    /// <param name="measures">Whether it listens to instruments.</param>
    public Recorder(string database, bool traces = true, bool measures = false)
    {
        _database = database;
        if (traces)
        {
            _spans = new ActivityListener
            {
                ShouldListenTo = static source => source.Name == "Loxo",
                Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
                ActivityStopped = _ended.Enqueue,
            };
            ActivitySource.AddActivityListener(_spans);
        }
        if (measures)
        {
            _meters = new MeterListener
            {
                InstrumentPublished = static (instrument, listener) =>
                {
                    if (instrument.Meter.Name == "Loxo")
                        listener.EnableMeasurementEvents(instrument);
                },
            };
            _meters.SetMeasurementEventCallback<double>((instrument, value, tags, _) => _measured.Enqueue(new(instrument.Name, value, tags.ToArray())));
            _meters.SetMeasurementEventCallback<long>((instrument, value, tags, _) => _measured.Enqueue(new(instrument.Name, value, tags.ToArray())));
            _meters.Start();
        }
    }

    /// <summary>The spans that have ended, in that order.</summary>
    public Activity[] Spans => [.. _ended.Where(span => (string?)span.GetTagItem("db.namespace") == _database)];

    /// <summary>The spans of commands, batches and copies.</summary>
    public Activity[] Operations => [.. Spans.Where(static span => !span.OperationName.StartsWith("CONNECT", StringComparison.Ordinal)
        && !span.OperationName.StartsWith("WAIT", StringComparison.Ordinal))];

    /// <summary>The values that an instrument has reported for the database or pool.</summary>
    public Measured[] Of(string instrument, string pool = "") => [.. _measured.Where(value => value.Instrument == instrument
        && (value.Tag("db.namespace") == _database || (pool.Length > 0 && value.Tag("db.client.connection.pool.name") == pool)))];

    /// <summary>All values that an instrument has reported.</summary>
    public Measured[] All(string instrument) => [.. _measured.Where(value => value.Instrument == instrument)];

    /// <summary>Asks the instruments that are asked.</summary>
    public void Observe() => _meters!.RecordObservableInstruments();

    public void Dispose()
    {
        _spans?.Dispose();
        _meters?.Dispose();
    }

    internal sealed record Measured(string Instrument, double Value, KeyValuePair<string, object?>[] Tags)
    {
        public string? Tag(string name) => Tags.FirstOrDefault(tag => tag.Key == name).Value?.ToString();
    }
}
