namespace Loxo.LibraryTests;

/// <summary>A test of a library on Loxo. Each has a schema of its own, removed afterwards.</summary>
public abstract class LibraryTest
{
    private protected string Schema => GetType().Name.ToLowerInvariant();

    private protected string ConnectionString => $"{TestServer.Default.ConnectionString};Search Path={Schema}";

    [SetUp]
    public Task CreateSchema() => Execute($"DROP SCHEMA IF EXISTS {Schema} CASCADE; CREATE SCHEMA {Schema}");

    [TearDown]
    public Task DropSchema() => Execute($"DROP SCHEMA {Schema} CASCADE");

    private protected async Task Execute(string sql)
    {
        await using var connection = await Open();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private protected async Task<object?> Scalar(string sql)
    {
        await using var connection = await Open();
        await using var command = new PgCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }

    private protected async Task<PgConnection> Open()
    {
        var connection = new PgConnection(ConnectionString);
        await connection.OpenAsync();
        return connection;
    }
}
