namespace Loxo.Types;

internal static class ArrayTypes
{
    private const string AnyArray = "anyarray";

    public static TypeEntry WithArray(this TypeEntry element, ArrayNullabilityMode nullability = ArrayNullabilityMode.Never)
    {
        if (element.ArrayOid == 0)
            return element;
        TextFormatter formatter = element.TextFormat is { } format ? new ArrayTextFormat(element, format) : new ArrayTextFormatter(element);
        element.Array = new TypeEntry(element.HasBinaryCodec ? () => Codecs(element, nullability, formatter) : null, formatter)
        {
            Oid = element.ArrayOid,
            Name = "_" + element.Name,
            DisplayName = element.DisplayName + "[]",
            PgDbType = element.PgDbType is { } dbType ? dbType | PgDbType.Array : null,
            Element = element,
            Factory = element.Factory?.Arrays,
        };
        return element;
    }

    /// <summary>anyarray, the type of some columns of pg_stats: each value names the type of its elements.</summary>
    public static TypeEntry Any(Func<uint, TypeEntry?> types) =>
        TypeEntry.BuiltIn(2277, 0, AnyArray, AnyArray, null, codecs: null, new AnyArrayTextFormatter(AnyArray, types));

    public static TypeEntry[] Vectors(TypeEntry oid, TypeEntry smallint) =>
    [
        TypeEntry.BuiltIn(30, 1013, "oidvector", "oidvector", PgDbType.Oidvector,
            () => [new VectorCodec<uint>(oid.CodecFor<uint>()!, oid)]),
        TypeEntry.BuiltIn(22, 1006, "int2vector", "int2vector", PgDbType.Int2Vector,
            () => [new VectorCodec<short>(smallint.CodecFor<short>()!, smallint)]),
    ];

    private static IEnumerable<Codec> Codecs(TypeEntry element, ArrayNullabilityMode nullability, TextFormatter formatter)
    {
        var arrays = new ArrayCodecs(element, nullability);
        IEnumerable<Codec> codecs =
        [
            .. element.BinaryCodecs.SelectMany(codec => codec.ArraysOf(arrays)).DistinctBy(codec => codec.ValueType),
            .. new LateBoundCodec(element).ArraysOf(arrays),
        ];
        // Where an element is read as its text, so is the array, even an array that .NET has no form for.
        return formatter is TextFormat format && element.BinaryCodecs.Any(codec => codec is FormattedTextCodec)
            ? [.. codecs, new FormattedTextCodec(element.DisplayName + "[]", format)]
            : element.BinaryCodecs.Any(codec => codec is ReadOnlyTextCodec)
            ? [.. codecs, new ReadOnlyTextCodec(element.DisplayName + "[]", formatter)]
            : codecs;
    }
}
