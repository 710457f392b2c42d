namespace Loxo.Benchmarks.Peers;

internal sealed class LoxoPeer : IPeer
{
    private readonly PgConnection _connection;
    private readonly PgParameter<int> _key = new() { TypedValue = 0 };
    private readonly PgCommand _lookup;
    private readonly PgCommand _rows;
    private readonly PgCommand _selectOne;

    public LoxoPeer(Target target)
    {
        _connection = new PgConnection(target.ConnectionString);
        _connection.Open();
        _lookup = new PgCommand(TestData.Lookup, _connection);
        _lookup.Parameters.Add(_key);
        _lookup.Prepare();
        _rows = new PgCommand(TestData.ReadRows, _connection);
        _rows.Prepare();
        _selectOne = new PgCommand(TestData.SelectOne, _connection);
    }

    public Func<int, long> Blocking(Workload workload) => workload switch
    {
        Workload.Lookup => Lookup,
        Workload.ReadRows => ReadRows,
        Workload.SelectOne => SelectOne,
        _ => NewCommand,
    };

    public Func<int, Task<long>> Async(Workload workload) => workload switch
    {
        Workload.Lookup => LookupAsync,
        Workload.ReadRows => ReadRowsAsync,
        Workload.SelectOne => SelectOneAsync,
        _ => NewCommandAsync,
    };

    public void Dispose() => _connection.Dispose();

    private long Lookup(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _key.TypedValue = TestData.Key(i);
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
            _key.TypedValue = TestData.Key(i);
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
            using var command = new PgCommand(TestData.Lookup, _connection);
            command.Parameters.Add(new PgParameter<int> { TypedValue = TestData.Key(i) });
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
            await using var command = new PgCommand(TestData.Lookup, _connection);
            command.Parameters.Add(new PgParameter<int> { TypedValue = TestData.Key(i) });
            await using var reader = await command.ExecuteReaderAsync();
            if (await reader.ReadAsync())
                sum += reader.GetInt32(0) + reader.GetInt64(1);
        }
        return sum;
    }
}
