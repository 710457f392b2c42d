using System.Collections.Concurrent;

namespace Loxo.Pooling.Tests;

public sealed class AheadTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task The_minimum_is_opened_without_being_asked_for()
    {
        var pool = Pool(5, options => options with { MinimumSize = 3 });
        Time.Advance(TimeSpan.Zero);
        Assert.That(pool.GetStatistics().Idle, Is.EqualTo(3));
        await RentMany(pool, 3);

        Assert.That(Policy.OpenedCount, Is.EqualTo(3));
    }

    [Test]
    public async Task What_breaks_is_replaced_up_to_the_minimum()
    {
        var pool = Pool(5, options => options with { MinimumSize = 3 });
        Time.Advance(TimeSpan.Zero);
        foreach (var rental in await RentMany(pool, 2))
            await Discard(pool, rental);
        Time.Advance(TimeSpan.Zero);

        Assert.That((pool.GetStatistics().Idle, Policy.OpenedCount), Is.EqualTo((3, 5)));
        await Clear(pool);
        Time.Advance(TimeSpan.Zero);
        Assert.That((pool.GetStatistics().Idle, Policy.OpenedCount), Is.EqualTo((3, 8)));
    }

    [Test]
    public void The_background_tries_again_with_longer_and_longer_pauses()
    {
        var attempts = new List<double>();
        Policy.OnOpen = _ =>
        {
            attempts.Add((Time.Now - TimeSpan.FromHours(1)).TotalSeconds);
            throw new IOException("no");
        };
        var pool = Pool(5, options => options with { MinimumSize = 1, MaintenanceInterval = TimeSpan.FromSeconds(10) });
        Time.Advance(TimeSpan.FromSeconds(300));

        Assert.That(attempts, Is.EqualTo(new[] { 0.0, 10, 30, 70, 150, 270 }).Within(0.1));
        Assert.That(pool.GetStatistics().OpenFailed, Is.EqualTo(6));
        Policy.OnOpen = null;
        Time.Advance(TimeSpan.FromSeconds(120));
        Assert.That(pool.GetStatistics().Idle, Is.EqualTo(1));
    }

    [Test]
    public async Task The_background_opens_no_more_at_once_than_said()
    {
        var opens = new ConcurrentQueue<TaskCompletionSource<Thing>>();
        Policy.OnOpen = _ => NewOpening(opens);
        var pool = Pool(10, options => options with { MinimumSize = 5, MaximumConcurrentOpens = 2 });
        Time.Advance(TimeSpan.Zero);
        for (var i = 1; i <= 5; i++)
        {
            Assert.That(pool.GetStatistics().Opening, Is.EqualTo(Math.Min(2, 6 - i)));
            Assert.That(opens.TryDequeue(out var opening), Is.True);
            opening!.SetResult(Policy.New());
            await Until(() => pool.GetStatistics().Idle == i);
            Time.Advance(TimeSpan.Zero);
        }

        Assert.That((Policy.MostOpening, Policy.OpenedCount, opens.Count), Is.EqualTo((2, 5, 0)));
    }

    [Test]
    public async Task What_the_background_opens_goes_to_one_who_waits()
    {
        var opens = new ConcurrentQueue<TaskCompletionSource<Thing>>();
        Policy.OnOpen = _ => NewOpening(opens);
        var pool = Pool(1, options => options with { MinimumSize = 1 });
        Time.Advance(TimeSpan.Zero);
        var waiter = (await Wait(pool, 1))[0];
        Assert.That(opens.TryDequeue(out var opening), Is.True);
        opening!.SetResult(Policy.New());

        Assert.That((await Soon(waiter)).Resource.Number, Is.EqualTo(1));
    }

    [Test]
    public async Task Warming_up_opens_until_so_many_exist()
    {
        var pool = Pool(maximum: 6);
        var rental = await Rent(pool);
        await WarmUp(pool, 4);
        Assert.That(pool.GetStatistics(), Has.Property("Total").EqualTo(4).And.Property("Idle").EqualTo(3));
        await WarmUp(pool, 2);
        await WarmUp(pool, 100);
        Assert.That((Policy.OpenedCount, rental.IsValid), Is.EqualTo((6, true)));
    }

    [Test]
    public async Task Warming_up_fails_if_nothing_can_be_opened()
    {
        var pool = Pool(maximum: 6);
        Policy.OnOpen = _ => Policy.OpenedCount < 2 ? Task.FromResult(Policy.New()) : throw new IOException("no");

        await Failure<IOException>(WarmUp(pool, 5));
        Assert.That(pool.GetStatistics(), Has.Property("Total").EqualTo(2).And.Property("Idle").EqualTo(2));
    }

    [Test]
    public async Task Warming_up_waits_for_what_others_are_opening()
    {
        var pool = Pool(maximum: 2);
        var opening = new TaskCompletionSource<Thing>();
        Policy.OnOpen = _ => opening.Task;
        var rents = new[] { Rent(pool), Rent(pool) };
        await Until(() => pool.GetStatistics().Opening == 2);
        var warm = OnThread(() => WarmUp(pool, 2).Wait(TimeSpan.FromSeconds(30)));
        opening.SetResult(Policy.New());

        Assert.That(await Soon(warm), Is.True);
        await Soon(Task.WhenAll(rents));
        Assert.That(Policy.MostOpening, Is.EqualTo(2));
    }

    [Test]
    public void A_larger_minimum_is_opened_at_once()
    {
        var pool = Pool(maximum: 6);
        pool.Resize(4, 6);
        Time.Advance(TimeSpan.Zero);

        Assert.That(pool.GetStatistics(), Has.Property("Idle").EqualTo(4).And.Property("MinimumSize").EqualTo(4));
    }

    [Test]
    public async Task Drained_means_that_everything_has_come_back_and_is_closed()
    {
        var pool = Pool();
        var rentals = await RentMany(pool, 3);
        await Return(pool, rentals[0]);
        var drain = pool.DrainAsync(TimeSpan.FromMinutes(1)).AsTask();
        await Failure<ObjectDisposedException>(Rent(pool));
        await Return(pool, rentals[1]);
        Assert.That(drain.IsCompleted, Is.False);
        await Discard(pool, rentals[2]);

        Assert.That(await Soon(drain), Is.True);
        Assert.That(Policy.ClosedThings, Has.Count.EqualTo(3));
        Assert.That(await pool.DrainAsync(TimeSpan.Zero), Is.True);
    }

    [Test]
    public async Task Draining_gives_up_when_its_time_is_over()
    {
        var pool = Pool();
        var rental = await Rent(pool);
        Assert.That(await pool.DrainAsync(TimeSpan.Zero), Is.False);
        var drain = pool.DrainAsync(TimeSpan.FromSeconds(5)).AsTask();
        Time.Advance(TimeSpan.FromSeconds(6));

        Assert.That(await Soon(drain), Is.False);
        await Return(pool, rental);
        Assert.That(rental.Resource.IsClosed, Is.True);
    }

    private static Task<Thing> NewOpening(ConcurrentQueue<TaskCompletionSource<Thing>> opens)
    {
        var opening = new TaskCompletionSource<Thing>(TaskCreationOptions.RunContinuationsAsynchronously);
        opens.Enqueue(opening);
        return opening.Task;
    }

    private Task WarmUp(ResourcePool<Thing> pool, int count) => Run(() => pool.WarmUp(count), () => pool.WarmUpAsync(count));
}
