using Loxo.Benchmarks.Peers;
using Loxo.Benchmarks.Peers.Drivers;
using Loxo.Benchmarks.Peers.Floor;
using Loxo.Benchmarks.Peers.Native;

namespace Loxo.Benchmarks;

/// <summary>The rows of the table. Batches last about a tenth of a second.</summary>
internal static class Rows
{
    // The ways in which asynchronous calls of Loxo can wait.
    private static readonly PeerKind[] Engines =
        [.. new[] { PeerKind.Loxo, PeerKind.LoxoReactor, PeerKind.LoxoReactorPool }.Where(PeerKind.All.Contains)];

    // Loxo where a lone caller sleeps at once.
    private static readonly PeerKind[] Sleeping = [.. new[] { PeerKind.LoxoSleep }.Where(PeerKind.All.Contains)];

    /// <summary>The name of all points of the curve together.</summary>
    public const string ThreadsGroup = "threads";

    private const int Callers = 32;
    private const string SixteenConnections = "Maximum Pool Size=16";

    private static readonly int[] ThreadCounts = [1, 2, 4, 8, 16, 32, 64];

    public static readonly Row[] All =
    [
        .. OnOpenConnection("lookup", "prepared lookup by key", Workload.Lookup, 4_000),
        .. Both("lookup-telemetry", "prepared lookup by key; Loxo-telemetry with spans, metrics and logs", 4_000, TelemetryDrivers(), []),
        .. OnOpenConnection("rows", "1,000 rows of 5 columns, per row", Workload.ReadRows, 150, TestData.RowsRead),
        .. OnOpenConnection("select1", "SELECT 1, not prepared", Workload.SelectOne, 3_000),
        .. OnOpenConnection("new", "lookup, not prepared, new command", Workload.NewCommand, 3_000),
        .. Both("open-query-close", "open, new command, one parameter, one row, close", 3_000, OpenQueryClose(), LibpqAndFloor(Workload.Lookup)),
        .. Both("join", "the same with a five-way join and two parameters, elapsed", 300, Drivers(Workload.Join), LibpqAndFloor(Workload.Join), Measure.Elapsed),
        .. Both("twelve-rows", "12 rows, 16 connections, 32 callers, rent each", 100 * Callers, TwelveRowsDrivers(), TwelveRowsOthers()),
        .. Both("updates", "20 updates in a PgBatch in a transaction", 250, UpdatesDrivers(), UpdatesOthers(UpdatesForm.Transaction)),
        .. Both("pipeline", "20 updates in a pipeline; Npgsql's batch", 250, PipelineDrivers(), UpdatesOthers(UpdatesForm.Group)),
        .. Many("many", 1_000, batch: 20, traced: 20),
        .. Many("many-large", 100_000, batch: 1, traced: 1),
        Copying("copy-in-table", "COPY of 1,000 rows of 5 columns into a table, per row", TableCopy.In,
            new Entrant(PeerKind.Libpq, target => new LibpqCopyIn(target, CopiedItems.In, CopyBytes.Table, CopiedItems.Create, CopiedItems.Empty))),
        Copying("copy-bulk", "the same from objects by PgBulkCopy; Npgsql's importer", TableCopy.Bulk),
        Copying("copy-bulk-reader", "the same from a reader", TableCopy.Reader),
        Copying("copy-out", "COPY of 1,000 rows of 5 columns from a table, per row", TableCopy.Out,
            new Entrant(PeerKind.Libpq, target => new LibpqCopyOut(target))),
        .. Both("rent", "rent and return, nothing else", 30_000, Renting(100, yields: false), []),
        new Row("tasks", "64 tasks on a pool of 8: rent, yield, return", IsAsync: true, 64 * 500,
            [.. Renting(8, yields: true).Select(With64Callers)]),
        .. Both("parameters", "65,535 named parameters, new command", 5, ManyParametersOf(), []).Select(row => row with { TracedExecutions = 20 }),
        new Row("objects", "connection object from one string, not opened", IsAsync: false, 100_000, ConnectionObjectsOf()),
        new Row("dapper", "Dapper: open, query, close; elapsed, or ms for 1,000", IsAsync: false, 1_000, Dapper()) { Measure = Measure.Elapsed, TracedExecutions = 20 },
        .. TlsRows.All,
        .. CannedRows.All,
        .. CallersRows.All,
        .. LatencyRows.All,
        DurableRow.Row,
        .. ThreadCounts.Select(Threads),
    ];

    /// <summary>The row of that name; null when there is none.</summary>
    public static Row? Find(string id) => Array.Find(All, row => row.Id == id);

    private static Row[] OnOpenConnection(string id, string title, Workload workload, int batch, int units = 1)
    {
        Entrant[] drivers =
        [
            .. Engines.Select(kind => new Entrant(kind, target => new LoxoOpen(target.With(kind.Settings), workload))),
            new(PeerKind.Npgsql, target => new NpgsqlOpen(target.ConnectionString, workload)),
            // It would prepare what the other rows do not.
            .. workload is Workload.Lookup or Workload.ReadRows
                ? new[] { new Entrant(PeerKind.NpgsqlTuned, target => new NpgsqlOpen(target.With(PeerKind.NpgsqlTuned.Settings), workload)) }
                : [],
        ];
        Entrant[] others = workload == Workload.Lookup ? [.. LibpqAndFloor(workload), .. Reactors(workload)] : LibpqAndFloor(workload);
        return [.. Both(id, title, batch, drivers, others).Select(row => row with { UnitsPerExecution = units, TracedExecutions = units == 1 ? 500 : 20 })];
    }

    // libpq only blocks; what the reactors do differently is only awaited.
    private static Row[] Both(string id, string title, int batch, Entrant[] drivers, Entrant[] others, Measure measure = Measure.Cpu)
    {
        var blocking = drivers.Concat(others).Where(entrant => !entrant.Kind.IsAsyncOnly);
        var awaited = others.Where(entrant => entrant.Kind != PeerKind.Libpq);
        return
        [
            new Row(id, title, IsAsync: false, batch, [.. blocking]) { Measure = measure },
            new Row(id + "-async", title + ", async", IsAsync: true, batch, [.. drivers, .. awaited]) { Measure = measure },
        ];
    }

    private static Entrant[] TelemetryDrivers() =>
    [
        new(PeerKind.LoxoTelemetry, target => new LoxoTelemetry(target.ConnectionString)),
        new(PeerKind.Loxo, target => new LoxoOpen(target.ConnectionString, Workload.Lookup)),
        new(PeerKind.Npgsql, target => new NpgsqlOpen(target.ConnectionString, Workload.Lookup)),
    ];

    private static Entrant[] LibpqAndFloor(Workload workload) =>
    [
        new(PeerKind.Libpq, target => new LibpqPeer(target, workload)),
        new(PeerKind.Floor, target => new FloorPeer(target, workload)),
    ];

    private static Entrant[] Reactors(Workload workload) =>
    [
        new(PeerKind.ReactorHop, target => new FloorPeer(target, workload, FloorWait.ReactorHop)),
        new(PeerKind.ReactorInline, target => new FloorPeer(target, workload, FloorWait.ReactorInline)),
    ];

    private static Entrant[] Drivers(Workload workload, string settings = "") =>
    [
        .. Engines.Select(kind => PooledLoxo(kind, workload, settings)),
        PooledNpgsql(PeerKind.Npgsql, workload, settings),
        PooledNpgsql(PeerKind.NpgsqlTuned, workload, settings),
    ];

    private static Entrant[] OpenQueryClose() =>
    [
        .. Engines.Select(kind => PooledLoxo(kind, Workload.Lookup, "")),
        PooledLoxo(PeerKind.LoxoAlways, Workload.Lookup, ""),
        PooledLoxo(PeerKind.LoxoNever, Workload.Lookup, ""),
        PooledNpgsql(PeerKind.Npgsql, Workload.Lookup, ""),
        PooledNpgsql(PeerKind.NpgsqlTuned, Workload.Lookup, ""),
    ];

    private static Entrant PooledLoxo(PeerKind kind, Workload workload, string settings) =>
        new(kind, target => new LoxoPooled(target.With(kind.Settings, settings), workload));

    private static Entrant PooledNpgsql(PeerKind kind, Workload workload, string settings) =>
        new(kind, target => new NpgsqlPooled(target.With(kind.Settings, settings), workload));

    private static Entrant[] TwelveRowsDrivers() =>
        [.. Drivers(Workload.TwelveRows, SixteenConnections).Select(entrant => Sharing(Callers, entrant))];

    // They have no pool: sixteen callers with a connection each.
    private static Entrant[] TwelveRowsOthers() =>
        [.. LibpqAndFloor(Workload.TwelveRows).Concat(Reactors(Workload.TwelveRows)).Select(entrant => Each(Callers / 2, entrant))];

    private static Entrant Sharing(int callers, Entrant entrant) => entrant with { Open = target => Peers.Callers.Sharing(callers, entrant.Open(target)) };

    private static Entrant Each(int callers, Entrant entrant) => entrant with { Open = target => Peers.Callers.Each(callers, () => entrant.Open(target)) };

    private static Entrant With64Callers(Entrant entrant) => Sharing(64, entrant);

    private static Entrant[] UpdatesDrivers() =>
    [
        .. Engines.Select(kind => new Entrant(kind, target => new LoxoUpdates(target.With(kind.Settings)))),
        new(PeerKind.LoxoReused, target => new LoxoUpdates(target.With(PeerKind.Loxo.Settings), reuses: true)),
        new(PeerKind.Npgsql, target => new NpgsqlUpdates(target.With(PeerKind.Npgsql.Settings))),
        new(PeerKind.NpgsqlTuned, target => new NpgsqlUpdates(target.With(PeerKind.NpgsqlTuned.Settings))),
    ];

    private static Entrant[] UpdatesOthers(UpdatesForm form) =>
    [
        new(PeerKind.Libpq, target => new LibpqUpdates(target, form)),
        new(PeerKind.Floor, target => new FloorUpdates(target, form)),
        new(PeerKind.ReactorHop, target => new FloorUpdates(target, form, FloorWait.ReactorHop)),
        new(PeerKind.ReactorInline, target => new FloorUpdates(target, form, FloorWait.ReactorInline)),
    ];

    private static Entrant[] PipelineDrivers() =>
    [
        new(PeerKind.Loxo, target => new LoxoPipeline(target.With(PeerKind.Loxo.Settings))),
        new(PeerKind.LoxoOneByOne, UpdatesOneByOne.OnLoxo),
        new(PeerKind.Npgsql, target => new NpgsqlPreparedBatch(target.With(PeerKind.Npgsql.Settings))),
        new(PeerKind.NpgsqlOneByOne, UpdatesOneByOne.OnNpgsql),
    ];

    private static IEnumerable<Row> Many(string id, int rows, int batch, int traced)
    {
        Entrant[] drivers =
        [
            new(PeerKind.Loxo, target => new LoxoMany(target.With(PeerKind.Loxo.Settings), rows)),
            new(PeerKind.Npgsql, target => new NpgsqlMany(target.With(PeerKind.Npgsql.Settings), rows)),
        ];
        return Both(id, $"{rows:N0} inserts of rows of parameters in one transaction, per row", batch, drivers,
            [new(PeerKind.Libpq, target => new LibpqMany(target, rows))])
            .Select(row => row with { UnitsPerExecution = rows, TracedExecutions = traced });
    }

    private static Row Copying(string id, string title, TableCopy work, params Entrant[] others) => new(id, title, IsAsync: false, 100,
    [
        new(PeerKind.Loxo, target => new LoxoTableCopy(target, work)),
        new(PeerKind.Npgsql, target => new NpgsqlTableCopy(target, work)),
        .. others,
    ]) { UnitsPerExecution = CopiedItems.Count, TracedExecutions = 20 };

    private static Entrant[] Renting(int connections, bool yields) =>
    [
        .. Engines.Concat([PeerKind.Npgsql, PeerKind.NpgsqlTuned])
            .Select(kind => new Entrant(kind, target => Renting(kind, target.With($"Maximum Pool Size={connections}", kind.Settings), yields))),
        new(PeerKind.Floor, _ => new FloorRenting(connections, yields)),
    ];

    private static IPeer Renting(PeerKind kind, string connectionString, bool yields) =>
        kind.Column == PeerKind.Loxo.Column ? new LoxoRenting(connectionString, yields) : new NpgsqlRenting(connectionString, yields);

    private static Entrant[] ConnectionObjectsOf() =>
    [
        new(PeerKind.Loxo, target =>
        {
            var text = target.ConnectionString;
            return new ConnectionObjects(() => new PgConnection(text));
        }),
        new(PeerKind.Npgsql, target =>
        {
            var text = target.ConnectionString;
            return new ConnectionObjects(() => new global::Npgsql.NpgsqlConnection(text));
        }),
    ];

    private static Entrant[] ManyParametersOf() =>
    [
        new(PeerKind.Loxo, target => new ManyParameters(new PgConnection(target.With("Pooling=false")))),
        new(PeerKind.Npgsql, target => new ManyParameters(new global::Npgsql.NpgsqlConnection(target.With("Pooling=false")))),
    ];

    private static Entrant[] Dapper() =>
    [
        DapperOnLoxo(PeerKind.Loxo),
        DapperOnLoxo(PeerKind.LoxoUnpooled) with { Batch = 50 },
        DapperOnNpgsql(PeerKind.Npgsql),
        DapperOnNpgsql(PeerKind.NpgsqlUnpooled) with { Batch = 50 },
    ];

    private static Entrant DapperOnLoxo(PeerKind kind) => new(kind, target =>
    {
        var text = target.With(kind.Settings);
        return new DapperQueries(() => new PgConnection(text), () => Pools.ClearLoxo(text));
    });

    private static Entrant DapperOnNpgsql(PeerKind kind) => new(kind, target =>
    {
        var text = target.With(kind.Settings);
        return new DapperQueries(() => new global::Npgsql.NpgsqlConnection(text), () => Pools.ClearNpgsql(text));
    });

    // What a whole machine gets done: not on one core, and in time that passes.
    private static Row Threads(int count) => new(
        $"{ThreadsGroup}-{count}", $"12 rows by {count} threads, rent each, elapsed", IsAsync: false, 64 * 64,
        [
            .. Drivers(Workload.TwelveRows).Where(entrant => !entrant.Kind.IsAsyncOnly)
                .Concat(Sleeping.Select(kind => PooledLoxo(kind, Workload.TwelveRows, ""))).Select(entrant => Sharing(count, entrant)),
            .. LibpqAndFloor(Workload.TwelveRows).Select(entrant => Each(count, entrant)),
        ])
    {
        Measure = Measure.Elapsed,
        Threads = count,
        HasAllCores = true,
    };
}
