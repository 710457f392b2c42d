namespace Loxo.Pooling.Tests;

public sealed class MaintenanceTests(WaitMode mode) : PoolTest(mode)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Test]
    public async Task What_nobody_wants_for_long_enough_is_closed()
    {
        var pool = Pool(with: options => options with { IdleLifetime = 60 * _second });
        var rentals = await RentMany(pool, 3);
        await Return(pool, rentals[0]);
        Time.Advance(40 * _second);
        await Return(pool, rentals[1]);
        Time.Advance(25 * _second);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[0].Resource, CloseReason.Idle) }));
        Time.Advance(40 * _second);
        Assert.That(Policy.ClosedThings.Select(closed => closed.Thing), Is.EqualTo(new[] { rentals[0].Resource, rentals[1].Resource }));
        Time.Advance(TimeSpan.FromDays(1));
        Assert.That(rentals[2].IsValid, Is.True, "what is rented is not touched");
    }

    [Test]
    public async Task Idle_time_begins_anew_with_each_return()
    {
        var pool = Pool(with: options => options with { IdleLifetime = 60 * _second });
        for (var i = 0; i < 10; i++)
        {
            var rental = await Rent(pool);
            Time.Advance(_second);
            await Return(pool, rental);
            Time.Advance(50 * _second);
        }
        Assert.That((Policy.OpenedCount, Policy.ClosedThings.Count), Is.EqualTo((1, 0)));
    }

    [Test]
    public async Task Idle_ones_are_not_closed_below_the_minimum_and_the_longest_unused_go_first()
    {
        var pool = Pool(4, options => options with { MinimumSize = 2, IdleLifetime = 60 * _second });
        Time.Advance(TimeSpan.Zero);
        var rentals = await RentMany(pool, 4);
        foreach (var rental in rentals)
        {
            await Return(pool, rental);
            Time.Advance(_second);
        }
        Time.Advance(200 * _second);

        Assert.That(Policy.ClosedThings.Select(closed => closed.Thing), Is.EquivalentTo(new[] { rentals[0].Resource, rentals[1].Resource }));
        Assert.That((pool.GetStatistics().Idle, Policy.OpenedCount), Is.EqualTo((2, 4)));
    }

    [TestCase(0)]
    [TestCase(-1)]
    public async Task Idle_time_without_limit_closes_nothing(int milliseconds)
    {
        var limit = TimeSpan.FromMilliseconds(milliseconds);
        var pool = Pool(with: options => options with { IdleLifetime = limit, Lifetime = limit });
        await Return(pool, await Rent(pool));
        Time.Advance(TimeSpan.FromDays(1));

        Assert.That(Policy.ClosedThings, Is.Empty);
    }

    [Test]
    public async Task Idle_resources_are_closed_at_the_end_of_their_lives_even_below_the_minimum()
    {
        var pool = Pool(with: options => options with { MinimumSize = 1, Lifetime = 100 * _second });
        Time.Advance(TimeSpan.Zero);
        var rental = await Rent(pool);
        await Return(pool, rental);
        Time.Advance(99 * _second);
        Assert.That(Policy.ClosedThings, Is.Empty);
        Time.Advance(20 * _second);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Lifetime) }));
        Assert.That((pool.GetStatistics().Idle, Policy.OpenedCount), Is.EqualTo((1, 2)), "another was opened at once");
    }

    [Test]
    public async Task The_end_of_life_is_seen_at_return_and_at_rent()
    {
        var pool = Pool(with: options => options with { Lifetime = 100 * _second, MaintenanceInterval = Timeout.InfiniteTimeSpan });
        var rentals = await RentMany(pool, 2);
        await Return(pool, rentals[0]);
        Time.Advance(101 * _second);
        Assert.That(rentals[1].IsValid, Is.True);
        await Return(pool, rentals[1]);
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[1].Resource, CloseReason.Lifetime) }));

        Assert.That((await Rent(pool)).Resource.Number, Is.EqualTo(3));
        Assert.That(rentals[0].Resource.IsClosed, Is.True);
        await Return(pool, pool.TryRentIdle(out var idle) ? idle : await Rent(pool));
    }

    [Test]
    public async Task Jitter_is_decided_once_when_the_resource_is_opened()
    {
        var pool = Pool(200, options => options with
        {
            Lifetime = 1000 * _second, LifetimeJitter = 0.5, IdleLifetime = TimeSpan.Zero, MaintenanceInterval = 10 * _second,
        });
        foreach (var rental in await RentMany(pool, 200))
            await Return(pool, rental);
        Time.Advance(499 * _second);
        Assert.That(Policy.ClosedThings, Is.Empty, "none ends before the shortest life");

        // Were it drawn anew at each look, all would be gone after the first few: 50 looks, each closing a share of those that are left.
        Time.Advance(251 * _second);
        Assert.That(Policy.ClosedThings, Has.Count.InRange(50, 150), "half of them after half of the spread");
        Time.Advance(260 * _second);
        Assert.That(Policy.ClosedThings, Has.Count.EqualTo(200), "none lives longer than its lifetime");
    }

    [Test]
    public async Task Sweeping_keeps_the_order_of_reuse([Values] ReuseOrder order)
    {
        var pool = Pool(5, options => options with { Order = order, IdleLifetime = 1000 * _second });
        var rentals = await RentMany(pool, 5);
        foreach (var rental in rentals)
            await Return(pool, rental);
        Time.Advance(100 * _second);

        var expected = order == ReuseOrder.Fifo ? new[] { 1, 2, 3, 4, 5 } : [5, 4, 3, 2, 1];
        Assert.That((await RentMany(pool, 5)).Select(rental => rental.Resource.Number), Is.EqualTo(expected));
    }

    [Test]
    public async Task One_that_wants_attention_is_checked_within_a_second_and_stays_if_it_is_well()
    {
        var pool = Pool();
        var rental = await Rent(pool);
        rental.Resource.WantsAttention = true;
        await Return(pool, rental);
        Assert.That(rental.Resource.Checks, Is.Zero);
        Time.Advance(1.1 * _second);
        Assert.That(rental.Resource.Checks, Is.EqualTo(1));
        rental.Resource.WantsAttention = false;

        Assert.That((await Rent(pool)).Resource, Is.SameAs(rental.Resource));
        Assert.That(Policy.Calls, Has.No.Member("Close").And.No.Member("CloseAsync"));
    }

    [Test]
    public async Task One_that_wants_attention_and_is_not_well_is_closed()
    {
        var pool = Pool();
        var rental = await Rent(pool);
        await Return(pool, rental);
        (rental.Resource.WantsAttention, rental.Resource.IsHealthy) = (true, false);
        Time.Advance(1.1 * _second);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.CheckFailed) }));
        Assert.That(pool.GetStatistics().Total, Is.Zero);
    }

    [Test]
    public async Task Without_returns_nothing_is_asked_and_the_timer_rests()
    {
        var pool = Pool(with: options => options with { MaintenanceInterval = 1000 * _second });
        var rental = await Rent(pool);
        await Return(pool, rental);
        Assert.That(Time.NextDue, Is.EqualTo(_second));
        Time.Advance(5 * _second);
        Assert.That(Time.NextDue, Is.GreaterThan(100 * _second));

        rental.Resource.WantsAttention = true;
        await Return(pool, await Rent(pool));
        var checks = rental.Resource.Checks;
        Assert.That(Time.NextDue, Is.EqualTo(_second), "a return wakes it");
        Time.Advance(_second);
        Assert.That(rental.Resource.Checks, Is.EqualTo(checks + 1));
    }

    [Test]
    public async Task Without_returns_what_wants_attention_is_found_by_the_maintenance()
    {
        var pool = Pool(with: options => options with { MaintenanceInterval = 20 * _second });
        var rental = await Rent(pool);
        await Return(pool, rental);
        Time.Advance(15 * _second);
        rental.Resource.WantsAttention = true;
        var checks = rental.Resource.Checks;
        Time.Advance(4 * _second);
        Assert.That(rental.Resource.Checks, Is.EqualTo(checks));
        Time.Advance(1.5 * _second);

        Assert.That(rental.Resource.Checks, Is.EqualTo(checks + 1));
    }

    [Test]
    public async Task What_was_unused_for_too_long_is_closed_although_it_wants_attention()
    {
        var pool = Pool(with: options => options with { MaintenanceInterval = 10 * _second, IdleLifetime = 25 * _second });
        var rental = await Rent(pool);
        rental.Resource.WantsAttention = true;
        await Return(pool, rental);
        Time.Advance(40 * _second);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Idle) }));
    }

    [Test]
    public async Task An_empty_pool_sets_no_timer()
    {
        var pool = Pool(with: options => options with { IdleLifetime = 20 * _second });
        Assert.That(Time.NextDue, Is.Null);
        await Return(pool, await Rent(pool));
        Assert.That(Time.NextDue, Is.Not.Null);
        Time.Advance(100 * _second);

        Assert.That((Policy.ClosedThings.Count, Time.NextDue), Is.EqualTo((1, (TimeSpan?)null)));
    }

    [Test]
    public async Task What_its_renter_has_lost_is_taken_back()
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        rental.SetTag("SELECT 1");
        var waiter = (await Wait(pool, 1))[0];
        Time.Advance(9 * _second);
        rental.Resource.IsAbandoned = true;
        Time.Advance(_second);

        Assert.That((await Soon(waiter)).Resource, Is.Not.SameAs(rental.Resource));
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Abandoned) }));
        var (thing, info) = Policy.AbandonedThings.Single();
        Assert.That((thing, info.Tag, info.Age), Is.EqualTo((rental.Resource, "SELECT 1", 10 * _second)));
        Assert.That((rental.IsValid, pool.GetStatistics().Abandoned), Is.EqualTo((false, 1)));
        await Return(pool, rental);
        Assert.That(pool.GetStatistics().Busy, Is.EqualTo(1), "too late to be given back");
    }

    [Test]
    public async Task What_broke_is_closed_although_its_renter_keeps_it()
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        var waiter = (await Wait(pool, 1))[0];
        rental.Resource.IsBroken = true;
        Time.Advance(10 * _second);

        Assert.That((await Soon(waiter)).Resource, Is.Not.SameAs(rental.Resource));
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Broken) }));
        Assert.That((Policy.AbandonedThings.Count, rental.IsValid), Is.EqualTo((0, false)));
        await Return(pool, rental);
        Assert.That(pool.GetStatistics().Busy, Is.EqualTo(1), "too late to be given back");
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task While_a_renter_waits_the_lost_are_looked_for_every_second(bool breaks)
    {
        var pool = Pool(2, options => options with { MaintenanceInterval = TimeSpan.FromHours(1) });
        var rentals = await RentMany(pool, 2);
        var waiters = await Wait(pool, 2);
        Time.Advance(5 * _second);
        Lose(rentals[0].Resource);
        Time.Advance(_second);

        Assert.That((await Soon(await Task.WhenAny(waiters))).Resource, Is.Not.SameAs(rentals[0].Resource));
        Lose(rentals[1].Resource);
        Time.Advance(_second);

        await Soon(Task.WhenAll(waiters));
        Assert.That(Policy.ClosedThings.Select(closed => closed.Thing), Is.EqualTo(rentals.Select(rental => rental.Resource)));

        void Lose(Thing thing) => (thing.IsBroken, thing.IsAbandoned) = (breaks, !breaks);
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task When_nobody_waits_the_lost_are_looked_for_at_each_maintenance(bool breaks)
    {
        var pool = Pool(maximum: 1);
        var thing = (await Rent(pool)).Resource;
        (thing.IsBroken, thing.IsAbandoned) = (breaks, !breaks);
        Time.Advance(9 * _second);
        Assert.That(Policy.ClosedThings, Is.Empty);
        Time.Advance(_second);

        await Until(() => Policy.ClosedThings.Any(closed => closed.Thing == thing));
    }

    [Test]
    public async Task When_nobody_waits_the_pool_sleeps_until_the_next_maintenance()
    {
        var pool = Pool(1, options => options with { MaintenanceInterval = 100 * _second, RentTimeout = Timeout.InfiniteTimeSpan });
        var rental = await Rent(pool);
        var waiter = (await Wait(pool, 1))[0];
        Assert.That(Time.NextDue, Is.EqualTo(_second));
        await Return(pool, rental);
        await Soon(waiter);
        Time.Advance(5 * _second);

        Assert.That(Time.NextDue, Is.EqualTo(95 * _second));
    }
}
