using Loxo;
using Loxo.Configuration;
using Loxo.Hosting;
using Microsoft.Extensions.Configuration;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a data source and its connections, with a connection string of the configuration.</summary>
/// <remarks>
/// The connection string is <c>ConnectionStrings:NAME</c>. The section <c>Loxo:NAME</c>, or another one, has keywords of the connection
/// string, such as <c>"Maximum Pool Size": 20</c>, which count more, and <c>WarmUp</c> with the options of <see cref="PgWarmUpOptions"/>.
/// Both are bound to <see cref="PgDataSourceOptions"/>. When the host starts they are checked and the data source is made: an error ends
/// the start with an <see cref="Options.OptionsValidationException"/> that names the key in the configuration. Without a host it is thrown
/// when the data source is first resolved. If a <see cref="PgDataSource"/> of the key is registered already, it stays, and nothing is
/// checked. Everything else is as in <see cref="PgServiceCollectionExtensions"/>.
/// </remarks>
public static class PgConfigurationServiceCollectionExtensions
{
    /// <summary>Registers a <see cref="PgDataSource"/> and its connections by the name of a connection string.</summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="configuration">The configuration, which is read at the host's start or at the first resolve.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made; null for nothing.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the configuration or the name are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IServiceCollection AddPgDataSource(
        this IServiceCollection serviceCollection,
        IConfiguration configuration,
        string connectionName,
        Action<PgDataSourceBuilder>? dataSourceBuilderAction = null,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null) =>
        new NamedConnection(configuration, connectionName, sectionName).TryAdd(
            serviceCollection, static text => new PgDataSourceBuilder(text), dataSourceBuilderAction?.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgDataSource"/> whose builder needs other services.</summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="configuration">The configuration, which is read at the host's start or at the first resolve.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the configuration, the name or the action are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IServiceCollection AddPgDataSource(
        this IServiceCollection serviceCollection,
        IConfiguration configuration,
        string connectionName,
        Action<IServiceProvider, PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null) =>
        new NamedConnection(configuration, connectionName, sectionName).TryAdd(
            serviceCollection, static text => new PgDataSourceBuilder(text), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgDataSource"/> and its connections, as the other methods do.</summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="configuration">The configuration, which is read at the host's start or at the first resolve.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made; null for nothing.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the configuration or the name are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IServiceCollection AddPgSlimDataSource(
        this IServiceCollection serviceCollection,
        IConfiguration configuration,
        string connectionName,
        Action<PgSlimDataSourceBuilder>? dataSourceBuilderAction = null,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null) =>
        new NamedConnection(configuration, connectionName, sectionName).TryAdd(
            serviceCollection, static text => new PgSlimDataSourceBuilder(text), dataSourceBuilderAction?.WithProvider(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));

    /// <summary>Registers a <see cref="PgDataSource"/> whose builder needs other services.</summary>
    /// <param name="serviceCollection">The services to add to.</param>
    /// <param name="configuration">The configuration, which is read at the host's start or at the first resolve.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same services.</returns>
    /// <exception cref="ArgumentNullException">The services, the configuration, the name or the action are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IServiceCollection AddPgSlimDataSource(
        this IServiceCollection serviceCollection,
        IConfiguration configuration,
        string connectionName,
        Action<IServiceProvider, PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null) =>
        new NamedConnection(configuration, connectionName, sectionName).TryAdd(
            serviceCollection, static text => new PgSlimDataSourceBuilder(text), dataSourceBuilderAction.Required(),
            new(connectionLifetime, dataSourceLifetime, serviceKey));
}
