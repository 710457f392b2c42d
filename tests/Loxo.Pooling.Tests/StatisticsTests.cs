namespace Loxo.Pooling.Tests;

public sealed class StatisticsTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task Statistics_count_what_is_and_what_was()
    {
        var pool = Pool(maximum: 3);
        var rentals = await RentMany(pool, 3);
        var waiting = await Wait(pool, 1, TimeSpan.FromSeconds(1));
        var before = pool.GetStatistics();
        Assert.That((before.Name, before.MaximumSize, before.MinimumSize), Is.EqualTo(("things", 3, 0)));
        Assert.That((before.Total, before.Busy, before.Idle, before.Opening, before.Waiting), Is.EqualTo((3, 3, 0, 0, 1)));
        Assert.That(before.ToString(), Is.EqualTo("things: 3 busy, 0 idle, 0 opening, 1 waiting; at most 3"));
        Time.Advance(TimeSpan.FromSeconds(2));
        await Failure<PoolExhaustedException>(waiting[0]);
        await Return(pool, rentals[0]);
        await Discard(pool, rentals[1]);
        await Return(pool, await Rent(pool));

        var statistics = pool.GetStatistics();
        Assert.That((statistics.Total, statistics.Busy, statistics.Idle, statistics.Opening, statistics.Waiting), Is.EqualTo((2, 1, 1, 0, 0)));
        Assert.That((statistics.Rented, statistics.Opened, statistics.TimedOut), Is.EqualTo((4, 3, 1)));
        Assert.That(statistics.Closed[CloseReason.Broken], Is.EqualTo(1));
        Assert.That(statistics.Closed.Values.Sum(), Is.EqualTo(1));
        Assert.That(statistics.Closed.Keys, Is.EquivalentTo(Enum.GetValues<CloseReason>()));
    }

    [Test]
    public async Task The_oldest_rents_come_first()
    {
        var pool = Pool(maximum: 20);
        for (var i = 1; i <= 15; i++)
        {
            (await Rent(pool)).SetTag(i);
            Time.Advance(TimeSpan.FromSeconds(1));
        }

        var oldest = pool.GetStatistics().OldestRents;
        Assert.That(oldest.Select(rent => rent.Tag), Is.EqualTo(Enumerable.Range(1, 10)));
        Assert.That(oldest.Select(rent => rent.Age.TotalSeconds), Is.EqualTo(Enumerable.Range(6, 10).Reverse()));
    }

    [Test]
    public async Task A_tag_belongs_to_one_rent()
    {
        var pool = Pool();
        var first = await Rent(pool);
        first.SetTag("first");
        await Return(pool, first);
        await Rent(pool);
        first.SetTag("too late");

        Assert.That(pool.GetStatistics().OldestRents.Single().Tag, Is.Null);
    }

    [Test]
    public async Task The_exhaustion_error_says_who_holds_what_since_when_and_what_to_do()
    {
        var pool = Pool(maximum: 2);
        (await Rent(pool)).SetTag("SELECT pg_sleep(100)");
        Time.Advance(TimeSpan.FromSeconds(7));
        await Rent(pool);
        var waiting = await Wait(pool, 1, TimeSpan.FromSeconds(3));
        var other = await Wait(pool, 1, TimeSpan.FromSeconds(30));
        Time.Advance(TimeSpan.FromSeconds(3));

        var error = await Failure<PoolExhaustedException>(waiting[0]);
        Assert.That(error.Message, Is.EqualTo(
            "The pool 'things' had nothing to rent within 3 s: of at most 2 resources 2 are in use, 0 idle and 0 opening, and 1 others wait."
            + " In use for 10 s (SELECT pg_sleep(100)). In use for 3 s."
            + " Return each resource as soon as possible and in every case, or raise MaximumSize or RentTimeout."));
        Assert.That((error.Statistics.Busy, error.Statistics.Waiting), Is.EqualTo((2, 1)));
        Assert.That(other[0].IsCompleted, Is.False);
    }

    [Test]
    public async Task The_exhaustion_error_tells_why_nothing_could_be_opened()
    {
        var pool = Pool(maximum: 1);
        Policy.OnOpen = _ => throw new IOException("connection refused");
        await Failure<IOException>(Rent(pool));
        var stuck = new TaskCompletionSource<Thing>();
        Policy.OnOpen = _ => stuck.Task;
        var opening = Rent(pool);
        await Until(() => pool.GetStatistics().Opening == 1);
        var waiting = await Wait(pool, 1, TimeSpan.FromSeconds(3));
        Time.Advance(TimeSpan.FromSeconds(3));

        Assert.That((await Failure<PoolExhaustedException>(waiting[0])).Message,
            Does.Contain("Opening failed at 01:00:00: connection refused").And.Contain("Resources cannot be opened: see to that first."));
        stuck.SetResult(Policy.New());
        await Soon(opening);
    }

    [Test]
    public async Task With_sampling_the_error_shows_where_resources_were_rented()
    {
        var pool = Pool(1, options => options with { StackSampling = 1 });
        await Rent(pool);
        var waiting = await Wait(pool, 1, TimeSpan.FromSeconds(3));
        Time.Advance(TimeSpan.FromSeconds(3));

        var error = await Failure<PoolExhaustedException>(waiting[0]);
        Assert.That(error.Message, Does.Contain("Rented 3 s ago by:").And.Contain("Loxo.Pooling.Tests."));
        Assert.That(error.Statistics.OldestRents[0].Stack, Does.Contain("Loxo.Pooling.Tests."));
    }

    [Test]
    public async Task Only_the_last_failures_are_kept()
    {
        var pool = Pool();
        for (var i = 1; i <= 8; i++)
        {
            var text = i.ToString();
            Policy.OnOpen = _ => throw new IOException(text);
            await Failure<IOException>(Rent(pool));
        }

        Assert.That(pool.GetStatistics().RecentOpenFailures.Select(failure => failure.Error.Message), Is.EqualTo(new[] { "8", "7", "6", "5", "4" }));
        Assert.That(pool.GetStatistics().OpenFailed, Is.EqualTo(8));
    }
}
