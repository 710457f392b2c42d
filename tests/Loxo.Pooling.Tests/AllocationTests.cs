using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests;

public sealed class AllocationTests
{
    [Test]
    public void Renting_what_is_idle_allocates_nothing([Values] WaitMode mode, [Values] ReuseOrder order)
    {
        using var pool = new ResourcePool<object>(new ObjectPolicy(), new ResourcePoolOptions { MaximumSize = 2, Order = order });
        pool.WarmUp(2);
        Cycle(pool, mode);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
            Cycle(pool, mode);

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }

    // Bytes would not tell: the runtime keeps the state of asynchronous methods by thread and core, and a renter that is resumed on another
    // core finds none. What is the pool's own is the waiter.
    [Test]
    public void All_who_wait_one_after_the_other_share_one_waiter()
    {
        var core = new PoolCore<object, NoSteps>(new ObjectPolicy(), new ResourcePoolOptions { MaximumSize = 1 });
        var waiters = new HashSet<object>(ReferenceEqualityComparer.Instance);
        for (var i = 0; i < 1000; i++)
            waiters.Add(Wait(core));

        Assert.That(waiters, Has.Count.EqualTo(1));
    }

    private static void Cycle(ResourcePool<object> pool, WaitMode mode)
    {
        if (mode == WaitMode.Blocking)
        {
            pool.Return(pool.Rent());
            return;
        }
        var rent = pool.RentAsync();
        if (!rent.IsCompletedSuccessfully)
            throw new InvalidOperationException("It should have completed at once.");
        var back = pool.ReturnAsync(rent.Result);
        if (!back.IsCompletedSuccessfully)
            throw new InvalidOperationException("It should have completed at once.");
    }

    private static Waiter<object> Wait(PoolCore<object, NoSteps> core)
    {
        var rental = core.Rent(Timeout.InfiniteTimeSpan);
        var waiting = core.RentAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
        var waiter = core.Dispatcher.Line.First!;
        core.Return(rental);
        while (!waiting.IsCompleted)
            Thread.Yield();
        core.Return(waiting.Result);
        return waiter;
    }

    private sealed class ObjectPolicy : ResourcePolicy<object>
    {
        public override object Open(TimeSpan timeLeft) => new();

        public override ValueTask<object> OpenAsync(TimeSpan timeLeft, CancellationToken token) => new(new object());
    }
}
