using System.Runtime.CompilerServices;

namespace Loxo.Pooling.Tests;

/// <summary>What keeps what alive.</summary>
public sealed class LifetimeTests
{
    [Test]
    public void A_forgotten_pool_is_collected_though_its_timer_is_set([Values] bool systemTime)
    {
        TimeProvider time = systemTime ? TimeProvider.System : new ManualTime();
        var (pool, thing) = Forget(time);
        for (var i = 0; i < 20 && (pool.IsAlive || thing.IsAlive); i++)
            Collect();

        Assert.That((pool.IsAlive, thing.IsAlive), Is.EqualTo((false, false)));
        (time as ManualTime)?.Advance(TimeSpan.FromDays(1));
        GC.KeepAlive(time);
    }

    [Test]
    public void Timers_keep_no_AsyncLocal_alive()
    {
        var time = new ManualTime();
        var policy = new ThingPolicy();
        using var pool = new ResourcePool<Thing>(policy, new ResourcePoolOptions { Time = time, MaximumSize = 1 });
        var value = RentWithLocal(pool);
        for (var i = 0; i < 20 && value.IsAlive; i++)
            Collect();

        Assert.That(value.IsAlive, Is.False);
        Assert.That(time.NextDue, Is.Not.Null, "timers are set");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, WeakReference Thing) Forget(TimeProvider time)
    {
        var pool = new ResourcePool<Thing>(new ThingPolicy(), new ResourcePoolOptions { Time = time, MinimumSize = 1 });
        var rental = pool.Rent();
        pool.Return(rental);
        return (new WeakReference(pool), new WeakReference(rental.Resource));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RentWithLocal(ResourcePool<Thing> pool)
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var weak = new WeakReference(local.Value);
        var rental = pool.RentAsync().AsTask().Result;
        // One that waits sets the other timer.
        using var cancel = new CancellationTokenSource();
        var waiter = pool.RentAsync(cancel.Token).AsTask();
        cancel.Cancel();
        Assert.That(async () => await waiter, Throws.InstanceOf<OperationCanceledException>());
        pool.Return(rental);
        local.Value = null;
        return weak;
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
