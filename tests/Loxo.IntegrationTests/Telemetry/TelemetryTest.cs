namespace Loxo.IntegrationTests.Telemetry;

/// <summary>A test with a data source and a database of its own, so that its spans and values are told from those of others.</summary>
public abstract class TelemetryTest(WaitMode mode) : DatabaseTest(mode)
{
    private const string Database = "loxo_telemetry";

    private PgDataSource? _source;

    /// <summary>The name of the test's database.</summary>
    protected static string DatabaseName => Database;

    /// <summary>Where the test's data sources lead.</summary>
    protected static string OwnConnectionString => TestServer.Default.ConnectionString + ";Database=" + Database;

    [OneTimeSetUp]
    public async Task CreateDatabase()
    {
        await using var source = PgDataSource.Create(TestServer.Default.ConnectionString);
        await using var exists = source.CreateCommand($"SELECT count(*) FROM pg_database WHERE datname = '{Database}'");
        if ((long)(await exists.ExecuteScalarAsync())! > 0)
            return;
        await using var create = source.CreateCommand($"CREATE DATABASE {Database}");
        await create.ExecuteNonQueryAsync();
        await using var own = PgDataSource.Create(OwnConnectionString);
        await using var tables = own.CreateCommand("CREATE TABLE products (id int PRIMARY KEY, name text); INSERT INTO products VALUES (1, 'a'), (2, 'b'), (3, 'c')");
        await tables.ExecuteNonQueryAsync();
    }

    [TearDown]
    public void DisposeSource() => _source?.Dispose();

    /// <summary>The data source of the test.</summary>
    protected PgDataSource Source(string settings = "", Action<PgDataSourceBuilder>? configure = null)
    {
        var builder = new PgDataSourceBuilder(OwnConnectionString + settings);
        configure?.Invoke(builder);
        return _source = builder.Build();
    }

    /// <summary>An open connection of it.</summary>
    protected async Task<PgConnection> OpenFrom(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        return connection;
    }
}
