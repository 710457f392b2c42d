using Loxo.Pooling;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Hosting;

/// <summary>
/// Fills the pool of a data source before any hosted service starts, and drains it after all have stopped: requests are served in between.
/// </summary>
internal sealed class PoolWarmUp(
    IServiceProvider provider, IServiceCollection services, object? key, Func<IServiceProvider, PgWarmUpOptions?> choose)
    : IHostedLifecycleService
{
    private readonly ILogger _log =
        (provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(HostingLog.Category);

    private PgWarmUpOptions? _options;
    private PgDataSource? _source;

    /// <summary>Registers the service for a data source, in the place of the one that is registered.</summary>
    public static void Add(IServiceCollection services, object? key, Func<IServiceProvider, PgWarmUpOptions?> options)
    {
        foreach (var other in services.Where(service => Registration.Of(service)?.HasKey(key) == true).ToList())
            services.Remove(other);
        services.Add(ServiceDescriptor.Singleton<IHostedService>(new Registration(services, key, options).Create));
    }

    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        _options = choose(provider);
        if (_options is null)
            return;
        if (services.DataSource(key) is { Lifetime: not ServiceLifetime.Singleton } registration)
            throw new InvalidOperationException($"The data source{OfKey} is registered as {registration.Lifetime}: each has a pool of its "
                + "own. Only the pool of a singleton can be warmed up.");
        _source = provider.Get<PgDataSource>(key);
        var statistics = PoolsOf.Statistics(_source)
            ?? throw new InvalidOperationException($"The data source{OfKey} has 'Pooling=false': there is no pool to warm up.");
        var count = _options.Connections ?? statistics.MinimumSize;
        if (count > statistics.MaximumSize)
            throw new InvalidOperationException($"The warm-up of the pool '{statistics.Name}' asks for {count} connections, and 'Maximum "
                + $"Pool Size' is {statistics.MaximumSize}.");
        await FillAsync(_source, count, _options, cancellationToken).ConfigureAwait(false);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        if (_source is not { } source || _options is not { } options || options.DrainTimeout == TimeSpan.Zero)
            return;
        var isDrained = false;
        try
        {
            isDrained = await source.DrainAsync(options.DrainTimeout).AsTask().WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The host's time to stop is over.
        }
        if (PoolsOf.Statistics(source) is { } pool)
        {
            if (isDrained)
                HostingLog.Drained(_log, pool.Name);
            else
                HostingLog.NotDrained(_log, pool.Name, pool.Busy);
        }
    }

    private string OfKey => key is null ? "" : $" with the key '{key}'";

    private async Task FillAsync(PgDataSource source, int count, PgWarmUpOptions options, CancellationToken cancellationToken)
    {
        var name = PoolsOf.Statistics(source)!.Name;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.Timeout);
        try
        {
            await source.WarmUpAsync(count, limit.Token).ConfigureAwait(false);
            HostingLog.WarmedUp(_log, name, count);
        }
        catch (Exception e)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var error = limit.IsCancellationRequested ? TooLate(PoolsOf.Statistics(source)!, count, options.Timeout, e) : e;
            if (!options.Required)
                HostingLog.WarmUpFailed(_log, name, error);
            else if (error != e)
                throw error;
            else
                throw;
        }
    }

    private static TimeoutException TooLate(PoolStatistics pool, int count, TimeSpan timeout, Exception cause) =>
        new($"The pool '{pool.Name}' had {pool.Idle + pool.Busy} of {count} connections open when the {timeout} of its warm-up were over."
            + (pool.RecentOpenFailures is [{ Error: PgException error }, ..] ? $" The last one could not be opened: {error.Message}" : ""),
            cause);

    private sealed class Registration(IServiceCollection services, object? key, Func<IServiceProvider, PgWarmUpOptions?> options)
    {
        public static Registration? Of(ServiceDescriptor service) =>
            service.IsKeyedService ? null : service.ImplementationFactory?.Target as Registration;

        public bool HasKey(object? other) => Equals(key, other);

        public IHostedService Create(IServiceProvider provider) => new PoolWarmUp(provider, services, key, options);
    }
}
