using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>How a pool comes to its size, changes it and ends.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class PoolLifeTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task The_minimum_is_opened_ahead()
    {
        var source = Source("Minimum Pool Size=3");
        await Until(() => Statistics(source).Idle == 3, "three are idle");

        await CloseAll(await RentMany(source, 3));

        Assert.That((Statistics(source).Opened, Statistics(source).Rented), Is.EqualTo((3L, 3L)));
    }

    [Test]
    public async Task The_minimum_is_refilled_when_connections_break()
    {
        var source = Source("Minimum Pool Size=3;Maximum Pool Size=3");
        await Until(() => Statistics(source).Idle == 3, "three are idle");
        var connections = await RentMany(source, 3);
        foreach (var connection in connections)
        {
            await Terminate(connection.ProcessID);
            await Error<PostgresException>(() => Scalar(connection, "SELECT 1"));
        }

        await CloseAll(connections);

        await Until(() => Statistics(source).Idle == 3, "three are idle again");
        Assert.That(Statistics(source).Opened, Is.EqualTo(6));
        connections = await RentMany(source, 3);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections);
    }

    [Test]
    public async Task Warming_up_opens_so_many_and_no_more_than_allowed()
    {
        var source = Source("Maximum Pool Size=4");

        await WarmUp(source, 2);
        Assert.That((Statistics(source).Idle, Statistics(source).Opened), Is.EqualTo((2, 2L)));
        await WarmUp(source, 2);
        Assert.That(Statistics(source).Opened, Is.EqualTo(2));
        await WarmUp(source, 100);
        Assert.That((Statistics(source).Idle, Statistics(source).Opened), Is.EqualTo((4, 4L)));

        var connections = await RentMany(source, 4);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections);
        Assert.That(Statistics(source).Opened, Is.EqualTo(4));
    }

    [Test]
    public async Task Warming_up_says_why_it_could_not()
    {
        var source = Source("Database=there_is_no_such_database");

        var error = await Error<PostgresException>(() => WarmUp(source, 2));

        Assert.That(error.SqlState, Is.EqualTo("3D000"));
        await Until(() => Statistics(source).Total == 0, "nothing is left over");
    }

    [Test]
    public async Task A_pool_that_is_made_smaller_closes_what_is_too_many()
    {
        var source = Source("Maximum Pool Size=4");
        var connections = await RentMany(source, 4);
        await CloseAll(connections[..2]);

        source.ResizePool(0, 1);

        Assert.That((Statistics(source).Idle, Statistics(source).Busy), Is.EqualTo((0, 2)));
        Assert.That(await Scalar(connections[2], "SELECT 42"), Is.EqualTo(42), "what is in use stays");
        await CloseAll(connections[2..]);
        Assert.That((Statistics(source).Idle, Statistics(source).Busy), Is.EqualTo((1, 0)));
        Assert.That(Statistics(source).Closed[CloseReason.Surplus], Is.EqualTo(3));
    }

    [Test]
    public async Task A_pool_that_is_made_larger_serves_who_waits()
    {
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        var waiting = Start(() => Rent(source));
        await Until(() => Statistics(source).Waiting == 1, "it waits");

        source.ResizePool(0, 2);

        var connection = await waiting;
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll([holder, connection]);
        Assert.That(Statistics(source).Idle, Is.EqualTo(2));
    }

    [Test]
    public async Task Clearing_closes_what_is_idle_now_and_what_is_in_use_later()
    {
        var source = Source("Maximum Pool Size=3");
        var connections = await RentMany(source, 3);
        var idle = connections[0].ProcessID;
        await Mode.Close(connections[0]);

        await Mode.Run(source.Clear, () => source.ClearAsync().AsTask());

        await Gone(idle);
        foreach (var connection in connections[1..])
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        var later = connections[1..].Select(connection => connection.ProcessID).ToList();
        await CloseAll(connections[1..]);
        foreach (var process in later)
            await Gone(process);
        Assert.That((Statistics(source).Total, Statistics(source).Closed[CloseReason.Cleared]), Is.EqualTo((0, 3L)));
        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
        Assert.That(Statistics(source).Idle, Is.EqualTo(1));
    }

    [Test]
    public async Task A_database_can_be_dropped_when_its_pool_was_cleared()
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source("Maximum Pool Size=3", database.ConnectionString);
        await CloseAll(await RentMany(source, 3));
        Assert.That((await Error<PostgresException>(() => Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {database.Name}"))).SqlState, Is.EqualTo("55006"));

        await Mode.Run(source.Clear, () => source.ClearAsync().AsTask());

        await Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {database.Name}");
    }

    [Test]
    public async Task A_disposed_data_source_lets_connections_in_use_finish()
    {
        var source = Source("Maximum Pool Size=3");
        var connections = await RentMany(source, 2);
        var unopened = source.CreateConnection();
        var (idle, busy) = (connections[0].ProcessID, connections[1].ProcessID);
        await Mode.Close(connections[0]);

        await Mode.Dispose(source);

        await Gone(idle);
        Assert.That(await Scalar(connections[1], "SELECT 42"), Is.EqualTo(42));
        await Error<ObjectDisposedException>(() => Rent(source));
        await Error<ObjectDisposedException>(() => Mode.Open(unopened));
        await Mode.Close(connections[1]);
        await Gone(busy);
        await Mode.Dispose(source);
    }

    [Test]
    public async Task A_disposed_data_source_wakes_who_waits()
    {
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        var waiting = Start(() => Rent(source));
        await Until(() => Statistics(source).Waiting == 1, "it waits");

        await Mode.Dispose(source);

        await Error<ObjectDisposedException>(waiting);
        await Mode.Close(holder);
    }

    [Test]
    public async Task Draining_waits_for_what_is_in_use()
    {
        var source = Source("Maximum Pool Size=3");
        var connections = await RentMany(source, 2);
        Assert.That(await source.DrainAsync(TimeSpan.Zero), Is.False);
        var draining = source.DrainAsync(Timeout.InfiniteTimeSpan).AsTask();

        await Error<ObjectDisposedException>(() => Rent(source));
        Assert.That(await Scalar(connections[0], "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connections[0]);
        Assert.That(draining.IsCompleted, Is.False);
        await Mode.Close(connections[1]);

        Assert.That(await Finish(draining), Is.True);
        Assert.That(Statistics(source).Total, Is.Zero);
    }

    [Test]
    public async Task What_is_in_use_is_never_closed_for_its_age()
    {
        var source = Source("Maximum Pool Size=3;Connection Idle Lifetime=1;Connection Lifetime=1;Connection Pruning Interval=1");
        var connections = await RentMany(source, 3);
        // One runs a command, one does nothing, one is idle in the pool.
        var running = Start(() => Scalar(connections[0], "SELECT pg_sleep(1.5), 42"));
        await Mode.Close(connections[2]);

        await Until(() => Statistics(source).Total == 2, "the idle one is closed");

        await running;
        Assert.That(await Scalar(connections[0], "SELECT 42"), Is.EqualTo(42));
        Assert.That(await Scalar(connections[1], "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections[..2]);
        await Until(() => Statistics(source).Total == 0, "all are too old");
        Assert.That(Statistics(source).Closed[CloseReason.Lifetime] + Statistics(source).Closed[CloseReason.Idle], Is.EqualTo(3));
    }

    [Test]
    public async Task Idle_connections_above_the_minimum_are_closed()
    {
        var source = Source("Minimum Pool Size=1;Maximum Pool Size=3;Connection Idle Lifetime=1;Connection Pruning Interval=1");
        await CloseAll(await RentMany(source, 3));

        await Until(() => Statistics(source).Closed[CloseReason.Idle] == 2, "two are closed");

        Assert.That(Statistics(source).Idle, Is.EqualTo(1));
        Assert.That(Statistics(source).Opened, Is.EqualTo(3));
    }

    [Test]
    public async Task Statistics_tell_how_the_pool_stands()
    {
        var source = Source("Minimum Pool Size=0;Maximum Pool Size=7");
        Assert.That(Statistics(source), Has.Property("Total").EqualTo(0));
        var connections = await RentMany(source, 3);
        await Mode.Close(connections[0]);

        var statistics = Statistics(source);

        Assert.That((statistics.MinimumSize, statistics.MaximumSize), Is.EqualTo((0, 7)));
        Assert.That((statistics.Total, statistics.Idle, statistics.Busy, statistics.Opening, statistics.Waiting), Is.EqualTo((3, 1, 2, 0, 0)));
        Assert.That((statistics.Rented, statistics.Opened, statistics.OpenFailed, statistics.TimedOut, statistics.Abandoned), Is.EqualTo((3L, 3L, 0L, 0L, 0L)));
        Assert.That(statistics.OldestRents, Has.Count.EqualTo(2));
        await CloseAll(connections);
        Assert.That((Statistics(source).Idle, Statistics(source).Busy), Is.EqualTo((3, 0)));
    }

    [Test]
    public async Task Without_a_pool_every_open_connects_and_every_close_ends_the_session()
    {
        var source = Source("Pooling=false");
        Assert.That(source.GetPoolStatistics(), Is.Null);
        var first = await Rent(source);
        var process = first.ProcessID;
        Assert.That(await Scalar(first, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(first);
        await Gone(process);

        await Mode.Open(first);
        Assert.That(first.ProcessID, Is.Not.EqualTo(process));
        await Mode.Close(first);
        await WarmUp(source, 3);
        source.Clear();
        Assert.That(await source.DrainAsync(TimeSpan.Zero), Is.True);
        Assert.Throws<InvalidOperationException>(() => source.ResizePool(0, 1));
    }

    private Task WarmUp(PgDataSource source, int count) => Mode.Run(() => source.WarmUp(count), () => source.WarmUpAsync(count).AsTask());

    // The server process may need a moment to hear of it.
    private static async Task Gone(int process)
    {
        await using var other = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await other.OpenAsync();
        await using var count = new PgCommand($"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}", other);
        var end = DateTime.UtcNow.AddMinutes(1);
        while (!Equals(await count.ExecuteScalarAsync(), 0L))
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "The session lives on at the server.");
    }
}
