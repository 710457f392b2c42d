using System.Data;
using System.Data.Common;
using System.Net;
using System.Net.Sockets;
using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Connecting;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ConnectionLifeTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Opening_twice_is_refused_and_harmless()
    {
        await Catch<InvalidOperationException>(() => Mode.Open(Connection));

        await AssertUsable();
    }

    [Test]
    public async Task Closing_twice_does_nothing()
    {
        await Mode.Close(Connection);
        await Mode.Close(Connection);

        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_closed_connection_can_be_opened_again()
    {
        for (var i = 0; i < 3; i++)
        {
            await Mode.Close(Connection);
            await Mode.Open(Connection);
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_connection_that_is_not_open_refuses_commands_and_says_what_to_do()
    {
        await Mode.Close(Connection);

        var error = await Catch<InvalidOperationException>(() => Execute("SELECT 1"));

        Assert.That(error.Message, Does.Contain("Open"));
    }

    [Test]
    public async Task A_disposed_connection_refuses_everything()
    {
        await Mode.Dispose(Connection);
        await Mode.Dispose(Connection);

        await Catch<ObjectDisposedException>(() => Mode.Open(Connection));
        await Catch<InvalidOperationException>(() => Execute("SELECT 1"));
    }

    [Test]
    public async Task The_state_changes_are_told()
    {
        using var connection = new PgConnection(ConnectionString);
        var changes = new List<(ConnectionState, ConnectionState)>();
        connection.StateChange += (_, e) => changes.Add((e.OriginalState, e.CurrentState));

        await Mode.Open(connection);
        await Mode.Close(connection);

        Assert.That(changes, Is.EqualTo(new[]
        {
            (ConnectionState.Closed, ConnectionState.Open),
            (ConnectionState.Open, ConnectionState.Closed),
        }));
    }

    [Test]
    public async Task A_second_thread_is_refused_and_the_first_goes_on()
    {
        await using var command = Command("SELECT generate_series(1, 100000)");
        var reader = await Mode.ExecuteReader(command);

        var error = await Task.Run(() => Catch<PgOperationInProgressException>(() => Execute("SELECT 1")));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionBusy));
        var rows = 0;
        while (await Mode.Read(reader))
            rows++;
        Assert.That(rows, Is.EqualTo(100_000));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Two_threads_that_race_for_one_connection_never_see_the_other_ones_rows()
    {
        var refused = 0;
        await Task.WhenAll(Enumerable.Range(0, 4).Select(worker => Task.Run(async () =>
        {
            for (var i = 0; i < 200; i++)
            {
                try
                {
                    Assert.That(await Scalar<int>($"SELECT {worker * 1000 + i}"), Is.EqualTo(worker * 1000 + i));
                }
                catch (PgOperationInProgressException)
                {
                    Interlocked.Increment(ref refused);
                }
            }
        })));

        TestContext.Out.WriteLine($"{refused} calls were refused.");
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_closes_its_connection_whether_its_rows_have_been_read_or_not([Values(0, 1, 2)] int read)
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.CloseConnection);
        for (var i = 0; i < read; i++)
            await Mode.Read(reader);

        await Mode.Close(reader);

        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(Connection);
        await AssertUsable();
    }

    [Test]
    public async Task An_open_connection_does_not_show_its_password()
    {
        var withPassword = ConnectionString + ";Password=swordfish";
        using var connection = new PgConnection(withPassword);
        Assert.That(connection.ConnectionString, Does.Contain("swordfish"));

        await Mode.Open(connection);

        Assert.That(connection.ConnectionString, Does.Not.Contain("swordfish"));
        await Mode.Close(connection);
        Assert.That(connection.ConnectionString, Does.Not.Contain("swordfish"));
        await Mode.Open(connection);
    }

    [Test]
    public async Task A_copy_of_an_opened_connection_does_not_show_the_password_either()
    {
        await using var connection = new PgConnection(ConnectionString + ";Password=swordfish");
        Assert.That(connection.Clone().ConnectionString, Does.Contain("swordfish"));

        await Mode.Open(connection);

        await using var clone = connection.Clone();
        Assert.That(clone.ConnectionString, Does.Not.Contain("swordfish"));
        await Mode.Open(clone);
        Assert.That(clone.State, Is.EqualTo(ConnectionState.Open));
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task A_connection_of_a_data_source_shows_the_password_only_if_asked_to(bool shows)
    {
        await using var source = PgDataSource.Create(ConnectionString + $";Password=swordfish;Persist Security Info={shows}");
        await using var connection = source.CreateConnection();
        var before = connection.ConnectionString;
        await Mode.Open(connection);

        Assert.That(new[] { source.ConnectionString, before, connection.ConnectionString, connection.Clone().ConnectionString }
            .Select(text => text.Contains("swordfish", StringComparison.Ordinal)), Is.All.EqualTo(shows));
    }

    [Test]
    public async Task A_connection_of_a_disposed_data_source_cannot_be_opened([Values] bool pooling)
    {
        var source = PgDataSource.Create(ConnectionString + $";Pooling={pooling}");
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await source.DisposeAsync();
        await using (var command = new PgCommand("SELECT 1", connection))
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        await Mode.Close(connection);

        var error = await Catch<ObjectDisposedException>(() => Mode.Open(connection));

        Assert.That(error.ObjectName, Does.EndWith(nameof(PgDataSource)));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task Another_database_is_opened_in_place_of_the_former()
    {
        await using var database = await TestDatabase.Create();
        await using var connection = new PgConnection(ConnectionString + ";Password=swordfish");
        await Mode.Open(connection);
        var changes = new List<ConnectionState>();
        connection.StateChange += (_, change) => changes.Add(change.CurrentState);

        await ChangeDatabase(connection, database.Name);

        await using var command = new PgCommand("SELECT current_database()::text", connection);
        Assert.Multiple(async () =>
        {
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(database.Name));
            Assert.That(connection.Database, Is.EqualTo(database.Name));
            Assert.That(changes, Is.EqualTo([ConnectionState.Closed, ConnectionState.Open]));
        });
        var error = await Catch<PostgresException>(() => ChangeDatabase(connection, "no such database"));
        Assert.Multiple(() =>
        {
            Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.InvalidCatalogName));
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            Assert.That(connection.ConnectionString, Does.Not.Contain("swordfish"));
        });
    }

    [Test]
    public async Task A_password_is_shown_to_whoever_asks_for_it()
    {
        using var connection = new PgConnection(ConnectionString + ";Password=swordfish;Persist Security Info=true");

        await Mode.Open(connection);

        Assert.That(connection.ConnectionString, Does.Contain("swordfish"));
    }

    [Test]
    public async Task An_unknown_database_is_named()
    {
        using var connection = new PgConnection(With(builder => builder.Database = "no_such_database"));

        var error = await Catch<PostgresException>(() => Mode.Open(connection));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.InvalidCatalogName));
        Assert.That(error.MessageText, Does.Contain("no_such_database"));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_port_where_nobody_listens_is_refused_and_named()
    {
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0)); // bound, not listening: nobody else can take it
        var port = ((IPEndPoint)taken.LocalEndPoint!).Port;
        using var connection = new PgConnection(With(builder => builder.Port = port));

        var error = await Catch<PgException>(() => Mode.Open(connection));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionRefused));
        Assert.That(error.Message, Does.Contain(port.ToString()));
        Assert.That(error.IsTransient);
    }

    [Test]
    public async Task A_host_that_does_not_exist_is_named()
    {
        using var connection = new PgConnection(With(builder => builder.Host = "no-such-host.invalid"));

        var error = await Catch<PgException>(() => Mode.Open(connection));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.HostNotFound));
        Assert.That(error.Message, Does.Contain("no-such-host.invalid").And.Contain("Host"));
    }

    [Test]
    public async Task The_Unix_socket_is_used_when_the_host_is_its_folder()
    {
        using var connection = new PgConnection(With(builder => builder.Host = TestServer.Default.SocketDirectory));
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT inet_client_addr() IS NULL", connection);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(true));
        Assert.That(connection.DataSource, Does.StartWith(TestServer.Default.SocketDirectory));
    }

    [TestCase("::1")]
    [TestCase("localhost")]
    public async Task Other_addresses_of_the_server_work(string host)
    {
        if (host == "::1" && !Socket.OSSupportsIPv6)
            Assert.Ignore("This machine has no IPv6.");
        using var connection = new PgConnection(With(builder => builder.Host = host));
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT host(inet_server_addr())", connection);

        var address = await Mode.ExecuteScalar(command);

        Assert.That(address, host == "::1" ? Is.EqualTo("::1") : Is.AnyOf("::1", "127.0.0.1"));
    }

    [Test]
    public async Task A_URI_is_a_connection_string()
    {
        var builder = new PgConnectionStringBuilder(ConnectionString);
        using var connection = new PgConnection(
            $"postgres://{builder.Username}@{builder.Host}:{builder.Port}/{builder.Database}?application_name=by%20uri");
        await Mode.Open(connection);
        await using var command = new PgCommand("SHOW application_name", connection);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("by uri"));
    }

    [Test]
    public async Task A_data_source_opens_connections_and_runs_commands_on_their_own()
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await using var connection = await Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using var reading = new PgCommand("SELECT generate_series(1, 100000)", connection);
        var reader = await Mode.ExecuteReader(reading);

        await using var command = source.CreateCommand("SELECT pg_backend_pid()");
        var process = await Mode.ExecuteScalar(command);

        Assert.That(process, Is.Not.EqualTo(connection.ProcessID));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_disposed_data_source_opens_nothing()
    {
        var source = PgDataSource.Create(ConnectionString);
        await Mode.Dispose(source);

        await Catch<ObjectDisposedException>(() => Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask()));
    }

    [Test]
    public async Task The_factory_is_found_by_its_name()
    {
        DbProviderFactories.RegisterFactory("Loxo", PgFactory.Instance);
        var factory = DbProviderFactories.GetFactory("Loxo");
        await using var connection = factory.CreateConnection()!;
        connection.ConnectionString = ConnectionString;
        await Mode.Open(connection);
        await using var command = factory.CreateCommand()!;
        command.Connection = connection;
        command.CommandText = "SELECT $1 + 1";
        var parameter = factory.CreateParameter()!;
        parameter.Value = 41;
        command.Parameters.Add(parameter);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        Assert.That(DbProviderFactories.GetFactory(connection), Is.SameAs(PgFactory.Instance));
    }

    [Test]
    public async Task A_refused_connection_string_leaves_the_former_one()
    {
        await using var connection = new PgConnection(ConnectionString);

        Assert.That(() => connection.ConnectionString = "Nonsense=1", Throws.ArgumentException);

        Assert.That(connection.ConnectionString, Is.EqualTo(ConnectionString));
        await Mode.Open(connection);
    }

    private string With(Action<PgConnectionStringBuilder> change)
    {
        var builder = new PgConnectionStringBuilder(ConnectionString);
        change(builder);
        return builder.ConnectionString;
    }

    private Task ChangeDatabase(PgConnection connection, string name) =>
        Mode.Run(() => connection.ChangeDatabase(name), () => connection.ChangeDatabaseAsync(name));
}
