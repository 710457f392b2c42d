using Loxo.Diagnostics;
using Loxo.Pool;
using Loxo.Settings;
using Microsoft.Extensions.Logging;

namespace Loxo.Commands;

/// <summary>What a data source tells of its commands.</summary>
internal sealed record TelemetryOptions
{
    public TracingOptions Tracing { get; init; } = new();

    /// <summary>Whether log messages show the values of parameters.</summary>
    public bool ShowsParameters { get; init; }

    /// <summary>Commands that take longer are logged as warnings; <see cref="Timeout.InfiniteTimeSpan"/>: none is.</summary>
    public TimeSpan SlowAfter { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>The most statements whose executions are counted; 0: none are.</summary>
    public int StatementCapacity { get; init; }

    /// <summary>How connections are found that are not given back.</summary>
    public LeakSettings Leaks { get; init; } = new() { LastStatement = PoolReading.LastStatement };

    /// <summary>The data source as spans, figures and log messages name it.</summary>
    public TelemetryTarget TargetOf(ConnectionSettings settings, ILoggerFactory? loggers, string? name)
    {
        var (host, database) = (settings.Transport.Host, settings.Session.Database);
        return new TelemetryTarget(
            name ?? $"{database} on {host}",
            host.IsUnixSocket ? host.SocketPath : host.Host,
            host.Port,
            database,
            loggers?.CreateLogger(CommandLog.Category), loggers?.CreateLogger(CopyLog.Category))
        {
            ConnectionLog = loggers?.CreateLogger(ConnectionLog.Category),
            MarksFirstResponse = Tracing.MarksFirstResponse,
            TracesOpening = Tracing.TracesOpening,
            PropagatesContext = Tracing.PropagatesContext,
            ShowsParameters = ShowsParameters || settings.LogsParameters,
            SlowAfter = SlowAfter,
            Statements = StatementCapacity > 0 ? new StatementRecorder(StatementCapacity) : null,
        };
    }
}
