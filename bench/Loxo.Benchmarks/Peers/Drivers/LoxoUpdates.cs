namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Twenty updates in one batch in a transaction, on a connection that stays open; batch and commands are new each time.</summary>
internal sealed class LoxoUpdates : IPeer
{
    private readonly PgConnection _connection;

    public LoxoUpdates(string connectionString)
    {
        _connection = new PgConnection(connectionString);
        _connection.Open();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var transaction = _connection.BeginTransaction();
            using var batch = Batch(transaction, i);
            sum += batch.ExecuteNonQuery();
            transaction.Commit();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var transaction = await _connection.BeginTransactionAsync();
            await using var batch = Batch(transaction, i);
            sum += await batch.ExecuteNonQueryAsync();
            await transaction.CommitAsync();
        }
        return sum;
    }

    public void Dispose()
    {
        _connection.Dispose();
        PgConnection.ClearPool(_connection);
    }

    private PgBatch Batch(PgTransaction transaction, int execution)
    {
        var batch = new PgBatch(_connection, transaction);
        for (var n = 0; n < TestData.Updates; n++)
        {
            var command = new PgBatchCommand(TestData.Update);
            command.Parameters.Add(new PgParameter<int> { TypedValue = TestData.Account(execution, n) });
            batch.BatchCommands.Add(command);
        }
        return batch;
    }
}
