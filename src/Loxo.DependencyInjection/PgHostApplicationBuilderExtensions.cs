using Loxo;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.Extensions.Hosting;

/// <summary>Registers a data source and its connections in a host, with a connection string of its configuration.</summary>
/// <remarks>
/// The connection string is <c>ConnectionStrings:NAME</c>. The section <c>Loxo:NAME</c>, or another one, has keywords of the connection
/// string, such as <c>"Maximum Pool Size": 20</c>, which count more, and <c>WarmUp</c> with the options of <see cref="PgWarmUpOptions"/>.
/// Both are bound to <see cref="PgDataSourceOptions"/>. When the host starts they are checked and the data source is made: an error ends
/// the start with an <see cref="Options.OptionsValidationException"/> that names the key in the configuration. Without a host it is thrown
/// when the data source is first resolved. If a <see cref="PgDataSource"/> of the key is registered already, it stays, and nothing is
/// checked. Everything else is as in <see cref="PgServiceCollectionExtensions"/>.
/// </remarks>
public static class PgHostApplicationBuilderExtensions
{
    /// <summary>Registers a <see cref="PgDataSource"/> and its connections by the name of a connection string.</summary>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made; null for nothing.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder or the name are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IHostApplicationBuilder AddPgDataSource(
        this IHostApplicationBuilder builder,
        string connectionName,
        Action<PgDataSourceBuilder>? dataSourceBuilderAction = null,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddPgDataSource(builder.Configuration, connectionName, dataSourceBuilderAction,
            connectionLifetime, dataSourceLifetime, serviceKey, sectionName);
        return builder;
    }

    /// <summary>Registers a <see cref="PgDataSource"/> whose builder needs other services.</summary>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder, the name or the action are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IHostApplicationBuilder AddPgDataSource(
        this IHostApplicationBuilder builder,
        string connectionName,
        Action<IServiceProvider, PgDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddPgDataSource(builder.Configuration, connectionName, dataSourceBuilderAction,
            connectionLifetime, dataSourceLifetime, serviceKey, sectionName);
        return builder;
    }

    /// <summary>Registers a <see cref="PgDataSource"/> and its connections, as the other methods do.</summary>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made; null for nothing.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder or the name are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IHostApplicationBuilder AddPgSlimDataSource(
        this IHostApplicationBuilder builder,
        string connectionName,
        Action<PgSlimDataSourceBuilder>? dataSourceBuilderAction = null,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddPgSlimDataSource(builder.Configuration, connectionName, dataSourceBuilderAction,
            connectionLifetime, dataSourceLifetime, serviceKey, sectionName);
        return builder;
    }

    /// <summary>Registers a <see cref="PgDataSource"/> whose builder needs other services.</summary>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="connectionName">The name in <c>ConnectionStrings</c>; it is the pool's name too.</param>
    /// <param name="dataSourceBuilderAction">Changes the builder before the data source is made, with the help of other services.</param>
    /// <param name="connectionLifetime">The lifetime of connections; by default each resolve makes one.</param>
    /// <param name="dataSourceLifetime">The lifetime of the data source, and so of its pool; by default that of the container.</param>
    /// <param name="serviceKey">The key under which the four services are registered; null, the default, for none.</param>
    /// <param name="sectionName">The section of the options; null, the default, for <c>Loxo:NAME</c>.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder, the name or the action are null.</exception>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public static IHostApplicationBuilder AddPgSlimDataSource(
        this IHostApplicationBuilder builder,
        string connectionName,
        Action<IServiceProvider, PgSlimDataSourceBuilder> dataSourceBuilderAction,
        ServiceLifetime connectionLifetime = ServiceLifetime.Transient,
        ServiceLifetime dataSourceLifetime = ServiceLifetime.Singleton,
        object? serviceKey = null,
        string? sectionName = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddPgSlimDataSource(builder.Configuration, connectionName, dataSourceBuilderAction,
            connectionLifetime, dataSourceLifetime, serviceKey, sectionName);
        return builder;
    }
}
