using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for places in tables and in the log, and snapshots.</summary>
internal static class SystemTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.TextOnly(27, 1010, "tid", PgDbType.Tid, new TidRendering()),
        BuiltInTypes.TextOnly(3220, 3221, "pg_lsn", PgDbType.PgLsn, new LsnRendering()),
        BuiltInTypes.TextOnly(2970, 2949, "txid_snapshot", null, new SnapshotRendering("txid_snapshot")),
        BuiltInTypes.TextOnly(5038, 5039, "pg_snapshot", null, new SnapshotRendering("pg_snapshot")),
    ]);
}
