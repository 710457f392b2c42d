using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Npgsql on a connection that stays open.</summary>
internal sealed class NpgsqlOpen : IPeer
{
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlParameter<int> _key = new() { TypedValue = 0 };
    private readonly NpgsqlCommand _lookup;
    private readonly NpgsqlCommand _rows;
    private readonly NpgsqlCommand _selectOne;
    private readonly Workload _workload;

    public NpgsqlOpen(string connectionString, Workload workload)
    {
        _workload = workload;
        _connection = new NpgsqlConnection(connectionString);
        _connection.Open();
        _lookup = new NpgsqlCommand(TestData.Sql(Workload.Lookup), _connection);
        _lookup.Parameters.Add(_key);
        _lookup.Prepare();
        _rows = new NpgsqlCommand(TestData.Sql(Workload.ReadRows), _connection);
        _rows.Prepare();
        _selectOne = new NpgsqlCommand(TestData.Sql(Workload.SelectOne), _connection);
    }

    public long Run(int times) => _workload switch
    {
        Workload.Lookup => Lookup(times),
        Workload.ReadRows => ReadRows(times),
        Workload.SelectOne => SelectOne(times),
        _ => NewCommand(times),
    };

    public Task<long> RunAsync(int times) => _workload switch
    {
        Workload.Lookup => LookupAsync(times),
        Workload.ReadRows => ReadRowsAsync(times),
        Workload.SelectOne => SelectOneAsync(times),
        _ => NewCommandAsync(times),
    };

    public void Dispose()
    {
        _connection.Dispose();
        NpgsqlConnection.ClearPool(_connection);
    }

    private long Lookup(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _key.TypedValue = TestData.Key(i, Workload.Lookup);
            using var reader = _lookup.ExecuteReader();
            if (reader.Read())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }

    private async Task<long> LookupAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _key.TypedValue = TestData.Key(i, Workload.Lookup);
            await using var reader = await _lookup.ExecuteReaderAsync();
            if (await reader.ReadAsync())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }

    private long ReadRows(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var reader = _rows.ExecuteReader();
            while (reader.Read())
                sum += reader.GetInt32(0) + reader.GetString(1).Length + reader.GetString(2).Length + reader.GetInt64(3) + (long)reader.GetDouble(4);
        }
        return sum;
    }

    private async Task<long> ReadRowsAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var reader = await _rows.ExecuteReaderAsync();
            while (await reader.ReadAsync())
                sum += reader.GetInt32(0) + reader.GetString(1).Length + reader.GetString(2).Length + reader.GetInt64(3) + (long)reader.GetDouble(4);
        }
        return sum;
    }

    private long SelectOne(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var reader = _selectOne.ExecuteReader();
            if (reader.Read())
                sum += reader.GetInt32(0);
        }
        return sum;
    }

    private async Task<long> SelectOneAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var reader = await _selectOne.ExecuteReaderAsync();
            if (await reader.ReadAsync())
                sum += reader.GetInt32(0);
        }
        return sum;
    }

    private long NewCommand(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var command = new NpgsqlCommand(TestData.Sql(Workload.Lookup), _connection);
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = TestData.Key(i, Workload.Lookup) });
            using var reader = command.ExecuteReader();
            if (reader.Read())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }

    private async Task<long> NewCommandAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var command = new NpgsqlCommand(TestData.Sql(Workload.Lookup), _connection);
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = TestData.Key(i, Workload.Lookup) });
            await using var reader = await command.ExecuteReaderAsync();
            if (await reader.ReadAsync())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }
}
