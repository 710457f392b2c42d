using System.Diagnostics;
using Loxo;
using Loxo.Embedded;

namespace Quickstart;

/// <summary>
/// Where the tour takes place: a schema of its own, in a database of the reader's or in a server started for the occasion. Disposing it
/// drops the schema and removes the server.
/// </summary>
internal sealed class ShopDatabase : IAsyncDisposable
{
    private readonly PgEmbeddedServer? _server;
    private readonly PgConnectionStringBuilder _settings;
    private readonly string _schema = $"loxo_quickstart_{Guid.NewGuid():N}"[..24];
    private bool _schemaExists;

    private ShopDatabase(PgEmbeddedServer? server, PgConnectionStringBuilder settings)
    {
        _server = server;
        _settings = settings;
        // Every connection of this data source works in the schema, as its first (and only) place to look for tables.
        DataSource = PgDataSource.Create(ConnectionString());
    }

    /// <summary>Gives out connections; a program makes one for each database and keeps it.</summary>
    public PgDataSource DataSource { get; }

    /// <summary>How to connect to the schema, for those who go without the data source; <paramref name="change"/> may alter it.</summary>
    public string ConnectionString(Action<PgConnectionStringBuilder>? change = null)
    {
        var settings = new PgConnectionStringBuilder(_settings.ConnectionString) { SearchPath = _schema };
        change?.Invoke(settings);
        return settings.ConnectionString;
    }

    public static async Task<ShopDatabase> OpenAsync(string? connectionString, Account account, CancellationToken token)
    {
        var start = Stopwatch.GetTimestamp();
        // Read first: a mistake in it is reported before anything is started.
        var settings = new PgConnectionStringBuilder(connectionString);
        var server = connectionString is null ? await StartServer(token) : null;
        if (server is not null)
            settings.ConnectionString = server.ConnectionString;
        ShopDatabase? database = null;
        try
        {
            database = new ShopDatabase(server, settings);
            var name = await database.CreateSchema(token);
            account.Opened(name, database._schema, Stopwatch.GetElapsedTime(start));
            return database;
        }
        catch
        {
            await (database?.DisposeAsync() ?? server?.DisposeAsync() ?? default);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await DataSource.DisposeAsync();
            if (_schemaExists)
                await DropSchema();
        }
        finally
        {
            if (_server is not null)
                await _server.DisposeAsync();
        }
    }

    private static Task<PgEmbeddedServer> StartServer(CancellationToken token)
    {
        Console.WriteLine("Starting a PostgreSQL (fetched first if there is none)...");
        return PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All }, token);
    }

    private async Task<string> CreateSchema(CancellationToken token)
    {
        await using var connection = new PgConnection(_settings.ConnectionString);
        await connection.OpenAsync(token);
        await using var command = new PgCommand($"CREATE SCHEMA {_schema}", connection);
        await command.ExecuteNonQueryAsync(token);
        _schemaExists = true;
        return $"PostgreSQL {connection.PostgreSqlVersion} at {connection.DataSource}";
    }

    // Without a token: this has to be done even after Ctrl+C.
    private async Task DropSchema()
    {
        await using var connection = new PgConnection(_settings.ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand($"DROP SCHEMA {_schema} CASCADE", connection);
        await command.ExecuteNonQueryAsync();
    }
}
