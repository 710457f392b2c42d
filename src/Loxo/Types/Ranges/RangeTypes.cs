namespace Loxo.Types;

/// <summary>The built-in ranges and multiranges.</summary>
internal static class RangeTypes
{
    public static void Add(List<TypeEntry> types)
    {
        Add(types, PgDbType.Integer, new("int4range", 3904, 3905), new("int4multirange", 4451, 6150));
        Add(types, PgDbType.Bigint, new("int8range", 3926, 3927), new("int8multirange", 4536, 6157));
        Add(types, PgDbType.Numeric, new("numrange", 3906, 3907), new("nummultirange", 4532, 6151));
        Add(types, PgDbType.Timestamp, new("tsrange", 3908, 3909), new("tsmultirange", 4533, 6152));
        Add(types, PgDbType.TimestampTz, new("tstzrange", 3910, 3911), new("tstzmultirange", 4534, 6153));
        Add(types, PgDbType.Date, new("daterange", 3912, 3913), new("datemultirange", 4535, 6155));
    }

    private static void Add(List<TypeEntry> types, PgDbType element, RangeType range, RangeType multirange)
    {
        var bound = types.Find(type => type.PgDbType == element)!;
        var form = new RangeTextFormat(range.Name, bound, bound.TextFormat!);
        types.Add(BuiltInTypes.Type(range.Oid, range.Array, range.Name, range.Name, element | PgDbType.Range,
            () => [.. bound.RangeCodecs(range.Name), new FormattedTextCodec(range.Name, form)], form));
        var multirangeForm = new MultirangeTextFormat(multirange.Name, form);
        types.Add(BuiltInTypes.Type(multirange.Oid, multirange.Array, multirange.Name, multirange.Name, element | PgDbType.Multirange,
            () => [.. bound.MultirangeCodecs(multirange.Name), new FormattedTextCodec(multirange.Name, multirangeForm)], multirangeForm));
    }

    private readonly record struct RangeType(string Name, uint Oid, uint Array);
}
