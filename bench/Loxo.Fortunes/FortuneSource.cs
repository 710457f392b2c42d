using Loxo.Benchmarks;
using Loxo.Benchmarks.Peers.Floor;
using Npgsql;

namespace Loxo.Fortunes;

/// <summary>Reads the rows.</summary>
internal abstract class FortuneSource
{
    /// <summary>The rows of a driver, of a floor, or of neither.</summary>
    /// <param name="reader">
    /// <c>none</c>, <c>npgsql</c>, <c>loxo</c>, <c>loxo-ungrouped</c>, <c>floor</c>, <c>reactor-hop</c> or <c>reactor-inline</c>.
    /// </param>
    /// <param name="server">A driver's connection string; for a floor, the server as a <see cref="Target"/>; otherwise unused.</param>
    public static FortuneSource Create(string reader, string server) => reader switch
    {
        "none" => new MemoryFortunes(),
        "npgsql" => new DatabaseFortunes(NpgsqlDataSource.Create(server)),
        "loxo" => new DatabaseFortunes(PgDataSource.Create(server)),
        "loxo-ungrouped" => new DatabaseFortunes(Ungrouped(server)),
        "floor" => new FloorFortunes(Target.Parse(server), FloorWait.Socket),
        "reactor-hop" => new FloorFortunes(Target.Parse(server), FloorWait.ReactorHop),
        "reactor-inline" => new FloorFortunes(Target.Parse(server), FloorWait.ReactorInline),
        _ => throw new ArgumentException(
            $"Nothing reads rows as '{reader}'. Use one of: none, npgsql, loxo, loxo-ungrouped, floor, reactor-hop, reactor-inline",
            nameof(reader)),
    };

    /// <summary>Reads all rows into a new list.</summary>
    public abstract ValueTask<List<Fortune>> ReadAsync();

    private static PgDataSource Ungrouped(string server)
    {
        var builder = new PgDataSourceBuilder(server);
        builder.UseLanes(static lanes => lanes.GroupQueries = false);
        return builder.Build();
    }
}
