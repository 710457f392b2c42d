using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

/// <summary>A test on an open connection of one of the drivers, in one of the two wait modes. It knows nothing but ADO.NET.</summary>
public abstract class RuleTest(Driver driver, WaitMode mode)
{
    /// <summary>Which provider is tried.</summary>
    public Driver Driver { get; } = driver;

    /// <summary>The form of the calls.</summary>
    public WaitMode Mode { get; } = mode;

    protected DbProviderFactory Factory => Driver.Factory();

    /// <summary>Opened before each test.</summary>
    protected DbConnection Connection { get; private set; } = null!;

    [SetUp]
    public async Task OpenConnection() => Connection = await OpenAnother();

    [TearDown]
    public async Task CloseConnection() => await Connection.DisposeAsync();

    /// <summary>A connection that is not open.</summary>
    protected DbConnection NewConnection()
    {
        var connection = Factory.CreateConnection()!;
        connection.ConnectionString = Driver.ConnectionString();
        return connection;
    }

    /// <summary>Another open connection; dispose it.</summary>
    protected async Task<DbConnection> OpenAnother()
    {
        var connection = NewConnection();
        await Mode.Open(connection);
        return connection;
    }

    protected DbCommand Command(string sql, params (string Name, object? Value)[] parameters)
    {
        var command = Connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in parameters)
            command.Parameters.Add(Parameter(name, value));
        return command;
    }

    protected DbParameter Parameter(string name, object? value)
    {
        var parameter = Factory.CreateParameter()!;
        (parameter.ParameterName, parameter.Value) = (name, value);
        return parameter;
    }

    protected Task<DbDataReader> Read(DbCommand command, CommandBehavior behavior = CommandBehavior.Default) =>
        Mode.Run(() => command.ExecuteReader(behavior), () => command.ExecuteReaderAsync(behavior));

    protected Task<DbDataReader> Read(string sql, CommandBehavior behavior = CommandBehavior.Default) => Read(Command(sql), behavior);

    /// <summary>A reader that stands on the first row.</summary>
    protected async Task<DbDataReader> ReadRow(string sql, CommandBehavior behavior = CommandBehavior.Default)
    {
        var reader = await Read(sql, behavior);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }

    protected async Task<int> Execute(string sql, params (string Name, object? Value)[] parameters)
    {
        await using var command = Command(sql, parameters);
        return await Mode.ExecuteNonQuery(command);
    }

    protected async Task<object?> Scalar(string sql, params (string Name, object? Value)[] parameters)
    {
        await using var command = Command(sql, parameters);
        return await Mode.ExecuteScalar(command);
    }

    /// <summary>The scalar as a number: providers differ in the width of a literal.</summary>
    protected async Task<long> Number(string sql, params (string Name, object? Value)[] parameters) =>
        Convert.ToInt64(await Scalar(sql, parameters));

    /// <summary>The call must throw an exception of that type, or derived from it.</summary>
    protected static void Refused<T>(Action call)
        where T : Exception => Assert.That(call, Throws.InstanceOf<T>());

    /// <summary>The call must throw an exception of that type, or derived from it.</summary>
    protected static void Refused<T>(Func<Task> call)
        where T : Exception => Assert.That(call, Throws.InstanceOf<T>());

    /// <summary>The call must end as cancelled, at once or later.</summary>
    protected static void Cancelled(Func<Task> call) => Refused<OperationCanceledException>(call);

    /// <summary>The call must throw, whatever the provider throws.</summary>
    protected static void Refused(Action call) => Refused<Exception>(call);

    /// <summary>
    /// Fails on Microsoft.Data.Sqlite, where a stream on a column that is not of a table ends the process: SQLite's
    /// library is given a null pointer.
    /// </summary>
    protected void FailWhereStreamsEndTheProcess()
    {
        if (Driver == Driver.Sqlite)
            Assert.Fail("It would end the process.");
    }

    protected async Task AssertUsable()
    {
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Number("SELECT 42"), Is.EqualTo(42));
    }
}
