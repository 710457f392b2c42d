namespace Loxo.IntegrationTests.Poolers;

/// <summary>A server process of the pooler that nobody else meets, since a transaction is open in it.</summary>
internal sealed class HeldServer : IAsyncDisposable
{
    private readonly PgTransaction _transaction;

    private HeldServer(PgConnection connection, PgTransaction transaction, int processId) =>
        (Connection, _transaction, ProcessId) = (connection, transaction, processId);

    public PgConnection Connection { get; }

    public int ProcessId { get; }

    public static async Task<HeldServer> Hold(string connectionString)
    {
        var connection = new PgConnection(connectionString);
        await connection.OpenAsync();
        var transaction = await connection.BeginTransactionAsync();
        var processId = (int)(await new PgCommand("SELECT pg_backend_pid()", connection).ExecuteScalarAsync())!;
        return new HeldServer(connection, transaction, processId);
    }

    /// <summary>Lets what was done in it stay.</summary>
    public Task Commit() => _transaction.CommitAsync();

    /// <summary>Ends the transaction first: the pooler closes a server process whose client goes away in the middle of one.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_transaction.Connection is not null)
            await _transaction.RollbackAsync();
        await Connection.DisposeAsync();
    }
}
