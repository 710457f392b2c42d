using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>Takes samples from the start of the application to its end, and hands out the state as JSON.</summary>
internal sealed class DashboardSampler
{
    private const int SamplesPerQuestion = 5;

    private readonly IServiceProvider _services;
    private readonly PgDashboardOptions _options;
    private readonly string _title;
    private readonly ILogger _log;
    private readonly Lock _lock = new();
    private readonly CancellationToken _stopping;
    private IReadOnlyList<DashboardSource>? _sources;
    private IReadOnlyList<DashboardStream> _streams = [];
    private TaskCompletionSource _next = NewSignal();
    private byte[]? _state;

    public DashboardSampler(
        IServiceProvider services, PgDashboardOptions options, string title, IHostApplicationLifetime lifetime, ILogger log)
    {
        (_services, _options, _title, _log, _stopping) = (services, options, title, log, lifetime.ApplicationStopping);
        lifetime.ApplicationStarted.Register(() => _ = Task.Run(RunAsync));
    }

    /// <summary>Completed with the next sample.</summary>
    public Task Next
    {
        get
        {
            lock (_lock)
                return _next.Task;
        }
    }

    /// <summary>The state as of the last sample. It is written once, however many pages show it.</summary>
    public byte[] State
    {
        get
        {
            lock (_lock)
                return _state ??= DashboardState.Write(Sources, _streams, _options, _title);
        }
    }

    /// <summary>A statement that the page has shown, and its data source; null if it is gone.</summary>
    public (PgDataSource Source, PgStatementCounts Statement)? Find(int source, string statement)
    {
        lock (_lock)
        {
            if ((uint)source >= (uint)Sources.Count || Sources[source].DataSource.GetStatementStatistics() is not { } statistics)
                return null;
            var found = statistics.Statements.FirstOrDefault(one => DashboardState.IdOf(one) == statement);
            return found is null ? null : (Sources[source].DataSource, found);
        }
    }

    // Called under the lock.
    private IReadOnlyList<DashboardSource> Sources
    {
        get
        {
            if (_sources is null)
            {
                _sources = DashboardSources.DataSources(_services, _options, _log);
                _streams = [.. DashboardSources.ChangeStreams(_services, _options, _log)
                    .Select(stream => new DashboardStream(stream, _options.Interval * SamplesPerQuestion))];
            }
            return _sources;
        }
    }

    private async Task RunAsync()
    {
        using var timer = new PeriodicTimer(_options.Interval);
        try
        {
            do
                Sample();
            while (await timer.WaitForNextTickAsync(_stopping).ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            // The application ends.
        }
    }

    private void Sample()
    {
        TaskCompletionSource due;
        lock (_lock)
        {
            foreach (var source in Sources)
                Take(source);
            // Servers are asked only while a page is open.
            if (_state is not null)
                AskStreams();
            _state = null;
            (due, _next) = (_next, NewSignal());
        }
        due.SetResult();
    }

    // One that fails, such as one that was disposed, does not keep the others from being shown.
    private void Take(DashboardSource source)
    {
        try
        {
            source.Take();
        }
        catch (Exception e)
        {
            DashboardLog.SampleFailed(_log, e);
        }
    }

    private void AskStreams()
    {
        foreach (var stream in _streams)
            stream.Ask(_stopping);
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
