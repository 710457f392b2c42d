using System.Data.Common;
using Loxo.Benchmarks.Peers;
using Npgsql;

namespace Loxo.Benchmarks;

/// <summary>The row about inserts of many async callers, each of which is on the server's disk before its caller goes on.</summary>
internal static class DurableRow
{
    public const string Id = "inserts-durable";

    private const int Callers = 256;

    public static readonly Row Row = new(
        Id, $"Inserts of a row by {Callers} async callers over {CallersRows.Connections} connections, fsync=on", IsAsync: true, 10 * Callers,
        [
            Driver(PeerKind.Loxo, PgDataSource.Create),
            Driver(PeerKind.LoxoMultiplexing, PgDataSource.Create),
            Driver(PeerKind.LoxoGroupedChanges, Grouped),
            Driver(PeerKind.NpgsqlTuned, NpgsqlDataSource.Create),
            Driver(PeerKind.NpgsqlMultiplexing, NpgsqlDataSource.Create),
        ])
    {
        Measure = Measure.Elapsed,
        Callers = Callers,
        HasAllCores = true,
        IsDurable = true,
    };

    private static Entrant Driver(PeerKind kind, Func<string, DbDataSource> create) => new(kind, target => new DurableInserts(
        create(target.With(kind.Settings, $"Maximum Pool Size={CallersRows.Connections}")), Callers, target));

    private static PgDataSource Grouped(string text)
    {
        var builder = new PgDataSourceBuilder(text);
        builder.UseLanes(lanes => lanes.GroupChanges = true);
        return builder.Build();
    }
}
