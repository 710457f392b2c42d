namespace Loxo.Pooling.Tests;

[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class CancelTests
{
    private readonly ThingPolicy _policy = new();

    [Test]
    public async Task A_cancelled_waiter_leaves_the_line()
    {
        await using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions { MaximumSize = 1 });
        var rental = await pool.RentAsync();
        using var cancel = new CancellationTokenSource();
        var cancelled = pool.RentAsync(cancel.Token).AsTask();
        var patient = pool.RentAsync().AsTask();
        await cancel.CancelAsync();

        Assert.That((await Failure<OperationCanceledException>(cancelled)).CancellationToken, Is.EqualTo(cancel.Token));
        Assert.That(pool.GetStatistics().Waiting, Is.EqualTo(1));
        await pool.ReturnAsync(rental);
        Assert.That((await Soon(patient)).Resource, Is.SameAs(rental.Resource));
    }

    [Test]
    public async Task A_cancelled_token_rents_nothing()
    {
        await using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions());
        await pool.WarmUpAsync(1);
        var rent = pool.RentAsync(new CancellationToken(true)).AsTask();

        Assert.That(rent.IsCanceled, Is.True);
        Assert.That(pool.GetStatistics().Idle, Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancelled_open_gives_its_permit_back_and_is_no_failure()
    {
        await using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions { MaximumSize = 1 });
        _policy.OnOpen = _ => new TaskCompletionSource<Thing>().Task;
        using var cancel = new CancellationTokenSource();
        var cancelled = pool.RentAsync(cancel.Token).AsTask();
        var next = pool.RentAsync().AsTask();
        Assert.That(pool.GetStatistics(), Has.Property("Opening").EqualTo(1).And.Property("Waiting").EqualTo(1));
        _policy.OnOpen = null;
        await cancel.CancelAsync();

        await Failure<OperationCanceledException>(cancelled);
        Assert.That((await Soon(next)).IsValid, Is.True);
        Assert.That((_policy.OpenErrors.Count, pool.GetStatistics().OpenFailed), Is.EqualTo((0, 0)));
    }

    [Test]
    public async Task A_check_that_is_cancelled_costs_the_resource_but_nothing_else()
    {
        await using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions { MaximumSize = 1 });
        await pool.ReturnAsync(await pool.RentAsync());
        _policy.OnCheck = _ => new TaskCompletionSource<bool>().Task;
        using var cancel = new CancellationTokenSource();
        var rent = pool.RentAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();

        await Failure<OperationCanceledException>(rent);
        Assert.That((_policy.FailedChecks.Count, pool.GetStatistics().Total), Is.EqualTo((0, 0)));
    }

    [Test]
    public async Task An_interrupted_waiter_leaves_the_line()
    {
        using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions { MaximumSize = 1 });
        var rental = pool.Rent();
        var interrupted = new TaskCompletionSource();
        var waiter = new Thread(() =>
        {
            try
            {
                pool.Rent();
            }
            catch (ThreadInterruptedException)
            {
                interrupted.SetResult();
            }
        });
        waiter.Start();
        await Until(() => pool.GetStatistics().Waiting == 1);
        waiter.Interrupt();
        await Soon(interrupted.Task);

        Assert.That(pool.GetStatistics().Waiting, Is.Zero);
        pool.Return(rental);
        Assert.That(pool.Rent().Resource, Is.SameAs(rental.Resource));
    }

    [Test]
    public async Task Continuations_do_not_run_on_the_returner()
    {
        await using var pool = new ResourcePool<Thing>(_policy, new ResourcePoolOptions { MaximumSize = 1 });
        var rental = await pool.RentAsync();
        var resumedOn = ResumeThread(pool);
        var returner = new Thread(() => pool.Return(rental));
        returner.Start();
        returner.Join();

        Assert.That(await Soon(resumedOn), Is.Not.EqualTo(returner.ManagedThreadId));
    }

    private static async Task<int> ResumeThread(ResourcePool<Thing> pool)
    {
        var rental = await pool.RentAsync().ConfigureAwait(false);
        pool.Return(rental);
        return Environment.CurrentManagedThreadId;
    }
}
