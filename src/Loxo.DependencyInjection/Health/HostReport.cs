using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Loxo.Health;

/// <summary>What several hosts say of themselves, for the health of a data source that one of them serves.</summary>
internal static class HostReport
{
    /// <summary>Asks all hosts. A host that cannot be reached degrades the data source: it serves, but with fewer hosts.</summary>
    public static async Task<HealthCheckResult> RunAsync(
        PgMultiHostDataSource source, string server, Dictionary<string, object> data, CancellationToken token)
    {
        var hosts = await source.CheckHostsAsync(token).ConfigureAwait(false);
        foreach (var host in hosts)
            data[Name(host)] = Describe(host);
        var failed = hosts.Where(static host => host.Failure is not null).ToList();
        return failed.Count == 0
            ? HealthCheckResult.Healthy($"{server} answers, and so does each of {hosts.Count} hosts.", data)
            : HealthCheckResult.Degraded($"{server} answers, but not all hosts do. "
                + string.Join(" ", failed.Select(static host => $"{Name(host)}: {ErrorText.Of(host.Failure!)}")), failed[0].Failure, data);
    }

    private static string Name(PgHostStatus host) => string.Create(CultureInfo.InvariantCulture, $"{host.Host}:{host.Port}");

    private static string Describe(PgHostStatus host) => string.Create(CultureInfo.InvariantCulture,
        $"{host.Role}{(host.Failure is null ? "" : ", failed")}{(host.Pool is { } pool ? $", {pool.Busy} busy, {pool.Idle} idle" : "")}");
}
