using System.Collections.Concurrent;
using Loxo.IntegrationTests.Chaos;
using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>More renters than connections: they wait in line, each for as long as it may, and are told why it took too long.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ExhaustionTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task The_error_says_who_holds_the_connections()
    {
        var source = Source("Maximum Pool Size=2;Timeout=5");
        var connections = await RentMany(source, 2);

        var error = await Error<PgException>(() => Rent(source));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.PoolExhausted));
        Assert.That(error.Message, Does.Contain("of at most 2").And.Contains("2 are in use").And.Contains("0 idle").And.Contains("0 opening").And.Contains("0 others wait"));
        Assert.That(error.Message, Does.Match(@"(In use for \d+(\.\d+)? s\..*){2}"));
        Assert.That(error.Message, Does.Contain("Maximum Pool Size").And.Contains("Timeout"));
        var statistics = ((PoolExhaustedException)error.InnerException!).Statistics;
        Assert.That((statistics.Busy, statistics.Idle, statistics.Opening), Is.EqualTo((2, 0, 0)));
        Assert.That(statistics.OldestRents, Has.Count.EqualTo(2));
        Assert.That(statistics.OldestRents[0].Age, Is.GreaterThanOrEqualTo(statistics.OldestRents[1].Age));
        await CloseAll(connections);
        Assert.That(Statistics(source).TimedOut, Is.EqualTo(1));
    }

    [Test]
    public async Task The_connection_object_of_a_failed_open_can_be_opened_later()
    {
        var source = Source("Maximum Pool Size=1;Timeout=5");
        var holder = await Rent(source);
        await using var connection = source.CreateConnection();
        await Error<PgException>(() => Mode.Open(connection));
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));

        await Mode.Close(holder);
        await Mode.Open(connection);

        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
        Assert.That(Statistics(source).Total, Is.EqualTo(1));
    }

    [Test]
    public async Task Whoever_waits_gets_the_connection_that_comes_back()
    {
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        var process = holder.ProcessID;
        var waiting = Start(() => Rent(source));
        await Until(() => Statistics(source).Waiting == 1, "it waits");

        await Mode.Close(holder);

        var connection = await waiting;
        Assert.That(connection.ProcessID, Is.EqualTo(process));
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    [Test]
    public async Task Whoever_waits_opens_in_place_of_a_connection_that_broke()
    {
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        var process = holder.ProcessID;
        var waiting = Start(() => Rent(source));
        await Until(() => Statistics(source).Waiting == 1, "it waits");
        await Terminate(process);
        await Error<PostgresException>(() => Scalar(holder, "SELECT 1"));

        await Mode.Close(holder);

        var connection = await waiting;
        Assert.That(connection.ProcessID, Is.Not.EqualTo(process));
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    [Test]
    public async Task Blocking_and_asynchronous_renters_wait_in_one_line()
    {
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        var order = new ConcurrentQueue<int>();
        var waiters = new List<Task>();
        for (var i = 0; i < 8; i++)
        {
            waiters.Add(Take(source, i % 2 == 0 ? WaitMode.Blocking : WaitMode.Async, i, order));
            await Until(() => Statistics(source).Waiting == i + 1, "it waits");
        }

        await Mode.Close(holder);

        await Finish(Task.WhenAll(waiters));
        Assert.That(order, Is.EqualTo(Enumerable.Range(0, 8)));
        Assert.That(Statistics(source).Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task Renters_of_a_server_that_cannot_be_reached_each_get_an_error([Values(1, 3)] int maximum)
    {
        var proxy = Proxy();
        proxy.Plan = static link => link.Reset();
        var source = Source($"Timeout=60;Maximum Pool Size={maximum}", proxy.ConnectionString(TestServer.Default.ConnectionString));

        var renters = Enumerable.Range(0, 10).Select(_ => Start(() => Rent(source))).ToList();
        foreach (var renter in renters)
            await Error<PgException>(renter);

        var statistics = Statistics(source);
        Assert.That((statistics.Total, statistics.Opening, statistics.Waiting, statistics.Busy), Is.EqualTo((0, 0, 0, 0)));
        Assert.That((statistics.OpenFailed, statistics.TimedOut), Is.EqualTo((10L, 0L)));
        Assert.That(statistics.RecentOpenFailures, Is.Not.Empty);
        proxy.Plan = null;
        var connections = await RentMany(source, maximum);
        foreach (var connection in connections)
            Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await CloseAll(connections);
    }

    [Test]
    public async Task Renters_of_a_server_that_does_not_answer_each_end_with_their_own_deadline()
    {
        using var hole = new BlackHole();
        var source = Source($"Host=127.0.0.1;Port={hole.Port};Timeout=1;Maximum Pool Size=2");

        var renters = Enumerable.Range(0, 6).Select(_ => Start(() => Rent(source))).ToList();

        var codes = new List<PgErrorCode>();
        foreach (var renter in renters)
            codes.Add((await Error<PgException>(renter)).Code);
        Assert.That(codes, Is.All.AnyOf(PgErrorCode.Timeout, PgErrorCode.PoolExhausted));
        Assert.That(codes, Does.Contain(PgErrorCode.Timeout));
        await Until(() => Statistics(source) is { Total: 0, Waiting: 0 }, "all is over");
    }

    [Test]
    public async Task Whoever_waits_can_be_cancelled()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var source = Source("Maximum Pool Size=1;Timeout=60");
        var holder = await Rent(source);
        using var cancel = new CancellationTokenSource();
        var connection = source.CreateConnection();
        var waiting = connection.OpenAsync(cancel.Token);
        await Until(() => Statistics(source).Waiting == 1, "it waits");

        await cancel.CancelAsync();

        var error = await Error<OperationCanceledException>(Finish(waiting));
        Assert.That(error.CancellationToken, Is.EqualTo(cancel.Token));
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        Assert.That(Statistics(source).Waiting, Is.Zero);
        await Mode.Close(holder);
        Assert.That(Statistics(source), Has.Property("Idle").EqualTo(1));
        await connection.OpenAsync(CancellationToken.None);
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await connection.CloseAsync();
    }

    [Test]
    public async Task A_token_that_was_cancelled_before_takes_nothing()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var source = Source("Maximum Pool Size=1");
        await CloseAll(await RentMany(source, 1));

        await Error<OperationCanceledException>(() => Rent(source, new CancellationToken(canceled: true)));

        Assert.That((Statistics(source).Idle, Statistics(source).Busy, Statistics(source).Rented), Is.EqualTo((1, 0, 1L)));
    }

    [Test]
    public async Task Waiters_that_give_up_at_the_moment_of_the_hand_over_lose_no_connection()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var source = Source("Maximum Pool Size=1;Timeout=60");
        for (var i = 0; i < 100; i++)
        {
            var holder = await Rent(source);
            using var cancel = new CancellationTokenSource();
            await using var connection = source.CreateConnection();
            var waiting = connection.OpenAsync(cancel.Token);
            var cancelling = Task.Run(cancel.Cancel);
            await Mode.Close(holder);
            await cancelling;
            await Task.WhenAny(Finish(waiting));
        }

        Assert.That((Statistics(source).Idle, Statistics(source).Busy, Statistics(source).Opened), Is.EqualTo((1, 0, 1L)));
    }

    // Who records holds the only connection.
    private static Task Take(PgDataSource source, WaitMode form, int number, ConcurrentQueue<int> order)
    {
        return form == WaitMode.Async ? Async() : Task.Factory.StartNew(Blocking, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        async Task Async()
        {
            await using var connection = await source.OpenConnectionAsync();
            order.Enqueue(number);
        }

        void Blocking()
        {
            using var connection = source.OpenConnection();
            order.Enqueue(number);
        }
    }
}
