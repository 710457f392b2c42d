using System.Collections.Concurrent;

namespace Loxo.Pooling.Tests;

/// <summary>Real threads, as many rounds as said. What must hold holds whatever the order.</summary>
[Category("Slow")]
public sealed class StressTests
{
    private const int Rounds = 1500;

    private readonly ConcurrentDictionary<Thing, int> _held = [];

    [Test]
    public async Task Blocking_and_asynchronous_renters_share_a_small_pool([Values] ReuseOrder order, [Values(1, 3)] int maximum)
    {
        var policy = new ThingPolicy();
        await using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = maximum, Order = order, RentTimeout = Timeout.InfiniteTimeSpan });
        await Soon(Task.WhenAll(Callers(4, seed => Blocking(pool, seed, Give)).Concat(Callers(8, seed => Async(pool, seed, Give)))));

        Assert.That(pool.GetStatistics(), Has.Property("Rented").EqualTo(12 * Rounds).And.Property("Waiting").EqualTo(0).And.Property("Busy").EqualTo(0));
        Assert.That(policy.OpenedCount, Is.LessThanOrEqualTo(maximum));
    }

    [Test]
    public async Task Many_threads_that_do_nothing_with_what_they_rent_all_come_to_their_end([Values] ReuseOrder order, [Values(8, 64, 128)] int maximum)
    {
        const int Threads = 64;
        var policy = new ThingPolicy();
        await using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = maximum, Order = order, RentTimeout = Timeout.InfiniteTimeSpan });
        await Soon(Task.WhenAll(Callers(Threads / 2, seed => Blocking(pool, seed, Give)).Concat(Callers(Threads / 2, seed => Async(pool, seed, Give)))));

        Assert.That(pool.GetStatistics(), Has.Property("Rented").EqualTo(Threads * Rounds).And.Property("Waiting").EqualTo(0).And.Property("Busy").EqualTo(0));
        Assert.That(policy.OpenedCount, Is.LessThanOrEqualTo(maximum));
    }

    [Test]
    public async Task Nothing_is_lost_when_resources_break_opens_fail_and_renters_give_up()
    {
        var policy = new ThingPolicy();
        var opens = 0;
        policy.OnOpen = _ => Interlocked.Increment(ref opens) % 3 == 0 ? throw new IOException("no") : Task.FromResult(policy.New());
        await using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = 3, RentTimeout = Timeout.InfiniteTimeSpan });
        await Soon(Task.WhenAll(Callers(4, seed => Blocking(pool, seed, GiveOrBreak)).Concat(Callers(8, seed => Async(pool, seed, GiveOrBreak, cancels: true)))));

        var statistics = pool.GetStatistics();
        Assert.That((statistics.Busy, statistics.Opening, statistics.Waiting), Is.EqualTo((0, 0, 0)));
        Assert.That(policy.OpenedCount - policy.ClosedThings.Count, Is.EqualTo(statistics.Total).And.EqualTo(statistics.Idle));
        Assert.That(policy.ClosedThings.Select(closed => closed.Thing).Distinct().Count(), Is.EqualTo(policy.ClosedThings.Count), "each is closed once");
        Assert.That(policy.ClosedThings.Select(closed => closed.Reason).Distinct(), Is.EqualTo(new[] { CloseReason.Broken }));
    }

    [Test]
    public async Task Clear_resize_and_the_maintainer_may_come_at_any_time([Values] ReuseOrder order)
    {
        var policy = new ThingPolicy();
        await using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions
        {
            MaximumSize = 4, MinimumSize = 2, Order = order, RentTimeout = Timeout.InfiniteTimeSpan, MaintenanceInterval = TimeSpan.FromMilliseconds(1),
            AttentionInterval = TimeSpan.FromMilliseconds(1), IdleLifetime = TimeSpan.FromMilliseconds(1), Lifetime = TimeSpan.FromMilliseconds(20),
        });
        var disturbing = PoolTest.OnThread(() => Disturb(pool));
        await Soon(Task.WhenAll(Callers(3, seed => Blocking(pool, seed, GiveOrBreak)).Concat(Callers(5, seed => Async(pool, seed, GiveOrBreak))).Append(disturbing)));

        await pool.DisposeAsync();
        await Until(() => pool.GetStatistics().Total == 0);
        Assert.That(policy.ClosedThings.Select(closed => closed.Thing).Distinct().Count(), Is.EqualTo(policy.OpenedCount));
        Assert.That(policy.ClosedThings, Has.Count.EqualTo(policy.OpenedCount), "everything that was opened is closed once");
    }

    [Test]
    public async Task Dispose_in_the_middle_ends_everybody()
    {
        for (var round = 0; round < 100; round++)
        {
            var policy = new ThingPolicy();
            var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = 2, RentTimeout = Timeout.InfiniteTimeSpan });
            var callers = Callers(2, seed => Blocking(pool, seed, Give, int.MaxValue)).Concat(Callers(4, seed => Async(pool, seed, Give, rounds: int.MaxValue))).ToArray();
            await Until(() => pool.GetStatistics().Rented > 10);
            await pool.DisposeAsync();
            foreach (var caller in callers)
                await Failure<ObjectDisposedException>(caller);

            Assert.That((pool.GetStatistics().Total, policy.ClosedThings.Count), Is.EqualTo((0, policy.OpenedCount)));
        }
    }

    [Test]
    public async Task A_hand_over_at_the_moment_of_cancelling_loses_nothing()
    {
        var policy = new ThingPolicy();
        await using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = 1 });
        for (var round = 0; round < 3000; round++)
        {
            var rental = await pool.RentAsync();
            using var cancel = new CancellationTokenSource();
            var waiter = pool.RentAsync(cancel.Token).AsTask();
            var cancelling = Task.Run(cancel.Cancel);
            pool.Return(rental);
            await cancelling;
            try
            {
                pool.Return(await Soon(waiter));
            }
            catch (OperationCanceledException)
            {
                // As it may be.
            }
            Assert.That(pool.GetStatistics(), Has.Property("Idle").EqualTo(1).And.Property("Waiting").EqualTo(0));
        }
        Assert.That(policy.OpenedCount, Is.EqualTo(1));
    }

    [Test]
    public async Task Blocking_renters_go_on_while_the_thread_pool_is_starved()
    {
        using var pool = new ResourcePool<Thing>(new ThingPolicy(), new ResourcePoolOptions { MaximumSize = 1 });
        using var starving = new ManualResetEventSlim();
        var held = Enumerable.Range(0, 200).Select(_ => Task.Run(starving.Wait)).ToArray();
        var probe = Task.Run(() => { });
        var callers = Enumerable.Range(0, 4).Select(seed => new Thread(() => Cycle(pool, 200, new Random(seed)))).ToArray();
        foreach (var caller in callers)
            caller.Start();
        foreach (var caller in callers)
            Assert.That(caller.Join(TimeSpan.FromMinutes(5)), Is.True, "it goes on");
        var starved = !probe.IsCompleted;
        starving.Set();
        await Task.WhenAll(held);
        await probe;

        Assert.That((starved, pool.GetStatistics().Rented), Is.EqualTo((true, 800)));
    }

    [Test, NonParallelizable]
    public void A_blocking_renter_tries_again_while_the_thread_pool_is_starved()
    {
        var policy = new ThingPolicy { OnRetry = static (_, _) => TimeSpan.FromMilliseconds(10) };
        policy.OnOpen = _ =>
        {
            policy.OnOpen = null;
            throw new IOException("full");
        };
        using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { MaximumSize = 1 });
        using var starved = new StarvedPool();
        var renter = PoolTest.OnThread(() => pool.Rent(TimeSpan.FromMinutes(5)));
        Assert.That(renter.Wait(TimeSpan.FromMinutes(1)), Is.True, "it goes on");
        Assert.That((policy.OpenErrors.Count, renter.Result.IsValid), Is.EqualTo((1, true)));
    }

    private static IEnumerable<Task> Callers(int count, Func<int, Task> caller) => Enumerable.Range(1, count).Select(caller);

    private void Cycle(ResourcePool<Thing> pool, int rounds, Random random)
    {
        for (var i = 0; i < rounds; i++)
        {
            var rental = pool.Rent();
            Use(rental.Resource);
            Give(pool, rental, random);
        }
    }

    private Task Blocking(ResourcePool<Thing> pool, int seed, Action<ResourcePool<Thing>, Rental<Thing>, Random> give, int rounds = Rounds) => PoolTest.OnThread(() =>
    {
        var random = new Random(seed);
        for (var i = 0; i < rounds; i++)
        {
            try
            {
                var rental = pool.Rent();
                Use(rental.Resource);
                give(pool, rental, random);
            }
            catch (IOException)
            {
                // Opening failed.
            }
        }
        return true;
    });

    private Task Async(ResourcePool<Thing> pool, int seed, Action<ResourcePool<Thing>, Rental<Thing>, Random> give, bool cancels = false, int rounds = Rounds) => Task.Run(async () =>
    {
        var random = new Random(-seed);
        for (var i = 0; i < rounds; i++)
        {
            using var cancel = new CancellationTokenSource();
            try
            {
                var rent = pool.RentAsync(cancels ? cancel.Token : default).AsTask();
                if (cancels && random.Next(3) == 0)
                    await cancel.CancelAsync();
                var rental = await rent;
                Use(rental.Resource);
                await Task.Yield();
                give(pool, rental, random);
            }
            catch (Exception error) when (error is IOException or OperationCanceledException)
            {
                // Opening failed, or it was cancelled.
            }
        }
    });

    private void Use(Thing thing)
    {
        Assert.That(_held.TryAdd(thing, 0), Is.True, "nobody else has it");
        Assert.That(thing.IsClosed, Is.False);
    }

    private void Give(ResourcePool<Thing> pool, Rental<Thing> rental, Random random)
    {
        _held.TryRemove(rental.Resource, out _);
        pool.Return(rental);
    }

    private void GiveOrBreak(ResourcePool<Thing> pool, Rental<Thing> rental, Random random)
    {
        rental.Resource.WantsAttention = random.Next(2) == 0;
        _held.TryRemove(rental.Resource, out _);
        if (random.Next(10) == 0)
            pool.Discard(rental);
        else
            pool.Return(rental);
    }

    private static bool Disturb(ResourcePool<Thing> pool)
    {
        var random = new Random(0);
        for (var i = 0; i < 300; i++)
        {
            if (random.Next(2) == 0)
                pool.Clear();
            else
                pool.Resize(random.Next(2), random.Next(1, 6));
            Thread.Yield();
        }
        pool.Resize(0, 4);
        return true;
    }
}
