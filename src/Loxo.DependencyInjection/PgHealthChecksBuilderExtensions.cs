using Loxo;
using Loxo.Health;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds a health check for a data source.</summary>
public static class PgHealthChecksBuilderExtensions
{
    /// <summary>
    /// Checks that a connection can be rented from the data source and that the server answers on it: one round trip, of <c>SELECT 1</c>.
    /// The data of the result are host, database and the statistics of the pool. Of a <see cref="PgMultiHostDataSource"/> each host is
    /// asked as well, and one that does not answer makes the result <see cref="HealthStatus.Degraded"/>.
    /// </summary>
    /// <param name="builder">The health checks to add to.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="serviceKey">The key of the data source; null, the default, for the one without a key.</param>
    /// <param name="failureStatus">The status of a failure; null, the default, for <see cref="HealthStatus.Unhealthy"/>.</param>
    /// <param name="tags">Tags, by which checks are chosen; null, the default, for none.</param>
    /// <param name="timeout">
    /// How long the check waits for a connection and the answer together; null, the default, for 5 seconds,
    /// <see cref="Timeout.InfiniteTimeSpan"/> for the limits of the connection string.
    /// </param>
    /// <param name="exhaustedStatus">
    /// The status when all connections of the pool are in use, which says nothing about the server; null, the default, for
    /// <paramref name="failureStatus"/>.
    /// </param>
    /// <returns>The same health checks.</returns>
    /// <remarks>
    /// The description of a failure names host, database and error, and no secret. It is a failure, too, if there is no data source or it
    /// cannot be made.
    /// </remarks>
    /// <exception cref="ArgumentNullException">The builder or the name are null.</exception>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is not positive, or longer than 24 days.</exception>
    public static IHealthChecksBuilder AddPgDataSource(
        this IHealthChecksBuilder builder,
        string name = "postgresql",
        object? serviceKey = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        TimeSpan? timeout = null,
        HealthStatus? exhaustedStatus = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var limit = timeout ?? TimeSpan.FromSeconds(5);
        if (limit != Timeout.InfiniteTimeSpan && (limit <= TimeSpan.Zero || limit.TotalMilliseconds > int.MaxValue))
            throw new ArgumentOutOfRangeException(nameof(timeout), timeout, "Expected a time above zero and at most 24 days, or infinite.");
        return builder.Add(new HealthCheckRegistration(
            name, provider => new DataSourceHealthCheck(provider, serviceKey, limit, exhaustedStatus), failureStatus, tags));
    }
}
