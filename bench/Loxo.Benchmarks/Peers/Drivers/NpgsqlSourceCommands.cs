using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>A lookup by a new command of the data source, without a connection object: the driver chooses the connection.</summary>
internal sealed class NpgsqlSourceCommands(string connectionString) : IPeer
{
    private readonly string _sql = TestData.Sql(Workload.Lookup);
    private readonly NpgsqlDataSource _source = NpgsqlDataSource.Create(connectionString);

    public long Run(int times) => throw new NotSupportedException("Commands of the data source are awaited.");

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var command = _source.CreateCommand(_sql);
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = TestData.Key(i, Workload.Lookup) });
            await using var reader = await command.ExecuteReaderAsync();
            while (await reader.ReadAsync())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }

    public void Dispose() => _source.Dispose();
}
