using System.Globalization;
using Loxo.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Loxo.Health;

/// <summary>Rents a connection of a data source and asks the server for an answer.</summary>
internal sealed class DataSourceHealthCheck(IServiceProvider provider, object? key, TimeSpan timeout, HealthStatus? exhausted)
    : IHealthCheck
{
    // The data source is resolved here: an exception while the check is made would end all checks.
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        PgDataSource source;
        try
        {
            source = provider.Get<PgDataSource>(key);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, $"The data source could not be made: {ErrorText.Of(e)}", e);
        }
        return await CheckAsync(source, context.Registration.FailureStatus, cancellationToken).ConfigureAwait(false);
    }

    private async Task<HealthCheckResult> CheckAsync(PgDataSource source, HealthStatus failed, CancellationToken cancellationToken)
    {
        var probe = new Probe(source);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        var answer = probe.RunAsync(limit.Token);
        try
        {
            // A server that does not answer does not answer a request to cancel either, so this does not wait for the end of the command.
            await answer.WaitAsync(limit.Token).ConfigureAwait(false);
            return source is PgMultiHostDataSource hosts
                ? await HostReport.RunAsync(hosts, probe.Server, probe.Data(), limit.Token).ConfigureAwait(false)
                : HealthCheckResult.Healthy($"{probe.Server} answers.", probe.Data());
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            var data = probe.Data();
            if (probe.Exhaustion(e) is { } exhaustion)
                return new HealthCheckResult(exhausted ?? failed, $"{probe.Server}: {exhaustion}", e, data);
            var reason = limit.IsCancellationRequested
                ? string.Create(CultureInfo.InvariantCulture, $"no answer within {timeout.TotalSeconds:0.###} s.")
                : ErrorText.Of(e);
            return new HealthCheckResult(failed, $"{probe.Server}: {reason}", e, data);
        }
        finally
        {
            _ = answer.ContinueWith(static late => _ = late.Exception, CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }
    }
}
