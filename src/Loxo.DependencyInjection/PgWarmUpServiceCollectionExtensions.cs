using Loxo;
using Loxo.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a hosted service that warms up and drains the pool of a data source.</summary>
public static class PgWarmUpServiceCollectionExtensions
{
    /// <summary>
    /// Opens connections before any hosted service starts, and so before the program serves. After all hosted services have stopped, it
    /// hands out no more connections, waits until those in use have come back, and closes them.
    /// </summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="configure">Changes the options, at once; null for the defaults.</param>
    /// <param name="serviceKey">The key of the data source; null, the default, for the one without a key.</param>
    /// <returns>The same services.</returns>
    /// <remarks>
    /// The data source must be a singleton with a pool: otherwise the start ends with an <see cref="InvalidOperationException"/>. So it
    /// does if <see cref="PgWarmUpOptions.Connections"/> is more than 'Maximum Pool Size'. If the connections cannot be opened, it ends
    /// with a <see cref="PgException"/>, or with a <see cref="TimeoutException"/> after <see cref="PgWarmUpOptions.Timeout"/>, unless
    /// <see cref="PgWarmUpOptions.Required"/> is false. A second call for the same key replaces the first one.
    /// </remarks>
    /// <exception cref="ArgumentNullException">The services are null.</exception>
    public static IServiceCollection AddPgWarmUp(
        this IServiceCollection serviceCollection, Action<PgWarmUpOptions>? configure = null, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceCollection);
        var options = new PgWarmUpOptions();
        configure?.Invoke(options);
        PoolWarmUp.Add(serviceCollection, serviceKey, _ => options);
        return serviceCollection;
    }
}
