using Loxo.Embedded;
using Loxo.IntegrationTests.Chaos;
using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Hazard P14: sessions that die in the pool are replaced, one by one, and nobody notices.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class LivenessTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task A_session_that_was_terminated_while_idle_is_replaced_unnoticed([Values] SessionReset reset)
    {
        var source = Source($"Session Reset={reset}");
        var first = await Rent(source);
        var process = first.ProcessID;
        await Mode.Close(first);
        await Terminate(process);

        var next = await Rent(source);

        Assert.That(next.ProcessID, Is.Not.EqualTo(process));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
        Assert.That(Statistics(source).Replaced, Is.EqualTo(1));
        Assert.That((await Logged(2003)).Single().Error, Is.InstanceOf<PostgresException>().With.Property(nameof(PostgresException.SqlState)).EqualTo(SqlStates.AdminShutdown));
    }

    [Test]
    public async Task Of_many_idle_sessions_only_the_one_that_died_is_replaced()
    {
        var source = Source("Maximum Pool Size=5");
        var connections = await RentMany(source, 5);
        var processes = connections.Select(connection => connection.ProcessID).ToList();
        await CloseAll(connections);

        await Terminate(processes[2]);

        connections = await RentMany(source, 5);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        Assert.That(connections.Select(connection => connection.ProcessID).Intersect(processes), Is.EquivalentTo(processes.Where((_, i) => i != 2)));
        await CloseAll(connections);
        Assert.That(Statistics(source).Opened, Is.EqualTo(6));
        Assert.That(Statistics(source).Closed.Values.Sum(), Is.EqualTo(1));
    }

    [Test]
    public async Task After_a_restart_of_the_server_opening_works_at_once([Values] bool kill)
    {
        var server = Keep(await PgEmbeddedServer.StartAsync(TestServer.Options()));
        var source = Source("Maximum Pool Size=4", server.ConnectionString);
        var connections = await RentMany(source, 4);
        var inUse = connections[3];
        await CloseAll(connections[..3]);

        await server.RestartAsync(kill ? PgStopMode.Immediate : PgStopMode.Fast);

        var next = await RentMany(source, 3);
        foreach (var connection in next)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Error<PgException>(() => Scalar(inUse, "SELECT 42"));
        await Mode.Close(inUse);
        await CloseAll(next);
        var all = await RentMany(source, 4);
        foreach (var connection in all)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(all);
        Assert.That(Statistics(source).Opened, Is.EqualTo(8));
    }

    [Test]
    public async Task While_the_server_is_down_each_open_says_so_and_afterwards_works()
    {
        var server = Keep(await PgEmbeddedServer.StartAsync(TestServer.Options()));
        var source = Source("Maximum Pool Size=2", server.ConnectionString);
        await CloseAll(await RentMany(source, 2));
        await server.StopAsync();

        for (var i = 0; i < 3; i++)
            Assert.That((await Error<PgException>(() => Rent(source))).Code, Is.EqualTo(PgErrorCode.ConnectionRefused));
        await server.RestartAsync();

        var connections = await RentMany(source, 2);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections);
        await Logged(2002, 3);
    }

    [Test]
    public async Task A_connection_whose_network_went_silent_takes_no_other_with_it()
    {
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=3;Command Timeout=1;Cancellation Timeout=200", proxy.ConnectionString(TestServer.Default.ConnectionString));
        var connections = await RentMany(source, 3);
        var processes = connections.Select(connection => connection.ProcessID).ToList();
        var link = await proxy.Link(1);
        link.ToServer.GateAfterBytes(0);
        link.ToClient.GateAfterBytes(0);

        var error = await Error<PgException>(() => Scalar(connections[1], "SELECT 42"));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        await CloseAll(connections);
        connections = await RentMany(source, 3);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        Assert.That(connections.Select(connection => connection.ProcessID).Intersect(processes), Is.EquivalentTo(new[] { processes[0], processes[2] }));
        await CloseAll(connections);
    }

    [Test]
    public async Task A_failed_open_leaves_the_other_sessions_alone()
    {
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=3", proxy.ConnectionString(TestServer.Default.ConnectionString));
        var connections = await RentMany(source, 2);
        var processes = connections.Select(connection => connection.ProcessID).ToList();
        proxy.Plan = static link => link.Reset();

        await Error<PgException>(() => Rent(source));

        await CloseAll(connections);
        connections = await RentMany(source, 2);
        Assert.That(connections.Select(connection => connection.ProcessID), Is.EquivalentTo(processes));
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections);
        Assert.That(Statistics(source).OpenFailed, Is.EqualTo(1));
        Assert.That(Statistics(source).Closed.Values.Sum(), Is.Zero);
    }

    [Test]
    public async Task A_session_that_broke_in_use_is_never_handed_out_again()
    {
        var source = Source("Maximum Pool Size=2");
        var connections = await RentMany(source, 2);
        var (broken, other) = (connections[0].ProcessID, connections[1].ProcessID);
        await Terminate(broken);
        await Error<PostgresException>(() => Scalar(connections[0], "SELECT 1"));

        await CloseAll(connections);

        connections = await RentMany(source, 2);
        Assert.That(connections.Select(connection => connection.ProcessID), Does.Contain(other).And.Not.Contains(broken));
        await CloseAll(connections);
        Assert.That(Statistics(source).Opened, Is.EqualTo(3));
    }

    [Test]
    public async Task A_connection_object_whose_session_broke_can_be_opened_again_without_being_closed()
    {
        var source = Source("Maximum Pool Size=1");
        var connection = await Rent(source);
        await Terminate(connection.ProcessID);
        await Error<PostgresException>(() => Scalar(connection, "SELECT 1"));

        await Mode.Open(connection);

        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        Assert.That(Statistics(source).Total, Is.EqualTo(1));
        await Mode.Close(connection);
    }

    [Test]
    public async Task What_the_server_says_to_an_idle_session_is_no_reason_to_replace_it()
    {
        var source = Source("Maximum Pool Size=1;Session Reset=Never");
        var connection = await Rent(source);
        var process = connection.ProcessID;
        await Execute(connection, "LISTEN pool_talk");
        await Mode.Close(connection);
        var clock = Environment.TickCount64;
        await Aside(TestServer.Default.ConnectionString, "NOTIFY pool_talk");
        await Until(() => Environment.TickCount64 != clock, "the clock moves");

        var next = await Rent(source);

        Assert.That(next.ProcessID, Is.EqualTo(process));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_session_that_was_idle_for_long_is_asked_for_a_sign_of_life()
    {
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=1;Session Reset=Never;Connection Idle Ping Time=5", proxy.ConnectionString(TestServer.Default.ConnectionString));
        var connection = await Rent(source);
        var session = connection.Session!;
        var pooled = Rented.By(connection).Resource;
        var link = await proxy.Link(0);
        await Mode.Close(connection);
        var before = link.ToServer.Passed;
        connection = await Rent(source);
        Assert.That(link.ToServer.Passed, Is.EqualTo(before), "not so long");
        await Mode.Close(connection);
        pooled.IdleSince -= 6000;

        connection = await Rent(source);

        Assert.That(link.ToServer.Passed, Is.GreaterThan(before));
        Assert.That(session, Is.SameAs(connection.Session));
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_session_that_gives_no_sign_of_life_is_replaced()
    {
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=1;Session Reset=Never;Connection Idle Ping Time=5", proxy.ConnectionString(TestServer.Default.ConnectionString));
        var connection = await Rent(source);
        var session = connection.Session!;
        var pooled = Rented.By(connection).Resource;
        var link = await proxy.Link(0);
        await Mode.Close(connection);
        pooled.IdleSince -= 6000;
        // Cut only when the question has come: before it there was nothing to see.
        var asked = link.ToServer.GateAfterBytes(1);
        _ = asked.Reached.ContinueWith(_ => link.Reset(), TaskScheduler.Default);

        connection = await Rent(source);

        Assert.That(connection.Session, Is.Not.SameAs(session));
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
        Assert.That(Statistics(source).Closed[CloseReason.CheckFailed], Is.EqualTo(1));
    }
}
