namespace Loxo.Types;

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

    /// <summary>The codecs for ranges or multiranges of a type, as many as it has itself.</summary>
    public static IEnumerable<Codec> RangesOf(this TypeEntry bound, IRangeCodecs ranges) =>
        bound.BinaryCodecs.SelectMany(codec => codec.RangesOf(ranges));

    /// <summary>The codec of ranges whose bounds are the nullable form of what another codec reads; null for other types.</summary>
    public static Codec? NullableOf(Type clrType, Codec bound, IRangeCodecs ranges) =>
        bound is INullableBound nullable
        && BoundOf(CollectionTypes.ElementOf(clrType) ?? clrType) is { } other && other == bound.Nullable?.ValueType
            ? nullable.NullableRangesOf(ranges).FirstOrDefault(made => made.ValueType == clrType)
            : null;

    public static Type? BoundOf(Type clrType) =>
        clrType.IsGenericType && clrType.GetGenericTypeDefinition() == typeof(PgRange<>) ? clrType.GetGenericArguments()[0] : null;

    private static TypeEntry[] Make(TypeEntry bound, Row range, Row multirange)
    {
        var format = new RangeTextFormat(range.Name, bound, bound.TextFormat!);
        return
        [
            Make(range, bound.PgDbType | PgDbType.Range, format, bound, new RangeCodecs(range.Name)),
            Make(multirange, bound.PgDbType | PgDbType.Multirange, new MultirangeTextFormat(multirange.Name, format), bound,
                new MultirangeCodecs(multirange.Name)),
        ];
    }

    private static TypeEntry Make(Row row, PgDbType? dbType, TextFormat format, TypeEntry bound, IRangeCodecs ranges) =>
        TypeEntry.WithText(row.Oid, row.Array, row.Name, row.Name, dbType, format, () => bound.RangesOf(ranges));

    private readonly record struct Row(string Name, uint Oid, uint Array);
}
