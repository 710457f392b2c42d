using System.Data;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests;

/// <summary>A test with an open connection to the shared server, in one of the two wait modes.</summary>
public abstract class DatabaseTest(WaitMode mode)
{
    /// <summary>The form of the calls: <c>await Mode.ExecuteNonQuery(command)</c>.</summary>
    protected WaitMode Mode { get; } = mode;

    /// <summary>Where <see cref="Connection"/> leads.</summary>
    protected virtual string ConnectionString => PoolerOfTheRun.ConnectionString + LeakGuard.Mode;

    /// <summary>Opened before each test, in the test's mode.</summary>
    protected PgConnection Connection { get; set; } = null!;

    [SetUp]
    public async Task OpenConnection()
    {
        Connection = new PgConnection(ConnectionString);
        await Mode.Open(Connection);
    }

    [TearDown]
    public async Task CloseConnection()
    {
        await Connection.DisposeAsync();
        PoolerOfTheRun.DropTemporaryObjects();
        WaitModeCalls.AssertNoneUsedItsContext();
        LeakGuard.AssertNoLeak();
        LeakGuard.AssertSharedDatabaseIsClean();
    }

    /// <summary>Another open connection; dispose it.</summary>
    protected async Task<PgConnection> OpenAnother()
    {
        var connection = new PgConnection(ConnectionString);
        await Mode.Open(connection);
        return connection;
    }

    protected PgCommand Command(string sql, params object?[] positional)
    {
        var command = new PgCommand(PoolerOfTheRun.Adapt(sql), Connection);
        foreach (var value in positional)
            command.Parameters.Add(value as PgParameter ?? new PgParameter(null, value ?? DBNull.Value));
        return command;
    }

    protected async Task<int> Execute(string sql, params object?[] positional)
    {
        await using var command = Command(sql, positional);
        return await Mode.ExecuteNonQuery(command);
    }

    protected async Task<T?> Scalar<T>(string sql, params object?[] positional)
    {
        await using var command = Command(sql, positional);
        return await Mode.ExecuteScalar(command) is var value && value is DBNull or null ? default : (T)value;
    }

    /// <summary>All rows of all results, as objects.</summary>
    protected async Task<List<object?[]>> Rows(string sql, params object?[] positional)
    {
        await using var command = Command(sql, positional);
        var reader = await Mode.ExecuteReader(command);
        var rows = new List<object?[]>();
        do
        {
            while (await Mode.Read(reader))
            {
                var row = new object[reader.FieldCount];
                reader.GetValues(row);
                rows.Add(Array.ConvertAll(row, value => value is DBNull ? null : value));
            }
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        return rows;
    }

    /// <summary>The exception that <paramref name="action"/> must throw; any other kind fails the test.</summary>
    internal static async Task<T> Catch<T>(Func<Task> action)
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

    /// <summary>Fails unless the connection can be used as if nothing had happened.</summary>
    protected async Task AssertUsable()
    {
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Scalar<int>("SELECT 42"), Is.EqualTo(42));
    }
}
