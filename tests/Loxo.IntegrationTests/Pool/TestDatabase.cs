namespace Loxo.IntegrationTests.Pool;

/// <summary>A database of one test's own: what the code in it does decides how all pools to it reset sessions.</summary>
internal sealed class TestDatabase : IAsyncDisposable
{
    private static int _count;

    private TestDatabase(string name)
    {
        Name = name;
        ConnectionString = new PgConnectionStringBuilder(TestServer.Default.ConnectionString) { Database = name }.ConnectionString;
    }

    public string Name { get; }

    public string ConnectionString { get; }

    /// <param name="statements">Run in the new database, on a connection that is not the pool's.</param>
    public static async Task<TestDatabase> Create(params string[] statements)
    {
        var database = new TestDatabase($"pool_{Environment.ProcessId}_{Interlocked.Increment(ref _count)}");
        await Run(TestServer.Default.ConnectionString, $"CREATE DATABASE {database.Name}");
        await Run(database.ConnectionString, statements);
        return database;
    }

    public async ValueTask DisposeAsync() => await Run(TestServer.Default.ConnectionString, $"DROP DATABASE IF EXISTS {Name} WITH (FORCE)");

    private static async Task Run(string connectionString, params string[] statements)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        foreach (var sql in statements)
        {
            await using var command = new PgCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }
    }
}
