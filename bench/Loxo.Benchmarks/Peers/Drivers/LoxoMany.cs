namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>One command for many rows of parameters, on a connection that stays open: <see cref="PgCommand.ExecuteMany"/>.</summary>
internal sealed class LoxoMany : IPeer
{
    private readonly int[] _rows;
    private readonly PgConnection _connection;
    private readonly PgCommand _empty;
    private readonly PgCommand _insert;

    public LoxoMany(string connectionString, int rows)
    {
        _rows = TestData.ManyRows(rows);
        _connection = new PgConnection(connectionString);
        _connection.Open();
        using (var create = new PgCommand(TestData.CreateMany, _connection))
            create.ExecuteNonQuery();
        _empty = new PgCommand(TestData.EmptyMany, _connection);
        _insert = new PgCommand(TestData.InsertMany, _connection);
        _insert.Parameters.Add(new PgParameter<int>());
        _insert.Parameters.Add(new PgParameter<int>());
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _empty.ExecuteNonQuery();
            sum += _insert.ExecuteMany(_rows, Bind);
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await _empty.ExecuteNonQueryAsync();
            sum += await _insert.ExecuteManyAsync(_rows, Bind);
        }
        return sum;
    }

    public void Dispose()
    {
        _connection.Dispose();
        PgConnection.ClearPool(_connection);
    }

    private static void Bind(int row, PgParameterCollection parameters)
    {
        ((PgParameter<int>)parameters[0]).TypedValue = row;
        ((PgParameter<int>)parameters[1]).TypedValue = row * 3;
    }
}
