using Loxo.Benchmarks.Peers;
using Loxo.Benchmarks.Peers.Drivers;
using Loxo.Benchmarks.Peers.Floor;

namespace Loxo.Benchmarks;

/// <summary>The rows about many async callers on few connections: a pool that they wait for, or connections that they share.</summary>
internal static class CallersRows
{
    /// <summary>The name of both rows together.</summary>
    public const string Group = "callers";

    public const int Connections = 4;

    private const int Count = 256;
    private static readonly string FewConnections = $"Maximum Pool Size={Connections}";

    public static readonly Row[] All =
    [
        Lookups("callers-one-core", "", hasAllCores: false),
        Lookups("callers-all-cores", ", all cores", hasAllCores: true),
    ];

    // Enough executions for strace that every caller has several.
    private static Row Lookups(string id, string where, bool hasAllCores) => new(
        id, $"prepared lookup by key, {Count} async callers, {Connections} connections{where}", IsAsync: true, 40 * Count,
        [.. Drivers().Concat(Floors()).Select(Shared)]) { Callers = Count, HasAllCores = hasAllCores, TracedExecutions = 16 * Count };

    private static Entrant[] Drivers() =>
    [
        Driver(PeerKind.Loxo, text => new LoxoPooled(text, Workload.Lookup)),
        Driver(PeerKind.LoxoMultiplexing, text => new LoxoSourceCommands(text)),
        Driver(PeerKind.Npgsql, text => new NpgsqlPooled(text, Workload.Lookup)),
        Driver(PeerKind.NpgsqlTuned, text => new NpgsqlPooled(text, Workload.Lookup)),
        Driver(PeerKind.NpgsqlMultiplexing, text => new NpgsqlSourceCommands(text)),
    ];

    private static Entrant[] Floors() =>
    [
        Floor(PeerKind.Floor, FloorWait.Socket),
        Floor(PeerKind.ReactorHop, FloorWait.ReactorHop),
        Floor(PeerKind.ReactorInline, FloorWait.ReactorInline),
    ];

    private static Entrant Driver(PeerKind kind, Func<string, IPeer> open) =>
        new(kind, target => open(target.With(kind.Settings, FewConnections)));

    private static Entrant Floor(PeerKind kind, FloorWait wait) => new(kind, target => new FloorShared(target, wait, Connections));

    private static Entrant Shared(Entrant entrant) => entrant with { Open = target => Callers.Sharing(Count, entrant.Open(target)) };
}
