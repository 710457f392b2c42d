using Loxo.Benchmarks.Canned;
using Loxo.Benchmarks.Peers;
using Loxo.Benchmarks.Peers.Drivers;
using Loxo.Benchmarks.Peers.Floor;
using Loxo.Benchmarks.Peers.Native;

namespace Loxo.Benchmarks;

/// <summary>The rows whose answers are canned: what a driver itself costs, with a server that takes little of the core's caches and never waits.</summary>
internal static class CannedRows
{
    public static readonly Row[] All =
    [
        Read("canned-rows", "1,000 canned rows of int8, text, timestamptz, float8, per row", CannedWork.Rows),
        Read("canned-rows-no-string", "the same without the text, per row", CannedWork.RowsWithoutString),
        Read("canned-rows-generic", "canned-rows by GetFieldValue<T>, per row", CannedWork.RowsGeneric, Loxo(PeerKind.LoxoTyped, CannedWork.Rows)),
        Read("values-read", "1,000 canned rows of int4, bool, text, uuid, timestamptz, numeric, int4[], per row", CannedWork.ReadValues),
        new Row("values-write", "parameters of these types, 100 rows of them in a statement, per row", IsAsync: false, 1_000,
        [
            new(PeerKind.Loxo, target => new LoxoWrites(target.Canned)),
            new(PeerKind.Npgsql, target => new NpgsqlWrites(target.Canned)),
            new(PeerKind.Floor, target => new FloorWrites(target.Canned)),
        ]) { UnitsPerExecution = CannedData.RowsWritten, TracedExecutions = 20 },
        .. Copies(),
        new Row("changes", $"{CannedChanges.Rows:N0} inserted rows of these columns by logical replication, per row", IsAsync: true, 20,
        [
            new(PeerKind.Loxo, target => new LoxoChanges(target.Canned)),
            new(PeerKind.Npgsql, target => new NpgsqlChanges(target.Canned)),
        ]) { UnitsPerExecution = CannedChanges.Rows, TracedExecutions = 2 },
    ];

    private static Row[] Copies()
    {
        Entrant[] drivers = [new(PeerKind.Loxo, target => new LoxoCopyIn(target.Canned)), new(PeerKind.Npgsql, target => new NpgsqlCopyIn(target.Canned))];
        var row = new Row("copy-in", "COPY of 1,000 rows of int8, text, timestamptz, float8 to a server that answers at once, per row", IsAsync: false, 400,
        [
            .. drivers,
            new(PeerKind.Libpq, target => new LibpqCopyIn(target.Canned, CannedData.Copy, CopyBytes.Canned)),
            new(PeerKind.Floor, target => new FloorCopyIn(target.Canned)),
        ])
        {
            UnitsPerExecution = CannedData.Rows, TracedExecutions = 20,
        };
        return [row, row with { Id = "copy-in-async", Title = row.Title + ", async", IsAsync = true, Entrants = drivers }];
    }

    private static Row Read(string id, string title, CannedWork work, params Entrant[] more) => new(id, title, IsAsync: false, 400,
    [
        Loxo(PeerKind.Loxo, work),
        .. more,
        new(PeerKind.Npgsql, target => new NpgsqlCanned(target.Canned, work)),
        new(PeerKind.Floor, target => new FloorCanned(target.Canned, work)),
    ]) { UnitsPerExecution = CannedData.Rows, TracedExecutions = 20 };

    private static Entrant Loxo(PeerKind kind, CannedWork work) => new(kind, target => new LoxoCanned(target.Canned, work));
}
