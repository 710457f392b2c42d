namespace Loxo.Pooling.Tests;

/// <summary>Rents that last too long, and what is told of rents.</summary>
public sealed class LeakTests(WaitMode mode) : PoolTest(mode)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Test]
    public async Task A_rent_that_lasts_too_long_is_reported_once_with_its_stack()
    {
        Policy.OnDescribe = static thing => "reads";
        var pool = Pool(with: Watched);
        var overdue = await Rent(pool);
        Time.Advance(25 * _second);
        var other = await Rent(pool);
        Assert.That(Policy.OverdueThings, Is.Empty, "not before its time");
        Time.Advance(10 * _second);
        var (thing, info) = Policy.OverdueThings.Single();
        Assert.That(thing, Is.SameAs(overdue.Resource));
        Assert.That(info.Age, Is.GreaterThanOrEqualTo(30 * _second));
        Assert.That(info.Stack, Does.Contain("Loxo.Pooling.Tests."));
        Assert.That(info.Use, Is.EqualTo("reads"));
        await Return(pool, other);
        Time.Advance(300 * _second);
        Assert.That(Policy.OverdueThings, Has.Count.EqualTo(1), "once, and not the one that came back");
        Assert.That(overdue.IsValid, Is.True, "it is not taken away");
        await Return(pool, overdue);
        var again = await Rent(pool);
        Time.Advance(60 * _second);
        Assert.That(Policy.OverdueThings, Has.Count.EqualTo(2), "each rent is judged by itself");
        await Return(pool, again);
    }

    [Test]
    public async Task Without_a_threshold_nothing_is_reported()
    {
        var pool = Pool();
        await Rent(pool);
        Time.Advance(TimeSpan.FromDays(2));
        Assert.That(Policy.OverdueThings, Is.Empty);
    }

    [Test]
    public async Task A_clock_that_goes_back_makes_no_age_negative_and_reports_nothing()
    {
        var pool = Pool(with: Watched);
        var rental = await Rent(pool);
        Time.Jump(-1800 * _second);
        Time.Advance(20 * _second);
        var one = pool.GetResources().Single();
        Assert.That((one.Age, one.Rental!.Age), Is.EqualTo((TimeSpan.Zero, TimeSpan.Zero)));
        Assert.That(pool.GetStatistics().OldestRents.Single().Age, Is.EqualTo(TimeSpan.Zero));
        Assert.That(Policy.OverdueThings, Is.Empty);
        await Return(pool, rental);
        Assert.That((await Rent(pool)).Resource, Is.SameAs(rental.Resource), "it is used on");
    }

    [Test]
    public async Task The_limit_of_a_rent_holds_however_the_clock_goes_back()
    {
        var pool = Pool(1);
        await Rent(pool);
        Time.Jump(-1800 * _second);
        var waiting = (await Wait(pool, 1, _second)).Single();
        Time.Advance(2 * _second);
        await Assert.ThrowsAsync<PoolExhaustedException>(() => waiting);
    }

    [Test]
    public async Task Resources_are_listed_with_what_is_done_with_them()
    {
        var pool = Pool();
        var rentals = await RentMany(pool, 2);
        Time.Advance(5 * _second);
        await Return(pool, rentals[0]);
        Time.Advance(3 * _second);
        var all = pool.GetResources();
        Assert.That(all.Select(static one => one.Resource), Is.EquivalentTo(rentals.Select(static rental => rental.Resource)));
        var idle = all.Single(one => one.State == PooledResourceState.Idle);
        Assert.That((idle.Age, idle.IdleFor, idle.Rental), Is.EqualTo((8 * _second, 3 * _second, (RentalInfo?)null)));
        var rented = all.Single(one => one.State == PooledResourceState.Rented);
        Assert.That((rented.Age, rented.IdleFor, rented.Rental?.Age), Is.EqualTo((8 * _second, TimeSpan.Zero, (TimeSpan?)(8 * _second))));
    }

    [Test]
    public async Task No_rent_is_older_than_its_resource_however_long_it_takes_to_describe_it()
    {
        var pool = Pool();
        await Rent(pool);
        Time.Advance(5 * _second);
        Policy.OnDescribe = thing =>
        {
            Time.Jump(_second);
            return "reads orders";
        };
        var one = pool.GetResources().Single();
        Assert.That((one.Age, one.Rental!.Age), Is.EqualTo((5 * _second, 5 * _second)));
    }

    [Test]
    public async Task The_error_of_an_exhausted_pool_says_what_its_resources_are_used_for()
    {
        Policy.OnDescribe = static thing => "reads orders";
        var pool = Pool(1, Watched);
        await Rent(pool);
        var waiting = (await Wait(pool, 1, _second)).Single();
        Time.Advance(2 * _second);
        var error = (await Assert.ThrowsAsync<PoolExhaustedException>(() => waiting))!;
        Assert.That(error.Message, Does.Match(@"In use for \S+ s: reads orders\.").And.Match("(?s)Rented .* ago by:.*at "));
    }

    [Test]
    public async Task A_description_that_fails_is_left_out()
    {
        Policy.OnDescribe = static _ => throw new InvalidOperationException("of no consequence");
        var pool = Pool();
        await Rent(pool);
        Assert.That(pool.GetStatistics().OldestRents.Single().Use, Is.Null);
        Assert.That(pool.GetResources().Single().Rental!.Use, Is.Null);
    }

    private static ResourcePoolOptions Watched(ResourcePoolOptions options) =>
        options with { LeakThreshold = 30 * _second, MaintenanceInterval = 5 * _second, StackSampling = 1 };
}
