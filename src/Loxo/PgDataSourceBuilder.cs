using Loxo.Types;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>Makes a <see cref="PgDataSource"/>. The order of calls does not matter.</summary>
public sealed class PgDataSourceBuilder
{
    private readonly TypeMappings _mappings = new();
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

    /// <summary>
    /// Reads and writes a PostgreSQL type by codecs of your own; arrays, ranges and nullable forms come with them. Codecs added last come first: the
    /// first one is what a column is read by when no .NET type is asked for. A value of a codec's .NET type is written as this PostgreSQL type.
    /// </summary>
    /// <param name="typeName">As in SQL, qualified by its schema or not: <c>vector</c>, <c>gis.geometry</c>, <c>timestamp with time zone</c>.</param>
    /// <param name="codecs">At least one.</param>
    public PgDataSourceBuilder AddCodec(string typeName, params Codec[] codecs)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(typeName);
        ArgumentNullException.ThrowIfNull(codecs);
        _mappings.AddCodecs(typeName, codecs);
        return this;
    }

    /// <summary>Makes the data source. The builder can be changed and used again.</summary>
    /// <exception cref="NotSupportedException">The connection string asks for something that is not built yet.</exception>
    /// <exception cref="ArgumentException">The host is missing.</exception>
    public PgDataSource Build() => new(ConnectionStringBuilder.ToSettings(), _loggerFactory);
}
