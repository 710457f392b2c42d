using System.Text.Json;

namespace Loxo;

/// <summary>
/// Says how PostgreSQL types are read and written beyond what is built in. Enums, composite types, records and ranges work without a word
/// here: a mapping makes a .NET type the one that a column is read as when none is asked for, and gives it a name that the name translator
/// would not find.
/// </summary>
/// <remarks>
/// A data source builder is one for its data sources; <see cref="PgTypeMapper.Global"/> is one for all. The order of calls matters only
/// where two say different things: the later one counts.
/// </remarks>
public interface IPgTypeMapper
{
    /// <summary>
    /// Makes the names of PostgreSQL types, labels and fields from those of .NET where no <see cref="PgNameAttribute"/> says otherwise.
    /// </summary>
    IPgNameTranslator DefaultNameTranslator { get; set; }

    /// <summary>Maps an enum to an enum type.</summary>
    /// <typeparam name="TEnum">The .NET type.</typeparam>
    /// <param name="pgName">The PostgreSQL type, qualified by its schema or not; null for what attribute or translator say.</param>
    /// <param name="nameTranslator">Makes the labels; null for <see cref="DefaultNameTranslator"/>.</param>
    IPgTypeMapper MapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum;

    /// <inheritdoc cref="MapEnum{TEnum}"/>
    /// <param name="clrType">The .NET type.</param>
    /// <param name="pgName">The PostgreSQL type, qualified by its schema or not; null for what attribute or translator say.</param>
    /// <param name="nameTranslator">Makes the labels; null for <see cref="DefaultNameTranslator"/>.</param>
    /// <exception cref="ArgumentException">The type is no enum.</exception>
    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    IPgTypeMapper MapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <summary>Takes a mapping back; false if there was none.</summary>
    /// <typeparam name="TEnum">The .NET type.</typeparam>
    /// <param name="pgName">As it was mapped.</param>
    /// <param name="nameTranslator">As it was mapped.</param>
    bool UnmapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum;

    /// <inheritdoc cref="UnmapEnum{TEnum}"/>
    /// <param name="clrType">The .NET type.</param>
    /// <param name="pgName">As it was mapped.</param>
    /// <param name="nameTranslator">As it was mapped.</param>
    bool UnmapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <summary>
    /// Maps a class or struct to a composite type: by the parameters of its constructor, or by its settable properties and fields.
    /// </summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="pgName">The PostgreSQL type, qualified by its schema or not; null for what attribute or translator say.</param>
    /// <param name="nameTranslator">Makes the names of the fields; null for <see cref="DefaultNameTranslator"/>.</param>
    IPgTypeMapper MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <inheritdoc cref="MapComposite{T}"/>
    /// <param name="clrType">The .NET type.</param>
    /// <param name="pgName">The PostgreSQL type, qualified by its schema or not; null for what attribute or translator say.</param>
    /// <param name="nameTranslator">Makes the names of the fields; null for <see cref="DefaultNameTranslator"/>.</param>
    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    IPgTypeMapper MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType,
        string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <summary>Takes a mapping back; false if there was none.</summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="pgName">As it was mapped.</param>
    /// <param name="nameTranslator">As it was mapped.</param>
    bool UnmapComposite<T>(string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <inheritdoc cref="UnmapComposite{T}"/>
    /// <param name="clrType">The .NET type.</param>
    /// <param name="pgName">As it was mapped.</param>
    /// <param name="nameTranslator">As it was mapped.</param>
    bool UnmapComposite(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null);

    /// <summary>
    /// Reads and writes a PostgreSQL type by codecs of your own; arrays, ranges and nullable forms come with them. Codecs added last come
    /// first: the first one is what a column is read by when no .NET type is asked for. A value of a codec's .NET type is written as this
    /// PostgreSQL type.
    /// </summary>
    /// <param name="typeName">
    /// As in SQL, qualified by its schema or not: <c>vector</c>, <c>gis.geometry</c>, <c>timestamp with time zone</c>.
    /// </param>
    /// <param name="codecs">At least one.</param>
    /// <exception cref="ArgumentException">The name is empty, or a codec is null.</exception>
    IPgTypeMapper AddCodec(string typeName, params Codec[] codecs);

    /// <summary>How objects become json and jsonb and back. Without it, System.Text.Json's defaults.</summary>
    /// <param name="options">A source-generated context as its resolver makes it work in trimmed and native programs.</param>
    IPgTypeMapper ConfigureJsonOptions(JsonSerializerOptions options);

    /// <summary>Nothing: any class can be read from and written as json and jsonb. It is here for programs that called it before.</summary>
    /// <param name="jsonbClrTypes">Written as jsonb when no PostgreSQL type is named.</param>
    /// <param name="jsonClrTypes">Written as json when no PostgreSQL type is named.</param>
    /// <exception cref="ArgumentException">A type is null.</exception>
    IPgTypeMapper EnableDynamicJson(Type[]? jsonbClrTypes = null, Type[]? jsonClrTypes = null);

    /// <summary>Nothing: records can be read as tuples. It is here for programs that called it before.</summary>
    IPgTypeMapper EnableRecordsAsTuples();

    /// <summary>Takes everything back that was said to the mapper.</summary>
    void Reset();

    /// <summary>Nothing: enums, ranges and composite types need no mapping. It is here for programs that called it before.</summary>
    IPgTypeMapper EnableUnmappedTypes();
}
