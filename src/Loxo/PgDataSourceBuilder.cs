using System.Text.Json;
using Loxo.Types;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>Makes a <see cref="PgDataSource"/>. The order of calls does not matter.</summary>
public sealed class PgDataSourceBuilder : IPgTypeMapper
{
    private readonly PgTypeMapper _mapper = new();
    private ILoggerFactory? _loggerFactory;
    private PgLaneOptions? _lanes;

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
    /// Lets the commands of all connections share a few sessions, as <c>Multiplexing=true</c> does: see docs/multiplexing.md.
    /// </summary>
    /// <param name="configure">Changes the options; null for the defaults.</param>
    public PgDataSourceBuilder UseLanes(Action<PgLaneOptions>? configure = null)
    {
        ConnectionStringBuilder.Multiplexing = true;
        _lanes ??= new PgLaneOptions();
        configure?.Invoke(_lanes);
        return this;
    }

    /// <summary>Makes the data source. The builder can be changed and used again.</summary>
    /// <exception cref="NotSupportedException">The connection string asks for something that is not built yet.</exception>
    /// <exception cref="ArgumentException">The host is missing.</exception>
    public PgDataSource Build()
    {
        var settings = ConnectionStringBuilder.ToSettings();
        return new PgDataSource(settings, _loggerFactory, types: Types(settings.ArrayNullability), lanes: _lanes);
    }

    /// <summary>
    /// Makes the names of PostgreSQL types, labels and fields from those of .NET where no <see cref="PgNameAttribute"/> says otherwise; by
    /// default <see cref="PgSnakeCaseNameTranslator"/>.
    /// </summary>
    public IPgNameTranslator DefaultNameTranslator { get => _mapper.DefaultNameTranslator; set => _mapper.DefaultNameTranslator = value; }

    /// <summary>
    /// What is done with a DateTime or DateTimeOffset that does not fit its type; <see cref="TimestampPolicy.Strict"/> by default.
    /// </summary>
    public TimestampPolicy TimestampPolicy { get; set; }

    /// <summary>What is done with a <c>numeric</c> that does not fit into decimal; <see cref="NumericPolicy.Throw"/> by default.</summary>
    public NumericPolicy NumericPolicy { get; set; }

    /// <inheritdoc cref="IPgTypeMapper.MapEnum{TEnum}"/>
    public PgDataSourceBuilder MapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum => Do(_mapper.MapEnum<TEnum>(pgName, nameTranslator));

    /// <inheritdoc cref="IPgTypeMapper.MapEnum(Type, string, IPgNameTranslator)"/>
    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    public PgDataSourceBuilder MapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapEnum(clrType, pgName, nameTranslator));

    /// <inheritdoc/>
    public bool UnmapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum => _mapper.UnmapEnum<TEnum>(pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapEnum(clrType, pgName, nameTranslator);

    /// <inheritdoc cref="IPgTypeMapper.MapComposite{T}"/>
    public PgDataSourceBuilder MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapComposite<T>(pgName, nameTranslator));

    /// <inheritdoc cref="IPgTypeMapper.MapComposite(Type, string, IPgNameTranslator)"/>
    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    public PgDataSourceBuilder MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType,
        string? pgName = null,
        IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapComposite(clrType, pgName, nameTranslator));

    /// <inheritdoc/>
    public bool UnmapComposite<T>(string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapComposite<T>(pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapComposite(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapComposite(clrType, pgName, nameTranslator);

    /// <inheritdoc cref="IPgTypeMapper.AddCodec"/>
    public PgDataSourceBuilder AddCodec(string typeName, params Codec[] codecs) => Do(_mapper.AddCodec(typeName, codecs));

    /// <inheritdoc cref="IPgTypeMapper.ConfigureJsonOptions"/>
    public PgDataSourceBuilder ConfigureJsonOptions(JsonSerializerOptions options) => Do(_mapper.ConfigureJsonOptions(options));

    /// <inheritdoc cref="IPgTypeMapper.EnableDynamicJson"/>
    public PgDataSourceBuilder EnableDynamicJson(Type[]? jsonbClrTypes = null, Type[]? jsonClrTypes = null) =>
        Do(_mapper.EnableDynamicJson(jsonbClrTypes, jsonClrTypes));

    /// <inheritdoc cref="IPgTypeMapper.EnableRecordsAsTuples"/>
    public PgDataSourceBuilder EnableRecordsAsTuples() => this;

    /// <inheritdoc cref="IPgTypeMapper.EnableUnmappedTypes"/>
    public PgDataSourceBuilder EnableUnmappedTypes() => this;

    IPgTypeMapper IPgTypeMapper.MapEnum<TEnum>(string? pgName, IPgNameTranslator? nameTranslator) => MapEnum<TEnum>(pgName, nameTranslator);

    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    IPgTypeMapper IPgTypeMapper.MapEnum(Type clrType, string? pgName, IPgNameTranslator? nameTranslator) =>
        MapEnum(clrType, pgName, nameTranslator);

    IPgTypeMapper IPgTypeMapper.MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName, IPgNameTranslator? nameTranslator) =>
        MapComposite<T>(pgName, nameTranslator);

    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    IPgTypeMapper IPgTypeMapper.MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType, string? pgName, IPgNameTranslator? nameTranslator) =>
        MapComposite(clrType, pgName, nameTranslator);

    IPgTypeMapper IPgTypeMapper.AddCodec(string typeName, params Codec[] codecs) => AddCodec(typeName, codecs);

    IPgTypeMapper IPgTypeMapper.ConfigureJsonOptions(JsonSerializerOptions options) => ConfigureJsonOptions(options);

    IPgTypeMapper IPgTypeMapper.EnableDynamicJson(Type[]? jsonbClrTypes, Type[]? jsonClrTypes) =>
        EnableDynamicJson(jsonbClrTypes, jsonClrTypes);

    IPgTypeMapper IPgTypeMapper.EnableRecordsAsTuples() => this;

    IPgTypeMapper IPgTypeMapper.EnableUnmappedTypes() => this;

    private PgDataSourceBuilder Do(IPgTypeMapper said)
    {
        System.Diagnostics.Debug.Assert(ReferenceEquals(said, _mapper), "the mapper returns itself");
        return this;
    }

    // What is said to the builder later has no effect on data sources that it has made; what is said for all data sources has.
    private Func<DatabaseTypes> Types(ArrayNullabilityMode arrayNullability)
    {
        var own = _mapper.Mappings();
        var settings = new TypeSettings
        {
            Timestamps = TimestampPolicy,
            Numerics = NumericPolicy,
            ArrayNullability = arrayNullability,
            Json = _mapper.Json,
        };
        return () => DatabaseTypes.Make(
            settings with { Json = settings.Json ?? PgTypeMapper.Global.Json }, own.Over(PgTypeMapper.Global.Mappings()));
    }
}
