using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Loxo.Hosting;

/// <summary>Makes a data source of the configuration when the host starts, so that an error in it ends the start.</summary>
internal sealed class DataSourceStart(IServiceProvider provider, object? key) : IHostedLifecycleService
{
    // A scope, as the data source may have one.
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        var scope = provider.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
            _ = scope.ServiceProvider.Get<PgDataSource>(key);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
