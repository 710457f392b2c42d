using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>What services do all day: open, one query by a new command, close. The connection object is new each time.</summary>
internal sealed class NpgsqlPooled(string connectionString, Workload workload) : IPeer
{
    private readonly string _sql = TestData.Sql(workload);
    private readonly int _parameters = TestData.Parameters(workload);

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var connection = new NpgsqlConnection(connectionString);
            connection.Open();
            using var command = Command(connection, i);
            using var reader = command.ExecuteReader();
            while (reader.Read())
                sum += Values(reader);
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var connection = new NpgsqlConnection(connectionString);
            await connection.OpenAsync();
            await using var command = Command(connection, i);
            await using var reader = await command.ExecuteReaderAsync();
            while (await reader.ReadAsync())
                sum += Values(reader);
        }
        return sum;
    }

    public void Dispose() => Pools.ClearNpgsql(connectionString);

    private NpgsqlCommand Command(NpgsqlConnection connection, int n)
    {
        var command = new NpgsqlCommand(_sql, connection);
        if (_parameters > 0)
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = TestData.Key(n, workload) });
        if (_parameters > 1)
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = TestData.LeastQuantity });
        return command;
    }

    private long Values(NpgsqlDataReader reader) => workload switch
    {
        Workload.TwelveRows => reader.GetInt32(0) + reader.GetString(1).Length,
        Workload.Join => reader.GetInt32(0) + reader.GetInt64(1) + reader.GetString(2).Length + reader.GetString(3).Length,
        _ => reader.GetInt32(0) + reader.GetInt64(1),
    };
}
