namespace Loxo.Pooling.Tests;

public sealed class EndTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task After_a_clear_nothing_older_is_rented()
    {
        var pool = Pool();
        var rentals = await RentMany(pool, 2);
        await Return(pool, rentals[0]);
        await Clear(pool);
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[0].Resource, CloseReason.Cleared) }));
        Assert.That(rentals[1].Resource.IsClosed, Is.False);
        await Return(pool, rentals[1]);

        Assert.That(rentals[1].Resource.IsClosed, Is.True);
        var fresh = await Rent(pool);
        await Return(pool, fresh);
        Assert.That((await Rent(pool)).Resource, Is.SameAs(fresh.Resource));
    }

    [Test]
    public async Task What_was_being_opened_during_a_clear_is_closed_on_return()
    {
        var pool = Pool();
        var opening = new TaskCompletionSource<Thing>();
        Policy.OnOpen = _ => opening.Task;
        var rent = Rent(pool);
        await Until(() => pool.GetStatistics().Opening == 1);
        await Clear(pool);
        opening.SetResult(Policy.New());
        var rental = await Soon(rent);
        await Return(pool, rental);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Cleared) }));
    }

    [Test]
    public async Task Dispose_closes_what_is_idle_and_refuses_rents()
    {
        var pool = Pool();
        var rentals = await RentMany(pool, 2);
        await Return(pool, rentals[0]);
        await Dispose(pool);
        await Dispose(pool);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[0].Resource, CloseReason.Disposed) }));
        await Failure<ObjectDisposedException>(Rent(pool));
        Assert.That(() => pool.TryRentIdle(out _), Throws.InstanceOf<ObjectDisposedException>());
        await Return(pool, rentals[1]);
        Assert.That(rentals[1].Resource.IsClosed, Is.True);
    }

    [Test]
    public async Task Dispose_ends_the_waiting_of_all()
    {
        var pool = Pool(maximum: 1);
        var rental = await Rent(pool);
        var waiting = await Wait(pool, 3);
        await Dispose(pool);

        foreach (var waiter in waiting)
            await Failure<ObjectDisposedException>(waiter);
        await Discard(pool, rental);
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.Broken) }));
    }

    [Test]
    public async Task What_was_being_opened_during_dispose_is_closed()
    {
        var pool = Pool();
        var opening = new TaskCompletionSource<Thing>();
        Policy.OnOpen = _ => opening.Task;
        var rent = Rent(pool);
        await Until(() => pool.GetStatistics().Opening == 1);
        await Dispose(pool);
        opening.SetResult(Policy.New());

        await Failure<ObjectDisposedException>(rent);
        Assert.That(Policy.ClosedThings.Select(closed => closed.Reason), Is.EqualTo(new[] { CloseReason.Disposed }));
    }

    [Test]
    public async Task A_smaller_pool_closes_what_is_idle_first_and_the_rest_on_return()
    {
        var pool = Pool(maximum: 4);
        var rentals = await RentMany(pool, 4);
        await Return(pool, rentals[0]);
        pool.Resize(0, 2);

        Assert.That(rentals.Select(rental => rental.Resource.IsClosed), Is.EqualTo(new[] { true, false, false, false }));
        await Return(pool, rentals[1]);
        await Return(pool, rentals[2]);
        await Return(pool, rentals[3]);
        Assert.That(rentals.Select(rental => rental.Resource.IsClosed), Is.EqualTo(new[] { true, true, false, false }));
        Assert.That(Policy.ClosedThings.Select(closed => closed.Reason), Is.All.EqualTo(CloseReason.Surplus));
        Assert.That((pool.GetStatistics().Total, pool.GetStatistics().MaximumSize), Is.EqualTo((2, 2)));
    }

    [Test]
    public async Task A_larger_pool_lets_those_who_wait_open()
    {
        var pool = Pool(maximum: 1);
        await Rent(pool);
        var waiting = await Wait(pool, 3);
        pool.Resize(0, 20);

        await Soon(Task.WhenAll(waiting));
        await RentMany(pool, 16);
        Assert.That((Policy.OpenedCount, pool.GetStatistics().Busy), Is.EqualTo((20, 20)));
    }
}
