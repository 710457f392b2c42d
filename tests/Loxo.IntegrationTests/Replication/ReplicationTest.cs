
namespace Loxo.IntegrationTests.Replication;

/// <summary>
/// A test of replication in a database of its own. The protocol has members that wait asynchronously only, so there are no two modes.
/// </summary>
public abstract class ReplicationTest
{
    /// <summary>Generous: only a hang should ever meet it.</summary>
    private protected static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly List<IAsyncDisposable> _toDispose = [];
    private int _slots;

    private protected string Database { get; private set; } = "";

    private protected string ConnectionString { get; private set; } = "";

    private protected CancellationToken Limit { get; private set; }

    private protected PgDataSource Source { get; private set; } = null!;

    [SetUp]
    public async Task CreateDatabase()
    {
        Limit = new CancellationTokenSource(Patience).Token;
        Database = $"replication_{Guid.NewGuid():N}";
        await Aside(TestServer.Default.ConnectionString, $"CREATE DATABASE {Database}");
        ConnectionString = new PgConnectionStringBuilder(TestServer.Default.ConnectionString) { Database = Database }.ConnectionString;
        Source = PgDataSource.Create(ConnectionString);
    }

    [TearDown]
    public async Task DropDatabase()
    {
        foreach (var one in Enumerable.Reverse(_toDispose))
            await one.DisposeAsync();
        _toDispose.Clear();
        await Source.DisposeAsync();
        await Aside(TestServer.Default.ConnectionString,
            $"SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE '{Prefix}%' AND active_pid IS NOT NULL");
        for (var i = 0; i < 100; i++)
        {
            await Aside(TestServer.Default.ConnectionString,
                $"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE '{Prefix}%' AND active_pid IS NULL");
            if (await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE '{Prefix}%'", TestServer.Default.ConnectionString) == 0)
                break;
            await Task.Delay(50);
        }
        await Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {Database} WITH (FORCE)");
    }

    private string Prefix => "s" + Database[^20..];

    /// <summary>A name for a slot that the test drops.</summary>
    private protected string NewSlot() => $"{Prefix}_{_slots++}";

    private protected T Own<T>(T one)
        where T : IAsyncDisposable
    {
        _toDispose.Add(one);
        return one;
    }

    private protected async Task<LogicalReplicationConnection> OpenLogical(string settings = "")
    {
        var connection = Own(new LogicalReplicationConnection($"{ConnectionString};{settings}"));
        await connection.Open(Limit);
        return connection;
    }

    private protected async Task<PhysicalReplicationConnection> OpenPhysical()
    {
        var connection = Own(new PhysicalReplicationConnection(ConnectionString));
        await connection.Open(Limit);
        return connection;
    }

    private protected Task Execute(string sql) => Aside(ConnectionString, sql);

    private protected static async Task Aside(string connectionString, string sql)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private protected async Task<T> Scalar<T>(string sql, string? connectionString = null)
    {
        await using var connection = new PgConnection((connectionString ?? ConnectionString) + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Waits until the server says so.</summary>
    private protected async Task Until(string sql, string? connectionString = null)
    {
        for (var i = 0; i < 1200; i++)
        {
            if (await Scalar<bool>(sql, connectionString))
                return;
            await Task.Delay(50);
        }
        Assert.Fail($"The server never came to say: {sql}");
    }

    private protected static async Task<T> Catch<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T expected)
        {
            return expected;
        }
        throw new AssertionException($"Expected {typeof(T).Name}, but nothing was thrown.");
    }

    /// <summary>A server refuses a version of pgoutput that it does not know, and the connection can be used.</summary>
    private protected async Task AssertRefused(PgOutputProtocolVersion version)
    {
        await Execute("CREATE PUBLICATION refused");
        var connection = await OpenLogical();
        var slot = await connection.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit);
        await using var stream = connection.StartReplication(slot, new("refused", version), Limit).GetAsyncEnumerator();
        await Catch<PostgresException>(() => stream.MoveNextAsync().AsTask());
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
    }

    /// <summary>The next item, which must come in time.</summary>
    private protected static async Task<T> Next<T>(IAsyncEnumerator<T> items)
    {
        Assert.That(await items.MoveNextAsync().AsTask().WaitAsync(Patience), Is.True, "the stream has ended");
        return items.Current;
    }
}
