using Loxo.Commands;
using System.Data;
using System.Data.Common;
using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgDataSourceTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public void Its_connection_string_has_no_password_unless_that_is_asked_for()
    {
        using var source = PgDataSource.Create("Host=db;Username=alice;Password=secret");
        Assert.That(source.ConnectionString, Does.Contain("alice").And.Not.Contain("secret"));
        using var open = PgDataSource.Create(new PgConnectionStringBuilder("Host=db;Username=alice;Password=secret;Persist Security Info=true"));
        Assert.That(open.ConnectionString, Does.Contain("secret"));
        Assert.Throws<ArgumentException>(() => PgDataSource.Create("Nonsense=1"));
    }

    [Test]
    public void Connection_strings_that_say_the_same_share_a_data_source()
    {
        var first = SharedDataSources.Get("Host=shared;Username=alice");
        Assert.That(SharedDataSources.Get("username=alice;HOST=shared"), Is.SameAs(first));
        Assert.That(SharedDataSources.Get(new string("Host=shared;Username=alice".AsSpan())), Is.SameAs(first));
        Assert.That(SharedDataSources.Get("Host=shared;Username=bob"), Is.Not.SameAs(first));
    }

    [Test]
    public async Task A_connection_that_it_opens_is_open()
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand();
            server.Expect<Terminate>();
        });
        await using var source = Server.DataSource();
        await using var connection = await Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_command_of_its_own_takes_a_connection_for_as_long_as_its_reader_is_open()
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand(1);
            server.Expect<Terminate>();
        });
        await using var source = Server.DataSource();
        var command = source.CreateCommand("SELECT 1");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(command.Connection!.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        Assert.That(command.Connection!.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_command_of_its_own_gives_the_connection_back_when_it_fails()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ErrorResponse("42601").ReadyForQuery();
            server.Expect<Terminate>();
        });
        await using var source = Server.DataSource();
        await Catch<PostgresException>(() => Mode.ExecuteReader(source.CreateCommand("SELEC")));
        Server.Finish();
    }

    [Test]
    public async Task Without_a_pool_there_is_none_to_look_at_or_to_change()
    {
        await using var source = Server.DataSource();
        Assert.That(source.GetPoolStatistics(), Is.Null);
        Assert.Throws<InvalidOperationException>(() => source.ResizePool(1, 2));
        await Mode.Run(() => source.WarmUp(3), () => source.WarmUpAsync(3).AsTask());
        await Mode.Run(source.Clear, () => source.ClearAsync().AsTask());
        Assert.That(await source.DrainAsync(TimeSpan.Zero), Is.True);
        Assert.That(Server.Connections, Is.Zero);
    }

    [Test]
    public async Task A_disposed_data_source_hands_nothing_out()
    {
        var source = Server.DataSource("Pooling=true");
        var connection = source.CreateConnection();
        await Mode.Dispose(source);
        Assert.Throws<ObjectDisposedException>(() => source.CreateConnection());
        Assert.Throws<ObjectDisposedException>(() => source.CreateCommand());
        Assert.Throws<ObjectDisposedException>(() => source.WarmUp(1));
        await Catch<ObjectDisposedException>(() => Mode.Open(connection));
        Assert.That(Server.Connections, Is.Zero);
    }

    [Test]
    public void The_base_class_makes_the_same_objects()
    {
        using DbDataSource source = Server.DataSource();
        Assert.That(source.CreateConnection(), Is.InstanceOf<PgConnection>());
        Assert.That(source.CreateCommand("SELECT 1"), Is.InstanceOf<PgCommand>().With.Property("CommandText").EqualTo("SELECT 1"));
    }
}
