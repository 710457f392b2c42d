namespace Loxo.Pooling.Tests;

/// <summary>A pool of things on a clock that the test moves, used in one form or the other.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public abstract class PoolTest(WaitMode mode)
{
    private readonly List<ResourcePool<Thing>> _pools = [];

    internal WaitMode Mode { get; } = mode;

    internal ThingPolicy Policy { get; } = new();

    internal ManualTime Time { get; } = new();

    [TearDown]
    public void DisposePools() => _pools.ForEach(pool => pool.Dispose());

    /// <summary>A pool on the test's clock, without jitter.</summary>
    internal ResourcePool<Thing> Pool(int maximum = 3, Func<ResourcePoolOptions, ResourcePoolOptions>? with = null)
    {
        var options = new ResourcePoolOptions { Name = "things", MaximumSize = maximum, Time = Time, LifetimeJitter = 0 };
        var pool = new ResourcePool<Thing>(Policy, with?.Invoke(options) ?? options);
        _pools.Add(pool);
        return pool;
    }

    /// <summary>Begins a rent; a blocking one on a thread of its own.</summary>
    internal Task<Rental<Thing>> Rent(ResourcePool<Thing> pool, TimeSpan? timeout = null, CancellationToken token = default) => Mode == WaitMode.Async
        ? timeout is { } limit ? pool.RentAsync(limit, token).AsTask() : pool.RentAsync(token).AsTask()
        : OnThread(() => timeout is { } time ? pool.Rent(time) : pool.Rent());

    internal async Task<Rental<Thing>[]> RentMany(ResourcePool<Thing> pool, int count)
    {
        var rentals = new Rental<Thing>[count];
        for (var i = 0; i < count; i++)
            rentals[i] = await Rent(pool);
        return rentals;
    }

    internal Task Return(ResourcePool<Thing> pool, Rental<Thing> rental) => Run(() => pool.Return(rental), () => pool.ReturnAsync(rental));

    internal Task Discard(ResourcePool<Thing> pool, Rental<Thing> rental) => Run(() => pool.Discard(rental), () => pool.DiscardAsync(rental));

    internal Task Clear(ResourcePool<Thing> pool) => Run(pool.Clear, pool.ClearAsync);

    internal Task Dispose(ResourcePool<Thing> pool) => Run(pool.Dispose, pool.DisposeAsync);

    /// <summary>Runs one form or the other.</summary>
    internal Task Run(Action blocking, Func<ValueTask> async)
    {
        if (Mode == WaitMode.Async)
            return async().AsTask();
        try
        {
            return Refusing(() =>
            {
                blocking();
                return Task.CompletedTask;
            });
        }
        catch (Exception error)
        {
            return Task.FromException(error);
        }
    }

    /// <summary>Begins rents one after the other, each when the one before stands in the line.</summary>
    internal async Task<List<Task<Rental<Thing>>>> Wait(ResourcePool<Thing> pool, int count, TimeSpan? timeout = null)
    {
        var before = pool.GetStatistics().Waiting;
        var waiting = new List<Task<Rental<Thing>>>();
        for (var i = 1; i <= count; i++)
        {
            waiting.Add(Rent(pool, timeout));
            await Until(() => pool.GetStatistics().Waiting == before + i);
        }
        return waiting;
    }

    internal static Task<TResult> OnThread<TResult>(Func<TResult> work)
    {
        var done = new TaskCompletionSource<TResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                done.SetResult(Refusing(work));
            }
            catch (Exception error)
            {
                done.SetException(error);
            }
        }) { IsBackground = true }.Start();
        return done.Task;
    }

    // Asynchrony hidden in a blocking call would show: it would resume on this context.
    private static TResult Refusing<TResult>(Func<TResult> work)
    {
        var former = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(new RefusingContext());
        try
        {
            return work();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(former);
        }
    }

    private sealed class RefusingContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) =>
            throw new InvalidOperationException("A blocking call posted to the caller's SynchronizationContext: it is asynchronous inside.");
    }
}
