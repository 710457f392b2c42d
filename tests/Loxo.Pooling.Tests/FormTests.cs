namespace Loxo.Pooling.Tests;

/// <summary>Policies that have only one form of something.</summary>
public sealed class FormTests
{
    private static readonly ResourcePoolOptions _options = new();

    [Test]
    public async Task A_policy_that_only_blocks_is_rented_from_by_blocking()
    {
        using var pool = new ResourcePool<Thing>(new OnlyBlocking(), _options);
        pool.Return(pool.Rent());
        pool.WarmUp(2);

        var error = await Assert.ThrowsAsync<NotSupportedException>(async () => await pool.RentAsync());
        Assert.That(error!.Message, Does.Contain("OnlyBlocking does not override OpenAsync"));
        await Assert.ThrowsAsync<NotSupportedException>(async () => await pool.WarmUpAsync(3));
        var rental = pool.Rent();
        await pool.DiscardAsync(rental);
        Assert.That(rental.Resource.IsClosed, Is.True, "Close is called for CloseAsync");
    }

    [Test]
    public async Task A_policy_that_only_awaits_is_rented_from_by_awaiting()
    {
        var policy = new OnlyAsync();
        await using var pool = new ResourcePool<Thing>(policy, _options);
        await pool.ReturnAsync(await pool.RentAsync());
        await pool.WarmUpAsync(2);

        Assert.That(Assert.Throws<NotSupportedException>(() => pool.Rent())!.Message, Does.Contain("OnlyAsync does not override Open"));
        Assert.Throws<NotSupportedException>(() => pool.WarmUp(3));
        var rental = await pool.RentAsync();
        pool.Discard(rental);
        Assert.That(pool.GetStatistics().Total, Is.EqualTo(2), "closing has begun, and holds the place until it is over");
        policy.Closing.SetResult();
        await Until(() => pool.GetStatistics().Total == 1);
        Assert.That(rental.Resource.IsClosed, Is.True);
    }

    [Test]
    public async Task A_check_that_can_only_block_keeps_asynchronous_renters_out()
    {
        await using var pool = new ResourcePool<Thing>(new BlockingCheck(), _options);
        var rental = pool.Rent();

        Assert.That((await Assert.ThrowsAsync<NotSupportedException>(async () => await pool.RentAsync()))!.Message, Does.Contain("CheckAsync"));
        pool.Return(rental);
        Assert.That(pool.Rent().Resource.Checks, Is.EqualTo(1));
    }

    [Test]
    public async Task A_reset_that_can_only_await_leaves_the_rental_as_it_is_when_returned_by_blocking()
    {
        await using var pool = new ResourcePool<Thing>(new AsyncReset(), _options);
        Assert.Throws<NotSupportedException>(() => pool.Rent());
        var rental = await pool.RentAsync();

        Assert.Throws<NotSupportedException>(() => pool.Return(rental));
        Assert.That(rental.IsValid, Is.True);
        await pool.ReturnAsync(rental);
        Assert.That((rental.IsValid, rental.Resource.Resets), Is.EqualTo((false, 1)));
    }

    [Test]
    public async Task A_policy_that_opens_in_no_form_is_told_so()
    {
        await using var pool = new ResourcePool<Thing>(new Nothing(), _options);

        Assert.Throws<NotSupportedException>(() => pool.Rent());
        await Assert.ThrowsAsync<NotSupportedException>(async () => await pool.RentAsync());
    }

    [Test]
    public async Task The_background_blocks_on_a_thread_of_the_pool_if_it_must()
    {
        var time = new ManualTime();
        using var pool = new ResourcePool<Thing>(new OnlyBlocking(), _options with { MinimumSize = 2, Time = time, Lifetime = TimeSpan.FromSeconds(50) });
        time.Advance(TimeSpan.Zero);
        await Until(() => pool.GetStatistics().Idle == 2);
        time.Advance(TimeSpan.FromSeconds(60));
        await Until(() => pool.GetStatistics().Closed[CloseReason.Lifetime] == 2);
        time.Advance(TimeSpan.Zero);
        await Until(() => pool.GetStatistics().Idle == 2);
    }

    [Test]
    public async Task A_check_in_the_background_that_must_block_does()
    {
        var time = new ManualTime();
        using var pool = new ResourcePool<Thing>(new BlockingCheck(), _options with { Time = time });
        var rental = pool.Rent();
        rental.Resource.WantsAttention = true;
        pool.Return(rental);
        time.Advance(TimeSpan.FromSeconds(1));

        await Until(() => rental.Resource.Checks == 1 && pool.GetStatistics().Idle == 1);
    }

    [Test]
    public void Options_that_cannot_be_are_refused()
    {
        ResourcePoolOptions[] wrong =
        [
            _options with { MaximumSize = 0 }, _options with { MinimumSize = -1 }, _options with { MinimumSize = 101 },
            _options with { MaximumConcurrentOpens = -1 }, _options with { RentTimeout = TimeSpan.Zero },
            _options with { RentTimeout = TimeSpan.FromDays(30) }, _options with { IdleLifetime = TimeSpan.FromSeconds(-1) },
            _options with { Lifetime = TimeSpan.FromSeconds(-1) }, _options with { LifetimeJitter = 1.1 }, _options with { LifetimeJitter = double.NaN },
            _options with { StackSampling = -0.1 }, _options with { MaintenanceInterval = TimeSpan.Zero }, _options with { AttentionInterval = TimeSpan.Zero },
            _options with { Order = (ReuseOrder)2 },
        ];
        foreach (var options in wrong)
            Assert.That(() => new ResourcePool<Thing>(new OnlyBlocking(), options), Throws.InstanceOf<ArgumentOutOfRangeException>(), options.ToString());
        Assert.That(() => new ResourcePool<Thing>(null!, _options), Throws.ArgumentNullException);
        Assert.That(() => new ResourcePool<Thing>(new OnlyBlocking(), null!), Throws.ArgumentNullException);
    }

    [Test]
    public void Sizes_that_cannot_be_are_refused()
    {
        using var pool = new ResourcePool<Thing>(new OnlyBlocking(), _options);
        Assert.That(() => pool.Resize(-1, 1), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => pool.Resize(0, 0), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => pool.Resize(3, 2), Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    private sealed class Nothing : ResourcePolicy<Thing>;

    private class OnlyBlocking : ResourcePolicy<Thing>
    {
        private int _number;

        public override Thing Open(TimeSpan timeLeft) => new(Interlocked.Increment(ref _number));

        public override void Close(Thing resource) => resource.IsClosed = true;
    }

    private sealed class OnlyAsync : ResourcePolicy<Thing>
    {
        public TaskCompletionSource Closing { get; } = new();

        public override async ValueTask<Thing> OpenAsync(TimeSpan timeLeft, CancellationToken token)
        {
            await Task.Yield();
            return new Thing(1);
        }

        public override async ValueTask CloseAsync(Thing resource)
        {
            await Closing.Task;
            resource.IsClosed = true;
        }
    }

    private sealed class BlockingCheck : OnlyBlocking
    {
        public override ValueTask<Thing> OpenAsync(TimeSpan timeLeft, CancellationToken token) => new(new Thing(0));

        public override bool Check(Thing resource, TimeSpan timeLeft) => ++resource.Checks > 0;

        public override bool NeedsAttention(Thing resource) => resource.WantsAttention;
    }

    private sealed class AsyncReset : ResourcePolicy<Thing>
    {
        public override Thing Open(TimeSpan timeLeft) => new(0);

        public override ValueTask<Thing> OpenAsync(TimeSpan timeLeft, CancellationToken token) => new(new Thing(0));

        public override async ValueTask<bool> ResetAsync(Thing resource)
        {
            await Task.Yield();
            return ++resource.Resets > 0;
        }
    }
}
