using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>A prepared batch of many inserts, on a connection that stays open; batch and commands are used again.</summary>
internal sealed class NpgsqlMany : IPeer
{
    private readonly int[] _rows;
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlCommand _empty;
    private readonly NpgsqlBatch _batch;

    public NpgsqlMany(string connectionString, int rows)
    {
        _rows = TestData.ManyRows(rows);
        _connection = new NpgsqlConnection(connectionString);
        _connection.Open();
        using (var create = new NpgsqlCommand(TestData.CreateMany, _connection))
            create.ExecuteNonQuery();
        _empty = new NpgsqlCommand(TestData.EmptyMany, _connection);
        _batch = new NpgsqlBatch(_connection);
        foreach (var _ in _rows)
        {
            var command = new NpgsqlBatchCommand(TestData.InsertMany);
            command.Parameters.Add(new NpgsqlParameter<int>());
            command.Parameters.Add(new NpgsqlParameter<int>());
            _batch.BatchCommands.Add(command);
        }
        Bind();
        _batch.Prepare();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _empty.ExecuteNonQuery();
            Bind();
            sum += _batch.ExecuteNonQuery();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await _empty.ExecuteNonQueryAsync();
            Bind();
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

    private void Bind()
    {
        for (var n = 0; n < _rows.Length; n++)
        {
            var parameters = _batch.BatchCommands[n].Parameters;
            ((NpgsqlParameter<int>)parameters[0]).TypedValue = _rows[n];
            ((NpgsqlParameter<int>)parameters[1]).TypedValue = _rows[n] * 3;
        }
    }
}
