namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Twenty updates in one batch in a transaction, on a connection that stays open; batch and commands are new each time.</summary>
internal sealed class LoxoUpdates : IPeer
{
    private readonly PgConnection _connection;
    private readonly PgBatch? _reused;

    /// <param name="connectionString">The server.</param>
    /// <param name="reuses">Whether the same batch runs again with other values.</param>
    public LoxoUpdates(string connectionString, bool reuses = false)
    {
        _connection = new PgConnection(connectionString);
        _connection.Open();
        _reused = reuses ? NewBatch() : null;
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var transaction = _connection.BeginTransaction();
            var batch = Batch(transaction, i);
            sum += batch.ExecuteNonQuery();
            if (_reused is null)
                batch.Dispose();
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
            var batch = Batch(transaction, i);
            sum += await batch.ExecuteNonQueryAsync();
            if (_reused is null)
                await batch.DisposeAsync();
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
        var batch = _reused ?? NewBatch();
        batch.Transaction = transaction;
        for (var n = 0; n < TestData.Updates; n++)
            ((PgParameter<int>)batch.BatchCommands[n].Parameters[0]).TypedValue = TestData.Account(execution, n);
        return batch;
    }

    private PgBatch NewBatch()
    {
        var batch = new PgBatch(_connection);
        for (var n = 0; n < TestData.Updates; n++)
        {
            var command = new PgBatchCommand(TestData.Update);
            command.Parameters.Add(new PgParameter<int>());
            batch.BatchCommands.Add(command);
        }
        return batch;
    }
}
