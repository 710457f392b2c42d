using System.ComponentModel;
using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ConnectionRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [Rule(typeof(DbConnection), nameof(DbConnection.State))]
    public async Task A_connection_is_open_from_Open_to_Close()
    {
        await using var connection = NewConnection();
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
        await Mode.Close(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.ConnectionString))]
    public void The_string_of_a_new_connection_is_empty()
    {
        using var connection = Factory.CreateConnection()!;

        Assert.That(connection.ConnectionString, Is.Empty);
        connection.ConnectionString = null;
        Assert.That(connection.ConnectionString, Is.Empty);
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Database))]
    public void The_database_of_a_new_connection_is_empty()
    {
        using var connection = Factory.CreateConnection()!;

        Assert.That(connection.Database, Is.Empty);
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Database))]
    public void The_database_stays_what_the_string_says() =>
        Assert.That(Connection.Database, Is.EqualTo(NewConnection().Database).And.Not.Empty);

    [Rule(typeof(IDbConnection), nameof(IDbConnection.ConnectionTimeout))]
    public void Opening_may_take_15_seconds_unless_the_string_says_otherwise()
    {
        using var connection = Factory.CreateConnection()!;

        Assert.That(connection.ConnectionTimeout, Is.EqualTo(15));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Open))]
    public async Task An_open_connection_is_not_opened_again()
    {
        Refused<InvalidOperationException>(() => Mode.Open(Connection));
        await AssertUsable();
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Open))]
    public void A_connection_without_a_string_is_not_opened()
    {
        using var connection = Factory.CreateConnection()!;

        Refused<InvalidOperationException>(() => Mode.Open(connection));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Open))]
    public async Task A_connection_that_could_not_be_opened_is_closed_and_can_be_opened()
    {
        await using var connection = Factory.CreateConnection()!;
        connection.ConnectionString = Driver.WrongConnectionString();
        Refused<DbException>(() => Mode.Open(connection));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));

        connection.ConnectionString = Driver.ConnectionString();
        await Mode.Open(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Rule(typeof(IDbConnection), nameof(IDbConnection.Close))]
    public async Task Closing_twice_does_nothing()
    {
        await Mode.Close(Connection);
        await Mode.Close(Connection);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Close(NewConnection());
    }

    [Rule(typeof(IDbConnection), nameof(IDbConnection.Close))]
    public async Task Closing_rolls_back()
    {
        await Execute("DROP TABLE IF EXISTS closed_under; ");
        await Execute("CREATE TABLE closed_under (x int)");
        var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        await using (var command = Command("INSERT INTO closed_under VALUES (1)"))
        {
            command.Transaction = transaction;
            await Mode.ExecuteNonQuery(command);
        }
        await Mode.Close(Connection);
        await Mode.Open(Connection);

        Assert.That(await Number("SELECT count(*) FROM closed_under"), Is.Zero);
        await Execute("DROP TABLE closed_under");
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.Close))]
    public async Task Closing_a_connection_closes_its_reader()
    {
        var reader = await Read("SELECT 1 UNION ALL SELECT 2");
        await Mode.Close(Connection);

        Assert.That(reader.IsClosed, Is.True);
        Refused<InvalidOperationException>(() => Mode.Read(reader));
        await Mode.Close(reader);
    }

    [Rule(typeof(IDisposable), nameof(IDisposable.Dispose))]
    public async Task A_connection_is_disposed_as_often_as_one_likes()
    {
        await Mode.Dispose(Connection);
        await Mode.Dispose(Connection);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        Assert.That(() => Mode.Close(Connection), Throws.Nothing);
    }

    [Rule(typeof(IDisposable), nameof(IDisposable.Dispose))]
    public async Task A_disposed_connection_does_not_open()
    {
        await Mode.Dispose(Connection);
        Refused<InvalidOperationException>(() => Mode.Open(Connection));
    }

    [Rule(typeof(Component), nameof(Component.Disposed))]
    public async Task Disposed_is_raised_when_a_connection_is_disposed()
    {
        var raised = 0;
        Connection.Disposed += (_, _) => raised++;
        await Mode.Dispose(Connection);

        Assert.That(raised, Is.EqualTo(1));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.StateChange))]
    public async Task StateChange_tells_each_change_once()
    {
        await using var connection = NewConnection();
        var changes = new List<(ConnectionState, ConnectionState)>();
        connection.StateChange += (_, e) => changes.Add((e.OriginalState, e.CurrentState));
        await Mode.Open(connection);
        await Mode.Close(connection);
        await Mode.Close(connection);
        await Mode.Open(connection);
        await Mode.Dispose(connection);

        var (closed, open) = (ConnectionState.Closed, ConnectionState.Open);
        Assert.That(changes, Is.EqualTo(new[] { (closed, open), (open, closed), (closed, open), (open, closed) }));
    }

    [Rule(typeof(IDbConnection), nameof(IDbConnection.ConnectionString))]
    public async Task The_string_is_set_only_while_the_connection_is_closed()
    {
        Refused<InvalidOperationException>(() => Connection.ConnectionString = Driver.ConnectionString());
        await AssertUsable();
        await Mode.Close(Connection);
        Assert.That(() => Connection.ConnectionString = Driver.ConnectionString(), Throws.Nothing);
        Assert.That(() => Connection.ConnectionString = "", Throws.Nothing);
    }

    [TestCase("nonsense")]
    [TestCase("no such keyword=1")]
    [TestCase("=1")]
    [Rule(typeof(DbConnectionStringBuilder), nameof(DbConnectionStringBuilder.ConnectionString))]
    public void A_malformed_string_is_a_wrong_argument(string text)
    {
        using var connection = Factory.CreateConnection()!;

        Refused<ArgumentException>(() => connection.ConnectionString = text);
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.ServerVersion))]
    public async Task The_version_of_the_server_is_known_while_the_connection_is_open()
    {
        Assert.That(Connection.ServerVersion, Is.Not.Empty);
        await Mode.Close(Connection);
        Refused<InvalidOperationException>(() => _ = Connection.ServerVersion);
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.CreateCommand))]
    public void A_connection_makes_commands_of_its_own()
    {
        using var command = Connection.CreateCommand();

        Assert.That(command.Connection, Is.SameAs(Connection));
        Assert.That((command.CommandText, command.Parameters.Count, command.Transaction), Is.EqualTo(("", 0, default(DbTransaction))));
        Assert.That(command, Is.Not.SameAs(Connection.CreateCommand()));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.BeginTransaction))]
    public void A_closed_connection_begins_no_transaction()
    {
        using var connection = NewConnection();

        Refused<InvalidOperationException>(() => Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask()));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.ChangeDatabase))]
    public async Task The_database_is_changed_only_while_the_connection_is_open()
    {
        await Mode.Run(() => Connection.ChangeDatabase("postgres"), () => Connection.ChangeDatabaseAsync("postgres"));
        Assert.That((Connection.Database, Connection.State), Is.EqualTo(("postgres", ConnectionState.Open)));
        Refused<ArgumentException>(() => Connection.ChangeDatabase(null!));
        Refused<ArgumentException>(() => Connection.ChangeDatabase(""));
        await AssertUsable();
        await Mode.Close(Connection);
        Refused<InvalidOperationException>(() => Connection.ChangeDatabase("postgres"));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.GetSchema))]
    public async Task The_collections_of_metadata_are_listed()
    {
        var collections = await Mode.Run(Connection.GetSchema, () => Connection.GetSchemaAsync());

        Assert.That(collections.TableName, Is.EqualTo("MetaDataCollections"));
        Assert.That(collections.Columns.Cast<DataColumn>().Select(column => column.ColumnName),
            Is.SupersetOf(new[] { "CollectionName", "NumberOfRestrictions", "NumberOfIdentifierParts" }));
        Assert.That(collections.Rows.Cast<DataRow>().Select(row => row["CollectionName"]), Does.Contain("MetaDataCollections"));
    }

    [TestCase(null)]
    [TestCase("no such collection")]
    [Rule(typeof(DbConnection), nameof(DbConnection.GetSchema))]
    public async Task An_unknown_collection_is_a_wrong_argument(string? name)
    {
        Refused<ArgumentException>(() => Mode.Run(() => Connection.GetSchema(name!), () => Connection.GetSchemaAsync(name!)));
        await AssertUsable();
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.GetSchema))]
    public async Task More_restrictions_than_a_collection_has_are_a_wrong_argument()
    {
        Refused<ArgumentException>(() => Mode.Run(
            () => Connection.GetSchema("MetaDataCollections", ["a", "b"]), () => Connection.GetSchemaAsync("MetaDataCollections", ["a", "b"])));
        await AssertUsable();
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.OpenAsync))]
    public void Opening_with_a_cancelled_token_is_cancelled()
    {
        using var connection = NewConnection();

        Cancelled(() => connection.OpenAsync(new CancellationToken(true)));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(DbConnection), nameof(DbConnection.CanCreateBatch))]
    public void A_connection_tells_whether_it_makes_batches()
    {
        if (Connection.CanCreateBatch)
            Assert.That(Connection.CreateBatch().Connection, Is.SameAs(Connection));
        else
            Refused<NotSupportedException>(() => Connection.CreateBatch());
        Assert.That(Factory.CanCreateBatch, Is.EqualTo(Connection.CanCreateBatch));
    }
}
