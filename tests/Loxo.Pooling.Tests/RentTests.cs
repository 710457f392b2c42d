using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Tests;

public sealed class RentTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task What_is_returned_is_rented_again()
    {
        var pool = Pool();
        var first = await Rent(pool);
        await Return(pool, first);
        var second = await Rent(pool);

        Assert.That(second.Resource, Is.SameAs(first.Resource));
        Assert.That(Policy.OpenedCount, Is.EqualTo(1));
    }

    [Test]
    public async Task No_more_are_opened_than_may_exist()
    {
        var pool = Pool(maximum: 3);
        var rentals = await RentMany(pool, 3);
        var waiting = await Wait(pool, 2);

        Assert.That((Policy.OpenedCount, pool.GetStatistics().Total), Is.EqualTo((3, 3)));
        await Return(pool, rentals[1]);
        Assert.That((await Soon(waiting[0])).Resource, Is.SameAs(rentals[1].Resource));
        await Return(pool, rentals[0]);
        Assert.That((await Soon(waiting[1])).Resource, Is.SameAs(rentals[0].Resource));
    }

    [Test]
    public async Task Waiters_are_served_in_the_order_in_which_they_came()
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        var waiting = await Wait(pool, 5);
        foreach (var waiter in waiting)
        {
            Assert.That(waiter.IsCompleted, Is.False);
            await Return(pool, rental);
            rental = await Soon(waiter);
        }
        Assert.That(waiting, Is.All.Property(nameof(Task.IsCompletedSuccessfully)).True);
    }

    [Test]
    public async Task A_renter_that_has_waited_goes_on_where_the_policy_says()
    {
        IThreadPoolWorkItem? handed = null;
        var asked = 0;
        // Every other one is left to the thread pool.
        Policy.OnResume = renter => (handed = asked++ % 2 == 0 ? renter : null) is not null;
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        for (var i = 0; i < 6; i++)
        {
            var waiting = (await Wait(pool, 1))[0];
            await Return(pool, rental);
            if (handed is not null)
            {
                Assert.That(waiting.IsCompleted, Is.False);
                handed.Execute();
                Assert.That(waiting.IsCompleted, Is.True, "on the thread that executes it");
            }
            rental = await Soon(waiting);
        }
        Assert.That(asked, Is.EqualTo(Mode == WaitMode.Async ? 6 : 0));
    }

    [Test]
    public async Task A_policy_that_fails_where_a_renter_is_to_go_on_leaves_it_and_the_next_to_the_thread_pool()
    {
        Policy.OnResume = static _ => throw new InvalidOperationException("no");
        var pool = Pool(maximum: 2);
        var rentals = await RentMany(pool, 2);
        var waiting = await Wait(pool, 2);
        foreach (var rental in rentals)
            await Return(pool, rental);
        await Return(pool, await Soon(waiting[0]));
        await Return(pool, await Soon(waiting[1]));
    }

    [Test]
    [SuppressMessage("Reliability", "CA2012", Justification = "That is what is tried.")]
    public async Task A_renter_that_takes_its_result_too_early_or_twice_gets_an_error_and_harms_nobody([Values] bool early, [Values] bool fails)
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        var renting = pool.RentAsync(fails ? TimeSpan.FromMilliseconds(50) : Timeout.InfiniteTimeSpan);
        if (early)
            Assert.That(() => renting.GetAwaiter().GetResult(), Throws.InvalidOperationException);
        if (fails)
        {
            Time.Advance(TimeSpan.FromSeconds(1));
            await Until(() => renting.IsCompleted);
            Assert.That(() => renting.GetAwaiter().GetResult(), Throws.TypeOf<PoolExhaustedException>());
        }
        else
        {
            await Return(pool, rental);
            await Until(() => renting.IsCompleted);
            rental = renting.GetAwaiter().GetResult();
        }
        for (var i = 0; i < 2; i++)
            Assert.That(() => renting.GetAwaiter().GetResult(), Throws.InvalidOperationException);

        // Those that wait from here on use the same objects.
        var waiting = await Wait(pool, 3);
        Assert.That(() => renting.GetAwaiter().GetResult(), Throws.InvalidOperationException);
        foreach (var waiter in waiting)
        {
            await Return(pool, rental);
            rental = await Soon(waiter);
        }
        Assert.That(pool.GetStatistics().Waiting, Is.Zero);
    }

    [Test]
    public async Task Renters_that_were_served_by_one_thread_go_on_in_the_order_of_the_line()
    {
        const int Renters = 400;
        var pool = Pool(maximum: Renters);
        var rentals = await RentMany(pool, Renters);
        var order = new ConcurrentQueue<int>();
        var waiting = Enumerable.Range(0, Renters).Select(GoOn).ToArray();
        await Task.Run(() =>
        {
            foreach (var rental in rentals)
                Return(pool, rental).GetAwaiter().GetResult();
        });
        await Soon(Task.WhenAll(waiting));

        // Workers that go on with two of them at once may swap them. From a stack of its own, a worker would take the last one first.
        var came = order.ToArray();
        var swapped = came.Select((renter, place) => came.Skip(place).Count(later => later < renter)).Sum();
        Assert.That(swapped, Is.LessThan(Renters * Renters / 8), "of the pairs");

        async Task GoOn(int number)
        {
            await pool.RentAsync().ConfigureAwait(false);
            order.Enqueue(number);
        }
    }

    [Test]
    public async Task A_renter_that_has_waited_opens_in_its_own_context([Values] bool withToken)
    {
        var local = new AsyncLocal<string>();
        string? seen = null;
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        Policy.OnOpen = _ =>
        {
            seen = local.Value;
            return Task.FromResult(Policy.New());
        };
        using var source = new CancellationTokenSource();
        var context = ExecutionContext.Capture()!;
        Task<Rental<Thing>> waiting = null!;
        ExecutionContext.Run(context, _ =>
        {
            local.Value = "the renter's";
            waiting = Rent(pool, token: withToken ? source.Token : default);
        }, null);
        await Until(() => pool.GetStatistics().Waiting == 1);
        await Discard(pool, rental);
        await Soon(waiting);
        Assert.That((seen, local.Value), Is.EqualTo(("the renter's", default(string))));
    }

    [TestCase(ReuseOrder.Lifo, new[] { 2, 3, 1 })]
    [TestCase(ReuseOrder.Fifo, new[] { 1, 3, 2 })]
    public async Task The_order_of_reuse_is_as_chosen(ReuseOrder order, int[] expected)
    {
        var pool = Pool(with: options => options with { Order = order });
        var rentals = await RentMany(pool, 3);
        foreach (var index in new[] { 0, 2, 1 })
            await Return(pool, rentals[index]);

        Assert.That((await RentMany(pool, 3)).Select(rental => rental.Resource.Number), Is.EqualTo(expected));
    }

    [Test]
    public async Task A_rental_given_back_twice_does_not_end_the_next_one()
    {
        var pool = Pool();
        var first = await Rent(pool);
        await Return(pool, first);
        var second = await Rent(pool);
        await Return(pool, first);
        await Discard(pool, first);

        Assert.That((first.IsValid, second.IsValid, second.Resource.IsClosed), Is.EqualTo((false, true, false)));
        Assert.That((await Rent(pool)).Resource, Is.Not.SameAs(second.Resource));
    }

    [Test]
    public async Task A_rental_of_another_pool_is_refused()
    {
        var (pool, other) = (Pool(), Pool());
        var rental = await Rent(other);

        Assert.That(() => Return(pool, rental), Throws.ArgumentException);
        Assert.That(() => Discard(pool, default), Throws.ArgumentException);
        Assert.That(rental.IsValid, Is.True);
        Assert.That(() => default(Rental<Thing>).Resource, Throws.InvalidOperationException);
    }

    [Test]
    public async Task Only_what_is_idle_is_rented_by_TryRentIdle()
    {
        var pool = Pool();
        Assert.That(pool.TryRentIdle(out _), Is.False);
        var opened = await Rent(pool);
        Assert.That(pool.TryRentIdle(out _), Is.False);
        await Return(pool, opened);

        Assert.That(pool.TryRentIdle(out var rental), Is.True);
        Assert.That((rental.Resource, rental.Resource.Checks), Is.EqualTo((opened.Resource, 0)));
        Assert.That((Policy.OpenedCount, rental.IsValid), Is.EqualTo((1, true)));
    }

    [Test]
    public async Task A_waiter_whose_time_is_over_fails_and_the_next_is_served()
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        var early = (await Wait(pool, 1, TimeSpan.FromSeconds(5)))[0];
        var late = (await Wait(pool, 1, TimeSpan.FromSeconds(10)))[0];
        Time.Advance(TimeSpan.FromSeconds(6));

        await Failure<PoolExhaustedException>(early);
        Assert.That(late.IsCompleted, Is.False);
        await Return(pool, rental);
        Assert.That((await Soon(late)).Resource, Is.SameAs(rental.Resource));
        Assert.That(pool.GetStatistics().TimedOut, Is.EqualTo(1));
    }

    [Test]
    public async Task The_default_time_is_that_of_the_options()
    {
        var pool = Pool(1, options => options with { RentTimeout = TimeSpan.FromSeconds(3) });
        await Rent(pool);
        var waiter = (await Wait(pool, 1))[0];
        Time.Advance(TimeSpan.FromSeconds(2.9));
        Assert.That(waiter.IsCompleted, Is.False);
        Time.Advance(TimeSpan.FromSeconds(0.2));

        await Failure<PoolExhaustedException>(waiter);
    }

    [Test]
    public async Task A_wait_without_limit_is_not_ended_by_time()
    {
        var pool = Pool(1, options => options with { RentTimeout = Timeout.InfiniteTimeSpan });
        var rental = await Rent(pool);
        var waiter = (await Wait(pool, 1))[0];
        Time.Advance(TimeSpan.FromDays(1));
        Assert.That(waiter.IsCompleted, Is.False);

        await Return(pool, rental);
        Assert.That((await Soon(waiter)).IsValid, Is.True);
    }

    [TestCase(0)]
    [TestCase(-2)]
    public void A_time_that_is_no_time_is_refused(int milliseconds) =>
        Assert.That(() => Rent(Pool(), TimeSpan.FromMilliseconds(milliseconds)), Throws.InstanceOf<ArgumentOutOfRangeException>());

    [Test]
    public async Task One_deadline_is_for_waiting_opening_and_checking_together()
    {
        var left = new List<TimeSpan>();
        Policy.OnOpen = timeLeft =>
        {
            left.Add(timeLeft);
            return Task.FromResult(Policy.New());
        };
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool, TimeSpan.FromSeconds(20));
        var waiter = (await Wait(pool, 1, TimeSpan.FromSeconds(10)))[0];
        Time.Advance(TimeSpan.FromSeconds(4));
        await Discard(pool, rental);
        await Soon(waiter);

        Assert.That(left, Is.EqualTo(new[] { TimeSpan.FromSeconds(20), TimeSpan.FromSeconds(6) }));
    }

    [TestCase(6, 4)]
    [TestCase(10, 0)]
    public async Task The_time_of_a_check_that_fails_is_missing_for_opening(int seconds, int rest)
    {
        var left = new List<TimeSpan>();
        Policy.OnOpen = timeLeft =>
        {
            left.Add(timeLeft);
            return Task.FromResult(Policy.New());
        };
        Policy.OnCheck = _ =>
        {
            Time.Advance(TimeSpan.FromSeconds(seconds));
            return Task.FromResult(false);
        };
        var pool = Pool();
        await Return(pool, await Rent(pool, TimeSpan.FromSeconds(20)));
        await Rent(pool, TimeSpan.FromSeconds(10));

        Assert.That(left, Is.EqualTo(new[] { TimeSpan.FromSeconds(20), TimeSpan.FromSeconds(rest) }));
    }

    [Test]
    public async Task On_the_system_clock_a_wait_ends_too([Values] ReuseOrder order)
    {
        var pool = Pool(1, options => options with { Time = TimeProvider.System, Order = order });
        var rental = await Rent(pool);
        await Failure<PoolExhaustedException>(Rent(pool, TimeSpan.FromMilliseconds(30)));

        Assert.That(pool.GetStatistics().Waiting, Is.Zero);
        await Return(pool, rental);
        Assert.That((await Rent(pool)).Resource, Is.SameAs(rental.Resource));
    }
}
