namespace Loxo.Pooling.Tests;

public sealed class FailureTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task A_failed_open_reaches_its_renter_and_leaves_the_permit()
    {
        var pool = Pool(maximum: 1);
        Policy.OnOpen = _ => throw new IOException("no");
        Assert.That((await Failure<IOException>(Rent(pool))).Message, Is.EqualTo("no"));
        Policy.OnOpen = null;

        Assert.That((await Rent(pool)).IsValid, Is.True);
        Assert.That(Policy.OpenErrors, Has.Count.EqualTo(1));
        Assert.That((pool.GetStatistics().OpenFailed, pool.GetStatistics().Opened), Is.EqualTo((1, 1)));
        Assert.That(pool.GetStatistics().RecentOpenFailures[0].Error.Message, Is.EqualTo("no"));
    }

    [Test]
    public async Task A_renter_tries_again_when_the_policy_says_so()
    {
        var pool = Pool(maximum: 2);
        var asked = new List<int>();
        Policy.OnRetry = (_, failures) =>
        {
            asked.Add(failures);
            return TimeSpan.FromSeconds(failures);
        };
        Policy.OnOpen = _ => throw new IOException("full");
        var renter = Rent(pool);
        await Until(() => asked.Count == 1);
        await AdvanceUntil(() => asked.Count == 2);
        Policy.OnOpen = null;
        await AdvanceUntil(() => renter.IsCompleted);
        Assert.That((await renter).IsValid, Is.True);
        Assert.That(asked, Is.EqualTo(new[] { 1, 2 }));
        Assert.That(pool.GetStatistics().OpenFailed, Is.EqualTo(2));
    }

    [Test]
    public async Task A_renter_that_tries_again_takes_what_has_come_back_meanwhile()
    {
        var pool = Pool(maximum: 2);
        var held = await Rent(pool);
        var isPausing = false;
        Policy.OnRetry = (_, _) =>
        {
            isPausing = true;
            return TimeSpan.FromSeconds(1);
        };
        Policy.OnOpen = _ => throw new IOException("full");
        var renter = Rent(pool);
        await Until(() => isPausing);
        await Return(pool, held);
        await AdvanceUntil(() => renter.IsCompleted);
        Assert.That((await renter).Resource, Is.SameAs(held.Resource));
    }

    [Test]
    public async Task A_renter_tries_again_until_its_time_is_over_and_gets_the_error()
    {
        var pool = Pool(maximum: 2);
        var attempts = NoteAttempts();
        Policy.OnRetry = (_, _) => TimeSpan.FromSeconds(4);
        var renter = Rent(pool, TimeSpan.FromSeconds(10));
        await EachPause(renter);
        Assert.That((await Failure<IOException>(renter)).Message, Is.EqualTo("full"));
        Assert.That(attempts, Is.EqualTo(new[] { 0, 4000, 8000, 9960 }), "the last with the time that an attempt needs");
        Assert.That(pool.GetStatistics().Total, Is.Zero);
    }

    [Test]
    public async Task The_last_attempt_begins_early_enough_for_one_that_takes_twice_as_long_as_the_one_before()
    {
        var pool = Pool(maximum: 2);
        var attempts = NoteAttempts(takes: TimeSpan.FromMilliseconds(500));
        Policy.OnRetry = (_, _) => TimeSpan.FromSeconds(4);
        var renter = Rent(pool, TimeSpan.FromSeconds(8));
        await EachPause(renter);
        await Failure<IOException>(renter);
        Assert.That(attempts, Is.EqualTo(new[] { 0, 4500, 7000 }));
    }

    [Test]
    public async Task A_renter_without_a_limit_waits_as_long_as_the_policy_says()
    {
        var pool = Pool(maximum: 2);
        var attempts = NoteAttempts();
        Policy.OnRetry = (_, failures) => failures == 3 ? null : TimeSpan.FromSeconds(4);
        var renter = Rent(pool, Timeout.InfiniteTimeSpan);
        await EachPause(renter);
        await Failure<IOException>(renter);
        Assert.That(attempts, Is.EqualTo(new[] { 0, 4000, 8000 }));
    }

    [Test]
    public async Task A_renter_that_was_refused_and_then_waits_in_line_too_long_gets_the_refusal()
    {
        var pool = Pool(maximum: 1);
        var open = new TaskCompletionSource<Thing>();
        NoteAttempts();
        Policy.OnRetry = (_, _) => TimeSpan.FromSeconds(4);
        var renter = Rent(pool, TimeSpan.FromSeconds(10));
        await Until(() => Time.NextDue is not null);
        Policy.OnOpen = _ => open.Task;
        var other = Rent(pool, TimeSpan.FromSeconds(60));
        await Until(() => pool.GetStatistics().Opening == 1);
        await AdvanceUntil(() => renter.IsCompleted);
        Assert.That((await Failure<IOException>(renter)).Message, Is.EqualTo("full"));
        Assert.That(pool.GetStatistics().TimedOut, Is.EqualTo(1));
        open.SetResult(Policy.New());
        await Return(pool, await other);
    }

    // When opening was tried, in milliseconds from now; it fails each time.
    private List<int> NoteAttempts(TimeSpan takes = default)
    {
        var (start, attempts) = (Time.Now, new List<int>());
        Policy.OnOpen = _ =>
        {
            attempts.Add((int)(Time.Now - start).TotalMilliseconds);
            Time.Advance(takes);
            throw new IOException("full");
        };
        return attempts;
    }

    // Ends one pause after the other, each at its own moment.
    private async Task EachPause(Task renter)
    {
        while (true)
        {
            await Until(() => renter.IsCompleted || Time.NextDue is not null);
            if (renter.IsCompleted)
                return;
            var failures = Policy.OpenErrors.Count;
            Time.Advance(Time.NextDue!.Value);
            await Until(() => renter.IsCompleted || Policy.OpenErrors.Count > failures);
        }
    }

    [Test]
    public async Task An_attempt_that_its_time_cuts_off_does_not_hide_the_refusal_before_it()
    {
        var pool = Pool(maximum: 2);
        Policy.OnRetry = (error, _) => error is IOException ? TimeSpan.FromSeconds(4) : null;
        Policy.OnOpen = timeLeft =>
        {
            if (timeLeft > TimeSpan.FromSeconds(5))
                throw new IOException("full");
            Time.Advance(timeLeft);
            throw new TimeoutException("over");
        };
        var renter = Rent(pool, TimeSpan.FromSeconds(9));
        await AdvanceUntil(() => renter.IsCompleted);
        Assert.That((await Failure<IOException>(renter)).Message, Is.EqualTo("full"));
        Assert.That(Policy.OpenErrors.Last(), Is.InstanceOf<TimeoutException>());
    }

    [Test]
    public async Task A_policy_that_fails_when_asked_is_not_asked_for_more()
    {
        var pool = Pool(maximum: 2);
        Policy.OnRetry = (_, _) => throw new InvalidOperationException("broken");
        Policy.OnOpen = _ => throw new IOException("full");
        Assert.That((await Failure<IOException>(Rent(pool))).Message, Is.EqualTo("full"));
    }

    private async Task AdvanceUntil(Func<bool> condition)
    {
        await Until(() =>
        {
            Time.Advance(TimeSpan.FromMilliseconds(100));
            return condition();
        });
    }

    [Test]
    public async Task After_a_failed_open_the_next_who_waits_opens_itself()
    {
        var pool = Pool(maximum: 1);
        var opens = new Queue<TaskCompletionSource<Thing>>(Enumerable.Range(0, 3).Select(_ => new TaskCompletionSource<Thing>()));
        var all = opens.ToArray();
        Policy.OnOpen = _ => opens.Dequeue().Task;
        var first = Rent(pool);
        await Until(() => pool.GetStatistics().Opening == 1);
        var others = await Wait(pool, 2);

        all[0].SetException(new IOException("first"));
        Assert.That((await Failure<IOException>(first)).Message, Is.EqualTo("first"));
        await Until(() => opens.Count == 1);
        all[1].SetException(new IOException("second"));
        Assert.That((await Failure<IOException>(others[0])).Message, Is.EqualTo("second"));
        await Until(() => opens.Count == 0);
        all[2].SetResult(Policy.New());
        Assert.That((await Soon(others[1])).IsValid, Is.True);
    }

    [Test]
    public async Task When_nothing_can_be_opened_everybody_fails_by_the_own_deadline()
    {
        var pool = Pool(maximum: 1);
        var stuck = new TaskCompletionSource<Thing>();
        Policy.OnOpen = _ => stuck.Task;
        var first = Rent(pool);
        await Until(() => pool.GetStatistics().Opening == 1);
        var others = await Wait(pool, 3, TimeSpan.FromSeconds(5));
        Time.Advance(TimeSpan.FromSeconds(6));

        foreach (var other in others)
            Assert.That((await Failure<PoolExhaustedException>(other)).Statistics.Opening, Is.EqualTo(1));
        stuck.SetException(new IOException("at last"));
        await Failure<IOException>(first);
        Assert.That(pool.GetStatistics().Total, Is.Zero);
    }

    [Test]
    public async Task Not_more_are_opened_at_once_than_said()
    {
        var pool = Pool(10, options => options with { MaximumConcurrentOpens = 2 });
        var gate = new TaskCompletionSource();
        Policy.OnOpen = async _ =>
        {
            await gate.Task.ConfigureAwait(false);
            return Policy.New();
        };
        var rents = Enumerable.Range(0, 5).Select(_ => Rent(pool)).ToArray();
        await Until(() => pool.GetStatistics() is { Opening: 2, Waiting: 3 });
        gate.SetResult();

        await Soon(Task.WhenAll(rents));
        Assert.That((Policy.MostOpening, Policy.OpenedCount), Is.EqualTo((2, 5)));
    }

    [Test]
    public async Task A_discarded_resource_is_closed_and_one_waiter_opens_another()
    {
        var pool = Pool(maximum: 2);
        var rentals = await RentMany(pool, 2);
        var waiting = await Wait(pool, 2);
        await Discard(pool, rentals[0]);

        Assert.That((await Soon(waiting[0])).Resource.Number, Is.EqualTo(3));
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[0].Resource, CloseReason.Broken) }));
        Assert.That((waiting[1].IsCompleted, rentals[1].IsValid, pool.GetStatistics().Total), Is.EqualTo((false, true, 2)));
        await Return(pool, rentals[1]);
        await Soon(waiting[1]);
    }

    [Test]
    public async Task One_that_fails_its_check_is_replaced()
    {
        var pool = Pool();
        var rentals = await RentMany(pool, 2);
        await Return(pool, rentals[0]);
        await Return(pool, rentals[1]);
        rentals[1].Resource.IsHealthy = false;

        Assert.That((await Rent(pool)).Resource, Is.SameAs(rentals[0].Resource), "another idle one is taken");
        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rentals[1].Resource, CloseReason.CheckFailed) }));
        Assert.That(Policy.FailedChecks, Is.EqualTo(new[] { (rentals[1].Resource, (Exception?)null) }));
        Assert.That(pool.GetStatistics().Replaced, Is.EqualTo(1));
    }

    [Test]
    public async Task If_all_fail_their_checks_a_new_one_is_opened()
    {
        var pool = Pool(maximum: 2);
        foreach (var rental in await RentMany(pool, 2))
            await Return(pool, rental);
        Policy.OnCheck = _ => throw new IOException("gone");

        Assert.That((await Rent(pool)).Resource.Number, Is.EqualTo(3));
        Assert.That(Policy.FailedChecks.Select(failed => failed.Error?.Message), Is.EqualTo(new[] { "gone", "gone" }));
        Assert.That(Policy.ClosedThings.Select(closed => closed.Reason), Is.All.EqualTo(CloseReason.CheckFailed));
    }

    [TestCase(true)]
    [TestCase(false)]
    public async Task One_that_cannot_be_reset_is_closed(bool byException)
    {
        var pool = Pool();
        var rental = await Rent(pool);
        Policy.OnReset = _ => byException ? throw new IOException("gone") : Task.FromResult(false);
        await Return(pool, rental);

        Assert.That(Policy.ClosedThings, Is.EqualTo(new[] { (rental.Resource, CloseReason.ResetFailed) }));
        Assert.That(pool.GetStatistics().Total, Is.Zero);
    }

    [Test]
    public async Task What_Close_throws_is_of_no_consequence()
    {
        var pool = Pool(maximum: 1);
        Policy.OnClose = _ => throw new IOException("no");
        await Discard(pool, await Rent(pool));

        Assert.That((await Rent(pool)).IsValid, Is.True);
    }

    [Test]
    public async Task A_policy_that_opens_nothing_is_told_so()
    {
        Policy.OnOpen = _ => Task.FromResult<Thing>(null!);
        Assert.That((await Failure<InvalidOperationException>(Rent(Pool()))).Message, Does.Contain("must not return null"));
    }
}
