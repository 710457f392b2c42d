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

    [Test]
    public void A_renter_that_must_wait_allocates_nothing_either()
    {
        using var pool = new ResourcePool<object>(new ObjectPolicy(), new ResourcePoolOptions { MaximumSize = 1 });
        Wait(pool);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
            Wait(pool);

        // The runtime's own caches may miss now and then; a waiter that is not used again would be 100 bytes each time.
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(20_000));
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

    private static void Wait(ResourcePool<object> pool)
    {
        var rental = pool.Rent();
        var waiting = pool.RentAsync();
        pool.Return(rental);
        while (!waiting.IsCompleted)
            Thread.Yield();
        pool.Return(waiting.Result);
    }

    private sealed class ObjectPolicy : ResourcePolicy<object>
    {
        public override object Open(TimeSpan timeLeft) => new();

        public override ValueTask<object> OpenAsync(TimeSpan timeLeft, CancellationToken token) => new(new object());
    }
}
