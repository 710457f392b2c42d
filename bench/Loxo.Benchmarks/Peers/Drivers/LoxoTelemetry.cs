using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>
/// The prepared lookup on an open connection, with listeners that take every span, every measurement and every log message. They listen only
/// while this peer runs, because the others are in the same process.
/// </summary>
internal sealed class LoxoTelemetry : IPeer
{
    private readonly PgDataSource _source;
    private readonly LoxoOpen _open;

    public LoxoTelemetry(string connectionString)
    {
        _source = new PgDataSourceBuilder(connectionString + LoxoOpen.Settings).UseLoggerFactory(new FormattingLog()).Build();
        _open = new LoxoOpen(_source.CreateConnection(), Workload.Lookup);
    }

    public long Run(int times)
    {
        using var listeners = new Listeners();
        var sum = _open.Run(times);
        listeners.AssertHeard(times);
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        using var listeners = new Listeners();
        var sum = await _open.RunAsync(times);
        listeners.AssertHeard(times);
        return sum;
    }

    public void Dispose()
    {
        _open.Dispose();
        _source.Dispose();
    }

    private sealed class Listeners : IDisposable
    {
        private readonly ActivityListener _spans;
        private readonly MeterListener _meters = new();
        private long _ended;
        private long _measured;

        public Listeners()
        {
            _spans = new ActivityListener
            {
                ShouldListenTo = static source => source.Name == "Loxo",
                Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
                ActivityStopped = _ => _ended++,
            };
            ActivitySource.AddActivityListener(_spans);
            _meters.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Loxo")
                    listener.EnableMeasurementEvents(instrument);
            };
            _meters.SetMeasurementEventCallback<double>((_, _, _, _) => _measured++);
            _meters.SetMeasurementEventCallback<long>((_, _, _, _) => _measured++);
            _meters.Start();
        }

        /// <summary>Otherwise the row would measure nothing.</summary>
        public void AssertHeard(int times)
        {
            if (_ended < times || _measured < times)
                throw new InvalidOperationException($"Of {times} commands {_ended} spans and {_measured} measurements were heard.");
        }

        public void Dispose()
        {
            _spans.Dispose();
            _meters.Dispose();
        }
    }

    /// <summary>Makes the text of each message, as a logger that writes to a file does, and forgets it.</summary>
    private sealed class FormattingLog : ILoggerFactory, ILogger
    {
        private int _characters;

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
                _characters += formatter(state, exception).Length;
        }

        public void Dispose()
        {
        }
    }
}
