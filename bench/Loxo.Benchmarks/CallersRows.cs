using Loxo.Benchmarks.Peers;
using Loxo.Benchmarks.Peers.Drivers;
using Loxo.Benchmarks.Peers.Floor;
using Loxo.Benchmarks.Peers.Native;

namespace Loxo.Benchmarks;

/// <summary>The rows about many async callers on few connections: a pool that they wait for, or connections that they share.</summary>
internal static class CallersRows
{
    /// <summary>The name of all rows together.</summary>
    public const string Group = "callers";

    public const int Connections = 4;

    /// <summary>The row in which client and server share a core.</summary>
    public const string OneCore = "callers-one-core";

    /// <summary>The row in which they have all cores.</summary>
    public const string AllCores = "callers-all-cores";

    /// <summary>The row whose server has its answers ready.</summary>
    public const string Canned = "callers-canned";

    private const int Count = 256;
    private static readonly string FewConnections = $"Maximum Pool Size={Connections}";

    public static readonly Row[] All =
    [
        Lookups(OneCore, "", hasAllCores: false),
        Lookups(AllCores, ", all cores", hasAllCores: true),
        Row(Canned, ", one command of each caller, canned answers", CannedDrivers(), hasAllCores: false, target => target.Canned),
    ];

    private static Row Lookups(string id, string where, bool hasAllCores) => Row(id, where, Drivers(), hasAllCores, target => target);

    // Enough executions for strace that every caller has several.
    private static Row Row(string id, string what, Entrant[] drivers, bool hasAllCores, Func<Target, Target> server) => new(
        id, $"prepared lookup by key, {Count} async callers, {Connections} connections{what}", IsAsync: true, 40 * Count,
        [.. drivers.Concat(Floors()).Select(entrant => entrant with { Open = target => entrant.Open(server(target)) })])
    {
        Callers = Count,
        HasAllCores = hasAllCores,
        TracedExecutions = 16 * Count,
    };

    private static Entrant[] Drivers() =>
    [
        Driver(PeerKind.Loxo, text => new LoxoPooled(text, Workload.Lookup)),
        Driver(PeerKind.LoxoMultiplexing, text => new LoxoSourceCommands(PgDataSource.Create(text), isNew: true)),
        Driver(PeerKind.LoxoUngrouped, text => new LoxoSourceCommands(Ungrouped(text), isNew: true)),
        Driver(PeerKind.Npgsql, text => new NpgsqlPooled(text, Workload.Lookup)),
        Driver(PeerKind.NpgsqlTuned, text => new NpgsqlPooled(text, Workload.Lookup)),
        Driver(PeerKind.NpgsqlMultiplexing, text => new NpgsqlSourceCommands(text, isNew: true)),
        OnLibpq(),
    ];

    private static PgDataSource Ungrouped(string text)
    {
        var builder = new PgDataSourceBuilder(text);
        builder.UseLanes(lanes => lanes.GroupQueries = false);
        return builder.Build();
    }

    // The canned server has no catalog that could be read.
    private static Entrant[] CannedDrivers() =>
    [
        Driver(PeerKind.Loxo, text => new LoxoPooled(text + ";Session Reset=Never", Workload.Lookup)),
        Driver(PeerKind.LoxoMultiplexing, text => new LoxoSourceCommands(PgDataSource.Create(text + ";Session Reset=Never"), isNew: false)),
        Driver(
            PeerKind.NpgsqlMultiplexing,
            text => new NpgsqlSourceCommands(text + ";Server Compatibility Mode=NoTypeLoading", isNew: false)),
        OnLibpq(),
    ];

    private static Entrant OnLibpq() => new(PeerKind.Libpq, target => new LibpqShared(target, Count, Connections));

    private static Entrant[] Floors() =>
    [
        Floor(PeerKind.Floor, FloorWait.Socket),
        Floor(PeerKind.ReactorHop, FloorWait.ReactorHop),
        Floor(PeerKind.ReactorInline, FloorWait.ReactorInline),
    ];

    private static Entrant Driver(PeerKind kind, Func<string, IPeer> open) =>
        new(kind, target => Callers.Sharing(Count, open(target.With(kind.Settings, FewConnections))));

    private static Entrant Floor(PeerKind kind, FloorWait wait) =>
        new(kind, target => Callers.Sharing(Count, new FloorShared(target, wait, Connections)));
}
