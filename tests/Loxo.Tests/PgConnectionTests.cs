using System.Data;
using System.Data.Common;
using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgConnectionTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public void A_connection_without_a_connection_string_has_defaults_and_cannot_be_opened()
    {
        using var connection = new PgConnection();
        Assert.That((connection.ConnectionString, connection.Database, connection.DataSource), Is.EqualTo(("", "", "")));
        Assert.That((connection.Host, connection.Port, connection.UserName), Is.EqualTo(((string?)null, PgConnection.DefaultPort, (string?)null)));
        Assert.That((connection.ConnectionTimeout, connection.CommandTimeout), Is.EqualTo((15, 30)));
        Assert.That((connection.State, connection.FullState), Is.EqualTo((ConnectionState.Closed, ConnectionState.Closed)));
        Assert.That(() => Mode.Open(connection), Throws.InvalidOperationException.With.Message.Contains("set ConnectionString"));
    }

    [Test]
    public void The_connection_string_tells_where_it_leads()
    {
        using var connection = new PgConnection("Host=db;Port=5433;Username=alice;Database=shop;Timeout=7;Command Timeout=0");
        Assert.That((connection.Host, connection.Port, connection.UserName), Is.EqualTo(("db", 5433, "alice")));
        Assert.That((connection.Database, connection.DataSource), Is.EqualTo(("shop", "tcp://db:5433")));
        Assert.That((connection.ConnectionTimeout, connection.CommandTimeout), Is.EqualTo((7, 0)));
        connection.ConnectionString = "Host=/run/postgresql;Username=alice";
        Assert.That(connection.DataSource, Is.EqualTo("/run/postgresql/.s.PGSQL.5432"));
        Assert.That(() => connection.ConnectionString = "Nonsense=1", Throws.ArgumentException);
    }

    [Test]
    public async Task Opening_and_closing_are_told_once_each()
    {
        Play(static server =>
        {
            server.Login();
            server.Expect<Terminate>();
        });
        await using var connection = Server.DataSource().CreateConnection();
        var changes = new List<(ConnectionState From, ConnectionState To)>();
        connection.StateChange += (_, change) => changes.Add((change.OriginalState, change.CurrentState));
        await Mode.Open(connection);
        await Mode.Close(connection);
        await Mode.Close(connection);
        Assert.That(changes, Is.EqualTo(new[] { (ConnectionState.Closed, ConnectionState.Open), (ConnectionState.Open, ConnectionState.Closed) }));
    }

    [Test]
    public async Task A_connection_that_could_not_be_opened_is_closed_and_can_be_opened_later()
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        Server.Dialer.Next(Dialing.IsRefused);
        await using var connection = Server.DataSource().CreateConnection();
        Assert.That((await Catch<PgException>(() => Mode.Open(connection))).Code, Is.EqualTo(PgErrorCode.ConnectionRefused));
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(connection);
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(42));
    }

    [Test]
    public async Task An_open_connection_is_neither_opened_again_nor_led_elsewhere()
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        await Catch<InvalidOperationException>(() => Mode.Open(Connection));
        Assert.Throws<InvalidOperationException>(() => Connection.ConnectionString = "Host=elsewhere");
        await AssertUsable();
    }

    [Test]
    public async Task What_only_the_server_knows_needs_an_open_connection()
    {
        Play(static server => server.Login(answer => answer.ParameterStatus("TimeZone", "UTC")));
        await using var connection = Server.DataSource().CreateConnection();
        Action[] calls =
        [
            () => _ = connection.ServerVersion, () => _ = connection.ProcessID, () => _ = connection.Timezone, () => _ = connection.PostgresParameters,
            () => connection.BeginTransaction(), () => connection.ChangeDatabase("other"), connection.UnprepareAll, connection.ReloadTypes,
        ];
        foreach (var call in calls)
            Assert.Throws<InvalidOperationException>(() => call());
        await Mode.Open(connection);
        Assert.That((connection.ServerVersion, connection.PostgreSqlVersion), Is.EqualTo(("18.1", new Version(18, 1))));
        Assert.That((connection.ProcessID, connection.Timezone), Is.EqualTo((ScriptedPeer.ProcessId, "UTC")));
    }

    [Test]
    public async Task A_disposed_connection_cannot_be_used_and_is_disposed_again_for_nothing()
    {
        Play(static server =>
        {
            server.Login();
            server.Expect<Terminate>();
        });
        var connection = Server.DataSource().CreateConnection();
        await Mode.Open(connection);
        await Mode.Dispose(connection);
        await Mode.Dispose(connection);
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Catch<ObjectDisposedException>(() => Mode.Open(connection));
        Assert.Throws<ObjectDisposedException>(() => _ = connection.ServerVersion);
    }

    [TestCase("", false)]
    [TestCase("Persist Security Info=true", true)]
    public async Task The_password_is_left_out_of_a_connection_of_a_data_source(string option, bool isTold)
    {
        Play(static server => server.Login());
        await using var connection = Server.DataSource(option).CreateConnection();
        Assert.That(connection.ConnectionString.Contains("secret", StringComparison.Ordinal), Is.EqualTo(isTold));
        await Mode.Open(connection);
        Assert.That(connection.ConnectionString.Contains("secret", StringComparison.Ordinal), Is.EqualTo(isTold));
        await Mode.Close(connection);
        Assert.That(connection.ConnectionString.Contains("secret", StringComparison.Ordinal), Is.EqualTo(isTold));
    }

    [Test]
    public async Task A_clone_is_closed_and_knows_the_password()
    {
        Play(static server =>
        {
            server.Login();
            server.Server.Accept().Login();
        });
        await Open();
        await using var clone = (PgConnection)((ICloneable)Connection).Clone();
        Assert.That(clone.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Open(clone);
        Assert.That(Server.Connections, Is.EqualTo(2));
        Assert.That(new PgConnection().Clone().ConnectionString, Is.Empty);
    }

    [Test]
    public async Task The_full_state_tells_what_a_command_does()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open | ConnectionState.Executing));
            server.Send.Command("DO").ReadyForQuery();
            server.ExpectCommand();
            server.Write(Answer.Select(1).Bytes);
        });
        await Open();
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open));
        await Execute();
        var reader = await Mode.ExecuteReader(Command());
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open | ConnectionState.Fetching));
        await Mode.Close(reader);
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task A_call_whose_token_is_cancelled_beforehand_does_not_connect()
    {
        await using var connection = Server.DataSource().CreateConnection();
        await Catch<OperationCanceledException>(() => connection.OpenAsync(new CancellationToken(canceled: true)));
        Assert.That((connection.State, Server.Connections), Is.EqualTo((ConnectionState.Closed, 0)));
    }

    [Test]
    public async Task No_transaction_begins_while_a_command_runs()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Command());
        await Catch<PgOperationInProgressException>(() => Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask()));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public void Its_objects_are_its_own()
    {
        using DbConnection connection = new PgConnection();
        Assert.That(connection.CreateCommand(), Is.InstanceOf<PgCommand>().With.Property("Connection").SameAs(connection));
        Assert.That(connection.CreateBatch(), Is.InstanceOf<PgBatch>().With.Property("Connection").SameAs(connection));
        Assert.That(DbProviderFactories.GetFactory(connection), Is.SameAs(PgFactory.Instance));
        Assert.That(connection.CanCreateBatch, Is.True);
    }
}
