using System.Data.Common;
using Dapper;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Dapper opens, runs one query, makes an object of its row and closes.</summary>
internal sealed class DapperQueries(Func<DbConnection> make, Action clear) : IPeer
{
    private const string Sql = "SELECT id, amount FROM item WHERE id = @id";

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var connection = make();
            sum += Sum(connection.QuerySingle<Item>(Sql, new { id = TestData.Key(i, Workload.Lookup) }));
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var connection = make();
            sum += Sum(await connection.QuerySingleAsync<Item>(Sql, new { id = TestData.Key(i, Workload.Lookup) }));
        }
        return sum;
    }

    public void Dispose() => clear();

    private static long Sum(Item item) => item.Id + item.Amount;

    private sealed record Item(int Id, long Amount);
}
