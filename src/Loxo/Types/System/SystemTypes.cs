namespace Loxo.Types;

/// <summary>The built-in types for places in tables and in the log, and snapshots.</summary>
internal static class SystemTypes
{
    private static readonly TextFormat Tid = new ParsableTextFormat<PgTid>("tid", new TidCodec());
    private static readonly TextFormat Lsn = new ParsableTextFormat<PgLogSequenceNumber>("pg_lsn", new LsnCodec());

    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.Type(27, 1010, "tid", "tid", PgDbType.Tid, static () => [new TidCodec(), new FormattedTextCodec("tid", Tid)], Tid),
        BuiltInTypes.Type(3220, 3221, "pg_lsn", "pg_lsn", PgDbType.PgLsn,
            static () => [new LsnCodec(), new LsnNumberCodec(), new FormattedTextCodec("pg_lsn", Lsn)], Lsn),
        Snapshot(2970, 2949, "txid_snapshot"),
        Snapshot(5038, 5039, "pg_snapshot"),
    ]);

    private static TypeEntry Snapshot(uint oid, uint array, string name)
    {
        var codec = new SnapshotCodec(name);
        var form = new ParsableTextFormat<PgSnapshot>(name, codec);
        return BuiltInTypes.Type(oid, array, name, name, null, () => [codec, new FormattedTextCodec(name, form)], form);
    }
}
