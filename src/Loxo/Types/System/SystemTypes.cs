namespace Loxo.Types;

/// <summary>The built-in types of the server's own tables: object identifiers, transactions, positions in tables and in the log.</summary>
internal static class SystemTypes
{
    public static TypeEntry[] All() =>
    [
        Oid(26, 1028, "oid", PgDbType.Oid, new IntegerTextFormat<uint>("oid")),
        Oid(28, 1011, "xid", PgDbType.Xid, new IntegerTextFormat<uint>("oid")),
        Oid(29, 1012, "cid", PgDbType.Cid, new IntegerTextFormat<uint>("oid")),
        TypeEntry.BuiltIn(5069, 271, "xid8", "xid8", PgDbType.Xid8, static () => [new NumberCodec<ulong, ulong>("xid8")],
            new IntegerTextFormat<ulong>("xid8")),
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
        TypeEntry.Parsable<PgTid>(27, 1010, "tid", PgDbType.Tid, new TidCodec()),
        TypeEntry.Parsable<PgLogSequenceNumber>(
            3220, 3221, "pg_lsn", PgDbType.PgLsn, new LsnCodec(), new NumberCodec<ulong, ulong>("pg_lsn")),
        TypeEntry.Parsable<PgSnapshot>(2970, 2949, "txid_snapshot", null, new SnapshotCodec("txid_snapshot")),
        TypeEntry.Parsable<PgSnapshot>(5038, 5039, "pg_snapshot", null, new SnapshotCodec("pg_snapshot")),
        // Only the server knows the binary format of these: they are strings, requested in text format wherever that can be chosen.
        TextOnly(1033, 1034, "aclitem"),
        TextOnly(3642, 3644, "gtsvector"),
        TextOnly(3361, 0, "pg_ndistinct"),
        TextOnly(3402, 0, "pg_dependencies"),
        TextOnly(5017, 0, "pg_mcv_list"),
    ];

    private static TypeEntry Oid(uint oid, uint array, string name, PgDbType? dbType = null, TextFormat? format = null) =>
        TypeEntry.BuiltIn(oid, array, name, name, dbType, () => [new NumberCodec<uint, uint>(name)], format);

    private static TypeEntry TextOnly(uint oid, uint array, string name) =>
        TypeEntry.BuiltIn(oid, array, name, name, null, codecs: null, new NoTextFormatter(name));
}
