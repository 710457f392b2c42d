namespace Loxo.Types;

/// <summary>The types of every PostgreSQL server (pg_type.dat). Their array types come with them.</summary>
internal static class BuiltInTypes
{
    /// <summary>All of them, read and written as <paramref name="settings"/> say.</summary>
    public static IReadOnlyCollection<TypeEntry> Create(TypeSettings settings)
    {
        var types = new List<TypeEntry>();
        AddNumbers(types, settings);
        AddTexts(types);
        JsonTypes.Add(types, settings);
        AddDatesAndTimes(types, settings);
        AddOtherScalars(types);
        AddCatalogueTypes(types);
        NetworkTypes.Add(types);
        GeometricTypes.Add(types);
        BitTypes.Add(types);
        TextSearchTypes.Add(types);
        SystemTypes.Add(types);
        AddTextOnly(types);
        RangeTypes.Add(types);
        foreach (var type in types)
            type.ArrayNullability = settings.ArrayNullability;
        return types;
    }

    /// <summary>A type with binary codecs.</summary>
    public static TypeEntry Type(
        uint oid, uint array, string name, string display, PgDbType? dbType,
        Func<IEnumerable<Codec>>? codecs, TextFormatter? rendering = null)
    {
        var type = new TypeEntry(codecs, rendering) { Oid = oid, Name = name, DisplayName = display, PgDbType = dbType };
        return array == 0 ? type : type.WithArray(array);
    }

    /// <summary>A type without: it is exchanged as text.</summary>
    public static TypeEntry TextOnly(
        uint oid, uint array, string name, PgDbType? dbType, TextFormatter rendering, string? display = null) =>
        Type(oid, array, name, display ?? name, dbType, codecs: null, rendering);

    /// <summary>record, whose fields are of types that <paramref name="types"/> finds.</summary>
    public static TypeEntry Record(Func<uint, TypeEntry?> types) =>
        Type(TypeOids.Record, TypeOids.RecordArray, "record", "record", null, () => BuiltInCodecs.Record(types), new RecordTextFormatter(types));

    /// <summary>A type whose binary format is its text.</summary>
    public static TypeEntry Text(uint oid, uint array, string name, string display, PgDbType? dbType) =>
        Type(oid, array, name, display, dbType, static () => TextFamily.All, new PlainTextFormat());

    private static void AddNumbers(List<TypeEntry> types, TypeSettings settings) => types.AddRange(
    [
        Type(16, 1000, "bool", "boolean", PgDbType.Boolean, BuiltInCodecs.Boolean, new BoolTextFormat()),
        Type(21, 1005, "int2", "smallint", PgDbType.Smallint, BuiltInCodecs.Int2, NumberTextFormats.Int2),
        Type(23, 1007, "int4", "integer", PgDbType.Integer, BuiltInCodecs.Int4, NumberTextFormats.Int4),
        Type(20, 1016, "int8", "bigint", PgDbType.Bigint, BuiltInCodecs.Int8, NumberTextFormats.Int8),
        Type(700, 1021, "float4", "real", PgDbType.Real, BuiltInCodecs.Float4, NumberTextFormats.Float4),
        Type(701, 1022, "float8", "double precision", PgDbType.Double, BuiltInCodecs.Float8, NumberTextFormats.Float8),
        Type(1700, 1231, "numeric", "numeric", PgDbType.Numeric, () => BuiltInCodecs.Numeric(settings), new NumericTextFormat()),
        Type(790, 791, "money", "money", PgDbType.Money, static () => [new MoneyCodec()]), // its text depends on lc_monetary
    ]);

    private static void AddTexts(List<TypeEntry> types) => types.AddRange(
    [
        Text(25, 1009, "text", "text", PgDbType.Text),
        Text(1043, 1015, "varchar", "character varying", PgDbType.Varchar),
        Text(1042, 1014, "bpchar", "character", PgDbType.Char),
        Text(19, 1003, "name", "name", PgDbType.Name),
        Text(142, 143, "xml", "xml", PgDbType.Xml),
        Text(1790, 2201, "refcursor", "refcursor", PgDbType.Refcursor),
        Text(705, 0, "unknown", "unknown", PgDbType.Unknown),
        Text(2275, 1263, "cstring", "cstring", null),
        Text(194, 0, "pg_node_tree", "pg_node_tree", null),
        Versioned(4072, 4073, "jsonpath", PgDbType.JsonPath),
    ]);

    private static void AddDatesAndTimes(List<TypeEntry> types, TypeSettings settings) => types.AddRange(
    [
        Type(1082, 1182, "date", "date", PgDbType.Date, BuiltInCodecs.Date, new DateTextFormat()),
        Type(1083, 1183, "time", "time without time zone", PgDbType.Time, BuiltInCodecs.Time, new TimeTextFormat()),
        Type(1266, 1270, "timetz", "time with time zone", PgDbType.TimeTz, BuiltInCodecs.TimeTz, new TimeTzTextFormat()),
        Type(1114, 1115, "timestamp", "timestamp without time zone", PgDbType.Timestamp, () => BuiltInCodecs.Timestamp(settings), new TimestampTextFormat(false)),
        Type(1184, 1185, "timestamptz", "timestamp with time zone", PgDbType.TimestampTz, () => BuiltInCodecs.TimestampTz(settings), new TimestampTextFormat(true)),
        Type(1186, 1187, "interval", "interval", PgDbType.Interval, BuiltInCodecs.Interval, new IntervalTextFormat()),
    ]);

    private static void AddOtherScalars(List<TypeEntry> types) => types.AddRange(
    [
        Type(17, 1001, "bytea", "bytea", PgDbType.Bytea, static () => TextFamily.Bytes, new ByteaTextFormat()),
        Type(2950, 2951, "uuid", "uuid", PgDbType.Uuid, static () => [new UuidCodec()], new UuidTextFormat()),
        Type(18, 1002, "char", "\"char\"", PgDbType.InternalChar, BuiltInCodecs.InternalChar, new InternalCharTextFormat()),
        Type(2278, 0, "void", "void", null, static () => [new VoidCodec()]),
        Record(static oid => TypeCatalog.BuiltIn.Find(oid)),
    ]);

    private static void AddCatalogueTypes(List<TypeEntry> types)
    {
        var smallint = types.Find(type => type.Name == "int2")!;
        var oid = Oid(26, 1028, "oid", PgDbType.Oid, NumberTextFormats.Oid);
        types.AddRange(
        [
            oid,
            Oid(28, 1011, "xid", PgDbType.Xid, NumberTextFormats.Oid),
            Oid(29, 1012, "cid", PgDbType.Cid, NumberTextFormats.Oid),
            Type(5069, 271, "xid8", "xid8", PgDbType.Xid8, static () => [new Xid8Codec()], NumberTextFormats.Xid8),
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

    // They are strings, in text format wherever that can be chosen: what they have of a binary format is nobody's but the server's.
    private static void AddTextOnly(List<TypeEntry> types) => types.AddRange(
    [
        TextOnly(2277, 0, "anyarray", null, new ArrayTextFormatter(element: null)), // columns of pg_stats
        TextOnly(1033, 1034, "aclitem", null, new NoTextFormatter("aclitem")),
        TextOnly(3642, 3644, "gtsvector", null, new NoTextFormatter("gtsvector")),
        TextOnly(3361, 0, "pg_ndistinct", null, new NoTextFormatter("pg_ndistinct")),
        TextOnly(3402, 0, "pg_dependencies", null, new NoTextFormatter("pg_dependencies")),
        TextOnly(5017, 0, "pg_mcv_list", null, new NoTextFormatter("pg_mcv_list")),
    ]);

    private static TypeEntry Oid(uint oid, uint array, string name, PgDbType? dbType = null, TextFormat? form = null) =>
        Type(oid, array, name, name, dbType, () => [new OidCodec(name)], form);

    private static TypeEntry Versioned(uint oid, uint array, string name, PgDbType dbType) =>
        Type(oid, array, name, name, dbType, () => VersionedText.All(name), new VersionedTextFormat(name));
}
