using Loxo.Types.Codecs;
using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for places in tables and in the log, and snapshots.</summary>
internal static class SystemTypes
{
    private static readonly TextForm Tid = new ParsedForm<PgTid>("tid", new TidCodec());
    private static readonly TextForm Lsn = new ParsedForm<PgLogSequenceNumber>("pg_lsn", new LsnCodec());

    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.Type(27, 1010, "tid", "tid", PgDbType.Tid, static () => [new TidCodec(), new TextOfValueCodec("tid", Tid)], Tid),
        BuiltInTypes.Type(3220, 3221, "pg_lsn", "pg_lsn", PgDbType.PgLsn,
            static () => [new LsnCodec(), new LsnNumberCodec(), new TextOfValueCodec("pg_lsn", Lsn)], Lsn),
        Snapshot(2970, 2949, "txid_snapshot"),
        Snapshot(5038, 5039, "pg_snapshot"),
    ]);

    private static TypeEntry Snapshot(uint oid, uint array, string name)
    {
        var codec = new SnapshotCodec(name);
        var form = new ParsedForm<PgSnapshot>(name, codec);
        return BuiltInTypes.Type(oid, array, name, name, null, () => [codec, new TextOfValueCodec(name, form)], form);
    }
}
