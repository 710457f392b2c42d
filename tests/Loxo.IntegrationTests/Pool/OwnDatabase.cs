namespace Loxo.IntegrationTests.Pool;

/// <summary>A test with a database of its own, in which nobody else makes functions.</summary>
public abstract class OwnDatabase
{
    private string _name = "";

    protected PgConnection Connection { get; private set; } = null!;

    /// <summary>Of the database.</summary>
    protected string ConnectionString { get; private set; } = "";

    [OneTimeSetUp]
    public void CreateDatabase()
    {
        _name = $"loxo_{GetType().Name.ToLowerInvariant()}";
        Maintain($"DROP DATABASE IF EXISTS {_name} WITH (FORCE)");
        Maintain($"CREATE DATABASE {_name}");
        ConnectionString = TestServer.Default.ConnectionString + $";Database={_name};Pooling=false;Max Auto Prepare=0";
    }

    [OneTimeTearDown]
    public void DropDatabase() => Maintain($"DROP DATABASE {_name} WITH (FORCE)");

    [SetUp]
    public void Open()
    {
        Connection = new PgConnection(ConnectionString);
        Connection.Open();
    }

    [TearDown]
    public void Close() => Connection.Dispose();

    protected void Execute(string sql)
    {
        using var command = new PgCommand(sql, Connection);
        command.ExecuteNonQuery();
    }

    protected object? Scalar(string sql)
    {
        using var command = new PgCommand(sql, Connection);
        return command.ExecuteScalar();
    }

    private static void Maintain(string sql)
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString);
        connection.Open();
        using var command = new PgCommand(sql, connection);
        command.ExecuteNonQuery();
    }
}
