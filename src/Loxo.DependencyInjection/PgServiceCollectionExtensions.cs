using Loxo;
using Loxo.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a data source and its connections, with a connection string that the program has.</summary>
/// <remarks>
/// Each method registers <see cref="PgDataSource"/>, <see cref="System.Data.Common.DbDataSource"/>, <see cref="PgConnection"/> and
/// <see cref="System.Data.Common.DbConnection"/>, unless there is such a registration already. The data source logs to the container's
/// <see cref="Logging.ILoggerFactory"/>, if there is one. It is made when it is first resolved, and an error in the connection string is
/// thrown then. Connections are resolved closed. The container disposes what it has made.
/// </remarks>
public static class PgServiceCollectionExtensions
{
    /// <summary>Registers a <see cref="PgDataSource"/> and its connections.</summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services or the connection string are null.</exception>
    public static IServiceCollection AddPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, Builder(connectionString), null, new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddPgDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, Builder(connectionString), dataSourceBuilderAction.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddPgDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<IServiceProvider, PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, Builder(connectionString), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgDataSource"/> and its connections, as the other methods do.</summary>
    /// <remarks>It differs in the class of the builder alone.</remarks>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services or the connection string are null.</exception>
    public static IServiceCollection AddPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, SlimBuilder(connectionString), null, new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddPgSlimDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, SlimBuilder(connectionString), dataSourceBuilderAction.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddPgSlimDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<IServiceProvider, PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        Add(serviceCollection, SlimBuilder(connectionString), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgMultiHostDataSource"/> and its connections.</summary>
    /// <remarks>It is registered as <see cref="PgDataSource"/> as well; both are the same object.</remarks>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services or the connection string are null.</exception>
    public static IServiceCollection AddMultiHostPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, Builder(connectionString), null, new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddMultiHostPgDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddMultiHostPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, Builder(connectionString), dataSourceBuilderAction.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddMultiHostPgDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddMultiHostPgDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<IServiceProvider, PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, Builder(connectionString), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgMultiHostDataSource"/> and its connections, as the other methods do.</summary>
    /// <remarks>It is registered as <see cref="PgDataSource"/> as well; both are the same object.</remarks>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services or the connection string are null.</exception>
    public static IServiceCollection AddMultiHostPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, SlimBuilder(connectionString), null, new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddMultiHostPgSlimDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddMultiHostPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, SlimBuilder(connectionString), dataSourceBuilderAction.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <inheritdoc cref="AddMultiHostPgSlimDataSource(IServiceCollection, string, ServiceLifetime, ServiceLifetime, object?)"/>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; empty for the environment's.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pools; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the five services are registered; null, the default, for none.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the connection string or the action are null.</exception>
    public static IServiceCollection AddMultiHostPgSlimDataSource(
        this IServiceCollection serviceCollection,
        string connectionString,
        Action<IServiceProvider, PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null) =>
        AddMultiHost(serviceCollection, SlimBuilder(connectionString), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    private static IServiceCollection Add<TBuilder>(
        IServiceCollection serviceCollection, Func<TBuilder> create, Action<IServiceProvider, TBuilder>? configure, ServiceSlot slot)
        where TBuilder : PgDataSourceBuilderBase<TBuilder>
    {
        ArgumentNullException.ThrowIfNull(serviceCollection);
        return slot.TryAdd(serviceCollection, provider =>
        {
            var builder = create().UseLoggersOf(provider);
            configure?.Invoke(provider, builder);
            return builder.Build();
        });
    }

    private static IServiceCollection AddMultiHost<TBuilder>(
        IServiceCollection serviceCollection, Func<TBuilder> create, Action<IServiceProvider, TBuilder>? configure, ServiceSlot slot)
        where TBuilder : PgDataSourceBuilderBase<TBuilder>
    {
        ArgumentNullException.ThrowIfNull(serviceCollection);
        return slot.TryAddMultiHost(serviceCollection, provider =>
        {
            var builder = create().UseLoggersOf(provider);
            configure?.Invoke(provider, builder);
            return builder.BuildMultiHost();
        });
    }

    private static Func<PgDataSourceBuilder> Builder(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        return () => new PgDataSourceBuilder(connectionString);
    }

    private static Func<PgSlimDataSourceBuilder> SlimBuilder(string connectionString)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        return () => new PgSlimDataSourceBuilder(connectionString);
    }
}
