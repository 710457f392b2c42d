using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>Makes a <see cref="PgDataSource"/>. The order of calls does not matter.</summary>
public sealed partial class PgDataSourceBuilder
{
    private ILoggerFactory? _loggerFactory;

    /// <summary>A builder.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; null for none yet.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public PgDataSourceBuilder(string? connectionString = null)
    {
        ConnectionStringBuilder = new PgConnectionStringBuilder(connectionString);
    }

    /// <summary>The connection string, keyword by keyword.</summary>
    public PgConnectionStringBuilder ConnectionStringBuilder { get; }

    /// <summary>The connection string.</summary>
    public string ConnectionString => ConnectionStringBuilder.ConnectionString;

    /// <summary>Where the data source logs what happens to its pool and connections.</summary>
    /// <param name="loggerFactory">Null for nowhere, the default.</param>
    public PgDataSourceBuilder UseLoggerFactory(ILoggerFactory? loggerFactory)
    {
        _loggerFactory = loggerFactory;
        return this;
    }

    /// <summary>Makes the data source. The builder can be changed and used again.</summary>
    /// <exception cref="NotSupportedException">The connection string asks for something that is not built yet.</exception>
    /// <exception cref="ArgumentException">The host is missing.</exception>
    public PgDataSource Build()
    {
        var settings = ConnectionStringBuilder.ToSettings();
        return new PgDataSource(settings, _loggerFactory, types: Types(settings.ArrayNullability));
    }
}
