using Loxo.Types.Codecs;
using Loxo.Types.TextFormat;

namespace Loxo.Types;

/// <summary>The types of every PostgreSQL server (pg_type.dat). Their array types come with them.</summary>
internal static class BuiltInTypes
{
    public static IReadOnlyCollection<TypeEntry> All { get; } = Create();

    private static List<TypeEntry> Create()
    {
        var types = new List<TypeEntry>();
        AddNumbers(types);
        AddTexts(types);
        AddDatesAndTimes(types);
        AddOtherScalars(types);
        AddCatalogueTypes(types);
        AddTextOnly(types);
        return types;
    }

    private static void AddNumbers(List<TypeEntry> types) => types.AddRange(
    [
        Type(16, 1000, "bool", "boolean", PgDbType.Boolean, BuiltInCodecs.Boolean, new BoolForm()),
        Type(21, 1005, "int2", "smallint", PgDbType.Smallint, BuiltInCodecs.Int2, NumberForms.Int2),
        Type(23, 1007, "int4", "integer", PgDbType.Integer, BuiltInCodecs.Int4, NumberForms.Int4),
        Type(20, 1016, "int8", "bigint", PgDbType.Bigint, BuiltInCodecs.Int8, NumberForms.Int8),
        Type(700, 1021, "float4", "real", PgDbType.Real, BuiltInCodecs.Float4, NumberForms.Float4),
        Type(701, 1022, "float8", "double precision", PgDbType.Double, BuiltInCodecs.Float8, NumberForms.Float8),
        Type(1700, 1231, "numeric", "numeric", PgDbType.Numeric, BuiltInCodecs.Numeric, new NumericForm()),
        Type(790, 791, "money", "money", PgDbType.Money, static () => [new MoneyCodec()]), // its text depends on lc_monetary
    ]);

    private static void AddTexts(List<TypeEntry> types) => types.AddRange(
    [
        Text(25, 1009, "text", "text", PgDbType.Text),
        Text(1043, 1015, "varchar", "character varying", PgDbType.Varchar),
        Text(1042, 1014, "bpchar", "character", PgDbType.Char),
        Text(19, 1003, "name", "name", PgDbType.Name),
        Text(142, 143, "xml", "xml", PgDbType.Xml),
        Text(114, 199, "json", "json", PgDbType.Json),
        Text(1790, 2201, "refcursor", "refcursor", PgDbType.Refcursor),
        Text(705, 0, "unknown", "unknown", PgDbType.Unknown),
        Text(2275, 1263, "cstring", "cstring", null),
        Text(194, 0, "pg_node_tree", "pg_node_tree", null),
        Versioned(3802, 3807, "jsonb", PgDbType.Jsonb),
        Versioned(4072, 4073, "jsonpath", PgDbType.JsonPath),
    ]);

    private static void AddDatesAndTimes(List<TypeEntry> types) => types.AddRange(
    [
        Type(1082, 1182, "date", "date", PgDbType.Date, BuiltInCodecs.Date, new DateForm()),
        Type(1083, 1183, "time", "time without time zone", PgDbType.Time, BuiltInCodecs.Time, new TimeForm()),
        Type(1266, 1270, "timetz", "time with time zone", PgDbType.TimeTz, BuiltInCodecs.TimeTz, new TimeTzForm()),
        Type(1114, 1115, "timestamp", "timestamp without time zone", PgDbType.Timestamp, BuiltInCodecs.Timestamp, new TimestampForm(false)),
        Type(1184, 1185, "timestamptz", "timestamp with time zone", PgDbType.TimestampTz, BuiltInCodecs.TimestampTz, new TimestampForm(true)),
        Type(1186, 1187, "interval", "interval", PgDbType.Interval, BuiltInCodecs.Interval, new IntervalForm()),
    ]);

    private static void AddOtherScalars(List<TypeEntry> types) => types.AddRange(
    [
        Type(17, 1001, "bytea", "bytea", PgDbType.Bytea, static () => TextFamily.Bytes, new ByteaForm()),
        Type(2950, 2951, "uuid", "uuid", PgDbType.Uuid, static () => [new UuidCodec()], new UuidForm()),
        Type(18, 1002, "char", "\"char\"", PgDbType.InternalChar, BuiltInCodecs.InternalChar, new InternalCharForm()),
        Type(2278, 0, "void", "void", null, static () => [new VoidCodec()]),
    ]);

    private static void AddCatalogueTypes(List<TypeEntry> types)
    {
        var smallint = types.Find(type => type.Name == "int2")!;
        var oid = Oid(26, 1028, "oid", PgDbType.Oid, NumberForms.Oid);
        types.AddRange(
        [
            oid,
            Oid(28, 1011, "xid", PgDbType.Xid, NumberForms.Oid),
            Oid(29, 1012, "cid", PgDbType.Cid, NumberForms.Oid),
            Type(5069, 271, "xid8", "xid8", PgDbType.Xid8, static () => [new Xid8Codec()], NumberForms.Xid8),
            Type(30, 1013, "oidvector", "oidvector", PgDbType.Oidvector, () => BuiltInCodecs.Vector<uint>(oid)),
            Type(22, 1006, "int2vector", "int2vector", PgDbType.Int2Vector, () => BuiltInCodecs.Vector<short>(smallint)),
            // In text format these are names, not numbers.
            Oid(24, 1008, "regproc"),
            Oid(2202, 2207, "regprocedure"),
            Oid(2203, 2208, "regoper"),
            Oid(2204, 2209, "regoperator"),
            Oid(2205, 2210, "regclass"),
            Oid(4191, 4192, "regcollation"),
            Oid(2206, 2211, "regtype", PgDbType.Regtype),
            Oid(4096, 4097, "regrole"),
            Oid(4089, 4090, "regnamespace"),
            Oid(3734, 3735, "regconfig", PgDbType.Regconfig),
            Oid(3769, 3770, "regdictionary"),
        ]);
    }

    // They have no codec yet: strings, in text format wherever that can be chosen.
    private static void AddTextOnly(List<TypeEntry> types)
    {
        types.AddRange(
        [
            TextOnly(869, 1041, "inet", PgDbType.Inet, new NetworkRendering("inet")),
            TextOnly(650, 651, "cidr", PgDbType.Cidr, new NetworkRendering("cidr")),
            TextOnly(829, 1040, "macaddr", PgDbType.MacAddr, new MacAddressRendering("macaddr", 6)),
            TextOnly(774, 775, "macaddr8", PgDbType.MacAddr8, new MacAddressRendering("macaddr8", 8)),
            TextOnly(600, 1017, "point", PgDbType.Point, GeometricRendering.Point),
            TextOnly(628, 629, "line", PgDbType.Line, GeometricRendering.Line),
            TextOnly(601, 1018, "lseg", PgDbType.LSeg, GeometricRendering.LineSegment),
            TextOnly(603, 1020, "box", PgDbType.Box, GeometricRendering.Box),
            TextOnly(602, 1019, "path", PgDbType.Path, GeometricRendering.Path),
            TextOnly(604, 1027, "polygon", PgDbType.Polygon, GeometricRendering.Polygon),
            TextOnly(718, 719, "circle", PgDbType.Circle, GeometricRendering.Circle),
            TextOnly(1560, 1561, "bit", PgDbType.Bit, new BitRendering("bit")),
            TextOnly(1562, 1563, "varbit", PgDbType.Varbit, new BitRendering("bit varying"), "bit varying"),
            TextOnly(3614, 3643, "tsvector", PgDbType.TsVector, new TsVectorRendering()),
            TextOnly(3615, 3645, "tsquery", PgDbType.TsQuery, new TsQueryRendering()),
            TextOnly(27, 1010, "tid", PgDbType.Tid, new TidRendering()),
            TextOnly(3220, 3221, "pg_lsn", PgDbType.PgLsn, new LsnRendering()),
            TextOnly(2970, 2949, "txid_snapshot", null, new SnapshotRendering("txid_snapshot")),
            TextOnly(5038, 5039, "pg_snapshot", null, new SnapshotRendering("pg_snapshot")),
            TextOnly(2249, 2287, "record", null, new RecordRendering()),
            TextOnly(2277, 0, "anyarray", null, new ArrayRendering(element: null)), // columns of pg_stats
            // The first two have no binary format, and that of the others is nobody's but the server's.
            TextOnly(1033, 1034, "aclitem", null, new NoRendering("aclitem")),
            TextOnly(3642, 3644, "gtsvector", null, new NoRendering("gtsvector")),
            TextOnly(3361, 0, "pg_ndistinct", null, new NoRendering("pg_ndistinct")),
            TextOnly(3402, 0, "pg_dependencies", null, new NoRendering("pg_dependencies")),
            TextOnly(5017, 0, "pg_mcv_list", null, new NoRendering("pg_mcv_list")),
        ]);
        AddRange(types, PgDbType.Integer, new("int4range", 3904, 3905), new("int4multirange", 4451, 6150));
        AddRange(types, PgDbType.Bigint, new("int8range", 3926, 3927), new("int8multirange", 4536, 6157));
        AddRange(types, PgDbType.Numeric, new("numrange", 3906, 3907), new("nummultirange", 4532, 6151));
        AddRange(types, PgDbType.Timestamp, new("tsrange", 3908, 3909), new("tsmultirange", 4533, 6152));
        AddRange(types, PgDbType.TimestampTz, new("tstzrange", 3910, 3911), new("tstzmultirange", 4534, 6153));
        AddRange(types, PgDbType.Date, new("daterange", 3912, 3913), new("datemultirange", 4535, 6155));
    }

    private static void AddRange(List<TypeEntry> types, PgDbType element, RangeType range, RangeType multirange)
    {
        var rendering = new RangeRendering(range.Name, types.Find(type => type.PgDbType == element)!);
        types.Add(TextOnly(range.Oid, range.Array, range.Name, element | PgDbType.Range, rendering));
        types.Add(TextOnly(multirange.Oid, multirange.Array, multirange.Name, element | PgDbType.Multirange,
            new MultirangeRendering(multirange.Name, rendering)));
    }

    private static TypeEntry Oid(uint oid, uint array, string name, PgDbType? dbType = null, TextForm? form = null) =>
        Type(oid, array, name, name, dbType, () => [new OidCodec(name)], form);

    private static TypeEntry Text(uint oid, uint array, string name, string display, PgDbType? dbType) =>
        Type(oid, array, name, display, dbType, static () => TextFamily.All, new IdentityForm());

    private static TypeEntry Versioned(uint oid, uint array, string name, PgDbType dbType) =>
        Type(oid, array, name, name, dbType, () => VersionedText.All(name), new VersionedForm(name));

    private static TypeEntry TextOnly(
        uint oid, uint array, string name, PgDbType? dbType, TextRendering rendering, string? display = null) =>
        Type(oid, array, name, display ?? name, dbType, codecs: null, rendering);

    private static TypeEntry Type(
        uint oid, uint array, string name, string display, PgDbType? dbType,
        Func<IEnumerable<Codec>>? codecs, TextRendering? rendering = null)
    {
        var type = new TypeEntry(codecs, rendering) { Oid = oid, Name = name, DisplayName = display, PgDbType = dbType };
        return array == 0 ? type : type.WithArray(array);
    }

    private readonly record struct RangeType(string Name, uint Oid, uint Array);
}
