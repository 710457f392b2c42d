using System.Text.Json;

namespace Loxo;

/// <summary>Collects mappings of types; see <see cref="IPgTypeMapper"/>.</summary>
public sealed class PgTypeMapper : IPgTypeMapper
{
    private readonly Lock _changing = new();
    private TypeMappings _mappings = new();
    private IPgNameTranslator? _translator;
    private JsonSerializerOptions? _json;
    private int _version;

    internal PgTypeMapper()
    {
    }

    /// <summary>Mappings for every data source, including those behind connection strings and those that were built before.</summary>
    public static PgTypeMapper Global { get; } = new();

    /// <inheritdoc/>
    public IPgNameTranslator DefaultNameTranslator
    {
        get => _translator ?? PgSnakeCaseNameTranslator.Instance;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            Change(() => _translator = value);
        }
    }

    internal int Version => Volatile.Read(ref _version);

    /// <inheritdoc/>
    public IPgTypeMapper MapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum
    {
        var labels = new Lazy<EnumLabels<TEnum>>(() => new EnumLabels<TEnum>(nameTranslator ?? DefaultNameTranslator));
        return Map(typeof(TEnum), pgName, nameTranslator, type =>
            type.Description is { Kind: 'e' } ? new EnumCodec<TEnum>(labels.Value) : null);
    }

    /// <inheritdoc/>
    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    public IPgTypeMapper MapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null)
    {
        ArgumentNullException.ThrowIfNull(clrType);
        if (!clrType.IsEnum)
            throw new ArgumentException($"{clrType} is no enum.", nameof(clrType));
        var translator = nameTranslator ?? DefaultNameTranslator;
        return Map(clrType, pgName, nameTranslator, type =>
            type.Description is { Kind: 'e' } ? new EnumCodecFactory(translator).Create(clrType, type) : null);
    }

    /// <inheritdoc/>
    public bool UnmapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum => Unmap(typeof(TEnum), pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Unmap(clrType, pgName, nameTranslator);

    /// <inheritdoc/>
    public IPgTypeMapper MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Map(typeof(T), pgName, nameTranslator, type =>
            type.Description is { Kind: 'c' } ? new CompositeCodec<T>(type, nameTranslator ?? DefaultNameTranslator) : null);

    /// <inheritdoc/>
    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    public IPgTypeMapper MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null)
    {
        ArgumentNullException.ThrowIfNull(clrType);
        return Map(clrType, pgName, nameTranslator, type =>
            type.Description is { Kind: 'c' } ? CompositeCodecFactory.Make(clrType, type, nameTranslator ?? DefaultNameTranslator) : null);
    }

    /// <inheritdoc/>
    public bool UnmapComposite<T>(string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Unmap(typeof(T), pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapComposite(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Unmap(clrType, pgName, nameTranslator);

    /// <inheritdoc/>
    public IPgTypeMapper AddCodec(string typeName, params Codec[] codecs)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(typeName);
        ArgumentNullException.ThrowIfNull(codecs);
        if (codecs.Contains(null!))
            throw new ArgumentException("A codec is null.", nameof(codecs));
        var name = NameOf(typeName);
        return Change(() =>
        {
            // The first of them is to come first.
            foreach (var codec in Enumerable.Reverse(codecs))
                _mappings.Add(new(name, codec.ValueType, _ => codec));
        });
    }

    /// <inheritdoc/>
    public IPgTypeMapper ConfigureJsonOptions(JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return Change(() => _json = options);
    }

    /// <inheritdoc/>
    public IPgTypeMapper EnableDynamicJson(Type[]? jsonbClrTypes = null, Type[]? jsonClrTypes = null)
    {
        if (jsonbClrTypes?.Contains(null) == true)
            throw new ArgumentException("A type is null.", nameof(jsonbClrTypes));
        if (jsonClrTypes?.Contains(null) == true)
            throw new ArgumentException("A type is null.", nameof(jsonClrTypes));
        return Change(() =>
        {
            foreach (var clrType in jsonbClrTypes ?? [])
                _mappings.Add(new(new TypeName("pg_catalog", "jsonb"), clrType, static _ => null));
            foreach (var clrType in jsonClrTypes ?? [])
                _mappings.Add(new(new TypeName("pg_catalog", "json"), clrType, static _ => null));
        });
    }

    /// <inheritdoc/>
    public IPgTypeMapper EnableRecordsAsTuples() => this;

    /// <inheritdoc/>
    public IPgTypeMapper EnableUnmappedTypes() => this;

    /// <inheritdoc/>
    public void Reset() => Change(() =>
    {
        _mappings = new();
        (_translator, _json) = (null, null);
    });

    internal JsonSerializerOptions? Json => _json;

    internal TypeMappings Mappings()
    {
        lock (_changing)
            return _mappings.Over(TypeMappings.None, _translator);
    }

    private PgTypeMapper Map(Type clrType, string? pgName, IPgNameTranslator? translator, Func<TypeEntry, Codec?> make) =>
        Change(() => _mappings.Add(new(NameOf(clrType, pgName, translator), clrType, make)));

    private bool Unmap(Type clrType, string? pgName, IPgNameTranslator? translator)
    {
        ArgumentNullException.ThrowIfNull(clrType);
        var was = false;
        Change(() => was = _mappings.Remove(clrType, NameOf(clrType, pgName, translator)));
        return was;
    }

    private TypeName NameOf(Type clrType, string? pgName, IPgNameTranslator? translator) =>
        pgName is null ? ClrMembers.TypeNameOf(clrType, translator ?? DefaultNameTranslator) : TypeName.Parse(pgName);

    // Of the several names that a built-in type has, the one that pg_type has.
    private static TypeName NameOf(string typeName) =>
        TypeCatalog.BuiltIn.Find(typeName) is { } builtIn ? new TypeName("pg_catalog", builtIn.Name) : TypeName.Parse(typeName);

    private PgTypeMapper Change(Action change)
    {
        lock (_changing)
            change();
        Interlocked.Increment(ref _version);
        return this;
    }
}
