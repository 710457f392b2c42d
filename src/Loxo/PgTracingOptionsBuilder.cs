using System.Diagnostics;

namespace Loxo;

/// <summary>
/// What the spans of a data source are like: see docs/telemetry.md. Functions are called on the caller's thread for each span; exceptions
/// of theirs are ignored.
/// </summary>
public sealed class PgTracingOptionsBuilder
{
    internal PgTracingOptionsBuilder(TracingOptions options) => Options = options;

    internal TracingOptions Options { get; private set; }

    /// <summary>Decides which commands get a span.</summary>
    /// <param name="commandFilter">False for no span; null, the default, for a span for each.</param>
    public PgTracingOptionsBuilder ConfigureCommandFilter(Func<PgCommand, bool>? commandFilter) =>
        With(Options with { CommandFilter = commandFilter });

    /// <summary>Decides which batches get a span.</summary>
    /// <param name="batchFilter">False for no span; null, the default, for a span for each.</param>
    public PgTracingOptionsBuilder ConfigureBatchFilter(Func<PgBatch, bool>? batchFilter) =>
        With(Options with { BatchFilter = batchFilter });

    /// <summary>Decides which copies get a span.</summary>
    /// <param name="copyOperationFilter">Gets the COPY statement; false for no span; null, the default, for a span for each.</param>
    public PgTracingOptionsBuilder ConfigureCopyOperationFilter(Func<string, bool>? copyOperationFilter) =>
        With(Options with { CopyFilter = copyOperationFilter });

    /// <summary>Adds to the spans of commands when they begin.</summary>
    /// <param name="commandEnrichmentCallback">Gets the span and the command; null, the default, for nothing.</param>
    public PgTracingOptionsBuilder ConfigureCommandEnrichmentCallback(Action<Activity, PgCommand>? commandEnrichmentCallback) =>
        With(Options with { EnrichCommand = commandEnrichmentCallback });

    /// <summary>Adds to the spans of batches when they begin.</summary>
    /// <param name="batchEnrichmentCallback">Gets the span and the batch; null, the default, for nothing.</param>
    public PgTracingOptionsBuilder ConfigureBatchEnrichmentCallback(Action<Activity, PgBatch>? batchEnrichmentCallback) =>
        With(Options with { EnrichBatch = batchEnrichmentCallback });

    /// <summary>Adds to the spans of copies when they begin.</summary>
    /// <param name="copyOperationEnrichmentCallback">Gets the span and the COPY statement; null, the default, for nothing.</param>
    public PgTracingOptionsBuilder ConfigureCopyOperationEnrichmentCallback(Action<Activity, string>? copyOperationEnrichmentCallback) =>
        With(Options with { EnrichCopy = copyOperationEnrichmentCallback });

    /// <summary>Names the spans of commands.</summary>
    /// <param name="commandSpanNameProvider">Null from it, or null instead of it, the default, for the statement's summary.</param>
    public PgTracingOptionsBuilder ConfigureCommandSpanNameProvider(Func<PgCommand, string?>? commandSpanNameProvider) =>
        With(Options with { NameCommand = commandSpanNameProvider });

    /// <summary>Names the spans of batches.</summary>
    /// <param name="batchSpanNameProvider">Null from it, or null instead of it, the default, for the summary.</param>
    public PgTracingOptionsBuilder ConfigureBatchSpanNameProvider(Func<PgBatch, string?>? batchSpanNameProvider) =>
        With(Options with { NameBatch = batchSpanNameProvider });

    /// <summary>Names the spans of copies.</summary>
    /// <param name="copyOperationSpanNameProvider">
    /// Gets the COPY statement; null from it, or null instead of it, the default, for the summary.
    /// </param>
    public PgTracingOptionsBuilder ConfigureCopyOperationSpanNameProvider(Func<string, string?>? copyOperationSpanNameProvider) =>
        With(Options with { NameCopy = copyOperationSpanNameProvider });

    /// <summary>Whether spans have an event <c>received-first-response</c> when the first result has come.</summary>
    /// <param name="enable">The default is true.</param>
    public PgTracingOptionsBuilder EnableFirstResponseEvent(bool enable = true) => With(Options with { MarksFirstResponse = enable });

    /// <summary>Whether opening a physical connection has a span.</summary>
    /// <param name="enable">The default is true.</param>
    public PgTracingOptionsBuilder EnablePhysicalOpenTracing(bool enable = true) => With(Options with { TracesOpening = enable });

    /// <summary>
    /// Whether the server learns the trace: while a command with a span runs on a connection of its own, the server's
    /// <c>application_name</c> is the span's <c>traceparent</c>. See docs/telemetry.md.
    /// </summary>
    /// <param name="enable">The default is false.</param>
    public PgTracingOptionsBuilder EnableTraceContextPropagation(bool enable = true) => With(Options with { PropagatesContext = enable });

    /// <summary>Waits for a connection of the pool that take longer are spans.</summary>
    /// <param name="threshold">The default is 10 ms; <see cref="Timeout.InfiniteTimeSpan"/> for no such spans.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative and not infinite.</exception>
    public PgTracingOptionsBuilder UsePoolWaitThreshold(TimeSpan threshold)
    {
        if (threshold != Timeout.InfiniteTimeSpan)
            ArgumentOutOfRangeException.ThrowIfLessThan(threshold, TimeSpan.Zero);
        return With(Options with { PoolWaitThreshold = threshold });
    }

    private PgTracingOptionsBuilder With(TracingOptions options)
    {
        Options = options;
        return this;
    }
}

/// <summary>What <see cref="PgTracingOptionsBuilder"/> was told.</summary>
internal sealed record TracingOptions
{
    public Func<PgCommand, bool>? CommandFilter { get; init; }

    public Func<PgBatch, bool>? BatchFilter { get; init; }

    public Func<string, bool>? CopyFilter { get; init; }

    public Action<Activity, PgCommand>? EnrichCommand { get; init; }

    public Action<Activity, PgBatch>? EnrichBatch { get; init; }

    public Action<Activity, string>? EnrichCopy { get; init; }

    public Func<PgCommand, string?>? NameCommand { get; init; }

    public Func<PgBatch, string?>? NameBatch { get; init; }

    public Func<string, string?>? NameCopy { get; init; }

    public bool MarksFirstResponse { get; init; } = true;

    public bool TracesOpening { get; init; } = true;

    public bool PropagatesContext { get; init; }

    public TimeSpan PoolWaitThreshold { get; init; } = TimeSpan.FromMilliseconds(10);
}
