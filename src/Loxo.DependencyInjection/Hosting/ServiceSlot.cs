using System.Data.Common;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace Loxo.Hosting;

/// <summary>The lifetimes and the key under which a data source and its connections are registered.</summary>
internal sealed record ServiceSlot(ServiceLifetime ConnectionLifetime, ServiceLifetime DataSourceLifetime, object? Key)
{
    /// <summary>Registers the four services that are not registered yet.</summary>
    public IServiceCollection TryAdd(IServiceCollection services, Func<IServiceProvider, PgDataSource> create)
    {
        TryAdd(services, (provider, _) => create(provider), DataSourceLifetime);
        TryAdd<DbDataSource>(services, static (provider, key) => provider.Get<PgDataSource>(key), DataSourceLifetime);
        TryAdd(services, static (provider, key) => provider.Get<PgDataSource>(key).CreateConnection(), ConnectionLifetime);
        TryAdd<DbConnection>(services, static (provider, key) => provider.Get<PgConnection>(key), ConnectionLifetime);
        return services;
    }

    /// <summary>The same with the data source of several hosts, which is that of the connections if there is no other.</summary>
    public IServiceCollection TryAddMultiHost(IServiceCollection services, Func<IServiceProvider, PgMultiHostDataSource> create)
    {
        TryAdd(services, (provider, _) => create(provider), DataSourceLifetime);
        TryAdd<PgDataSource>(services, static (provider, key) => provider.Get<PgMultiHostDataSource>(key), DataSourceLifetime);
        return TryAdd(services, provider => provider.Get<PgMultiHostDataSource>(Key));
    }

    // A container that knows nothing of keys serves registrations without one.
    private void TryAdd<T>(IServiceCollection services, Func<IServiceProvider, object?, T> create, ServiceLifetime lifetime)
        where T : class =>
        services.TryAdd(Key is null
            ? new ServiceDescriptor(typeof(T), provider => create(provider, null), lifetime)
            : new ServiceDescriptor(typeof(T), Key, create, lifetime));
}

internal static class ServiceSlots
{
    /// <summary>The registration of the data source that the container uses; null if there is none.</summary>
    /// <param name="services">The registrations.</param>
    /// <param name="key">The service key; null for none.</param>
    public static ServiceDescriptor? DataSource(this IServiceCollection services, object? key) =>
        services.LastOrDefault(service => service.ServiceType == typeof(PgDataSource) && Equals(service.ServiceKey, key));

    public static T Get<T>(this IServiceProvider provider, object? key)
        where T : notnull =>
        key is null ? provider.GetRequiredService<T>() : provider.GetRequiredKeyedService<T>(key);

    public static TBuilder UseLoggersOf<TBuilder>(this TBuilder builder, IServiceProvider provider)
        where TBuilder : PgDataSourceBuilderBase<TBuilder> =>
        builder.UseLoggerFactory(provider.GetService<ILoggerFactory>());
}
