namespace Loxo;

/// <summary>
/// The connection of a data source that is registered by its name in the configuration. The options have that name too, with <c>:</c> and
/// the service key behind it if there is one: <c>services.Configure&lt;PgDataSourceOptions&gt;("catalog", ...)</c> changes what the
/// configuration says.
/// </summary>
public sealed class PgDataSourceOptions
{
    /// <summary>
    /// Keywords and values, or a <c>postgres://</c> URI; bound from <c>ConnectionStrings:NAME</c>. Null, the default, or empty for none:
    /// then <see cref="Keywords"/> must name a host or a service.
    /// </summary>
    public string? ConnectionString { get; set; }

    /// <summary>
    /// Keywords of the connection string in any spelling, with their values; bound from the section of the options. They count more than
    /// <see cref="ConnectionString"/>. An empty value, or null, takes a keyword out of it.
    /// </summary>
    public IDictionary<string, string?> Keywords { get; } = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);

    /// <summary>How the pool is warmed up and drained; bound from <c>WarmUp</c> in the section. Null, the default: it is not.</summary>
    public PgWarmUpOptions? WarmUp { get; set; }

    /// <summary>The key of the connection string in the configuration.</summary>
    internal string ConnectionStringPath { get; set; } = nameof(ConnectionString);

    /// <summary>The key of the section in the configuration.</summary>
    internal string SectionPath { get; set; } = nameof(Keywords);
}
