namespace Loxo.Types;

/// <summary>Range and multirange types, made from the types of their bounds.</summary>
internal static class RangeTypes
{
    public static IEnumerable<TypeEntry> All(IReadOnlyCollection<TypeEntry> scalars)
    {
        var bounds = scalars.Where(type => type.PgDbType is not null).ToDictionary(type => type.PgDbType!.Value);
        return
        [
            .. Make(bounds[PgDbType.Integer], new("int4range", 3904, 3905), new("int4multirange", 4451, 6150)),
            .. Make(bounds[PgDbType.Bigint], new("int8range", 3926, 3927), new("int8multirange", 4536, 6157)),
            .. Make(bounds[PgDbType.Numeric], new("numrange", 3906, 3907), new("nummultirange", 4532, 6151)),
            .. Make(bounds[PgDbType.Timestamp], new("tsrange", 3908, 3909), new("tsmultirange", 4533, 6152)),
            .. Make(bounds[PgDbType.TimestampTz], new("tstzrange", 3910, 3911), new("tstzmultirange", 4534, 6153)),
            .. Make(bounds[PgDbType.Date], new("daterange", 3912, 3913), new("datemultirange", 4535, 6155)),
        ];
    }

    /// <summary>The codecs for ranges of a type, as many as it has itself.</summary>
    public static IEnumerable<Codec> RangeCodecs(this TypeEntry bound, string range) => bound.RangesOf(new RangeCodecs(range));

    /// <summary>The codecs for multiranges of a type.</summary>
    public static IEnumerable<Codec> MultirangeCodecs(this TypeEntry bound, string multirange) =>
        bound.RangesOf(new MultirangeCodecs(multirange));

    public static Type? BoundOf(Type clrType) =>
        clrType.IsGenericType && clrType.GetGenericTypeDefinition() == typeof(PgRange<>) ? clrType.GetGenericArguments()[0] : null;

    private static IEnumerable<Codec> RangesOf(this TypeEntry bound, IRangeCodecs ranges) =>
        bound.BinaryCodecs.SelectMany(codec => codec.RangesOf(ranges));

    private static TypeEntry[] Make(TypeEntry bound, Row range, Row multirange)
    {
        var format = new RangeTextFormat(range.Name, bound, bound.TextFormat!);
        var multirangeFormat = new MultirangeTextFormat(multirange.Name, format);
        return
        [
            TypeEntry.BuiltIn(range.Oid, range.Array, range.Name, range.Name, bound.PgDbType | PgDbType.Range,
                () => [.. bound.RangeCodecs(range.Name), new FormattedTextCodec(range.Name, format)], format),
            TypeEntry.BuiltIn(multirange.Oid, multirange.Array, multirange.Name, multirange.Name, bound.PgDbType | PgDbType.Multirange,
                () => [.. bound.MultirangeCodecs(multirange.Name), new FormattedTextCodec(multirange.Name, multirangeFormat)],
                multirangeFormat),
        ];
    }

    private readonly record struct Row(string Name, uint Oid, uint Array);
}
