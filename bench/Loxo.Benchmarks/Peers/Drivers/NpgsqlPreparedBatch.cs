using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Twenty updates in a prepared batch without a transaction, on a connection that stays open; the batch is used again.</summary>
internal sealed class NpgsqlPreparedBatch : IPeer
{
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlBatch _batch;
    private readonly NpgsqlParameter<int>[] _keys = [.. Enumerable.Range(0, TestData.Updates).Select(_ => new NpgsqlParameter<int>())];

    public NpgsqlPreparedBatch(string connectionString)
    {
        _connection = new NpgsqlConnection(connectionString);
        _connection.Open();
        _batch = new NpgsqlBatch(_connection);
        foreach (var key in _keys)
            _batch.BatchCommands.Add(new NpgsqlBatchCommand(TestData.Update) { Parameters = { key } });
        _batch.Prepare();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            Bind(i);
            sum += _batch.ExecuteNonQuery();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            Bind(i);
            sum += await _batch.ExecuteNonQueryAsync();
        }
        return sum;
    }

    public void Dispose()
    {
        _batch.Dispose();
        _connection.Dispose();
        NpgsqlConnection.ClearPool(_connection);
    }

    private void Bind(int execution)
    {
        for (var n = 0; n < _keys.Length; n++)
            _keys[n].TypedValue = TestData.Account(execution, n);
    }
}
