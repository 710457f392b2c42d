namespace Loxo.Commands.Interleaved;

/// <summary>What <see cref="LaneScheduler"/> makes of a thread that is really blocked, for which it does not know when it will go on.</summary>
public sealed class LaneSchedulerTests
{
    [Test]
    public void One_that_goes_on_while_others_are_asked_does_not_wait_for_ever()
    {
        var scheduler = new LaneScheduler(preemptions: 1);

        scheduler.Explore(() => new AskedRun().Begin(), most: 20);

        Assert.That(scheduler.Failure, Is.Null);
    }

    [Test]
    public void One_that_gets_no_processor_for_a_second_does_not_wait_for_ever()
    {
        var scheduler = new LaneScheduler(preemptions: 0);

        scheduler.Explore(static () =>
        {
            LaneScheduler.Begin(static () => System.Threading.Thread.Sleep(1000), isLane: false);
            return (new Lock(), static () => null, static () => { });
        }, most: 1);

        Assert.That(scheduler.Failure, Is.Null);
    }

    [Test]
    public void One_that_is_blocked_within_a_section_keeps_others_from_it()
    {
        var scheduler = new LaneScheduler(preemptions: 1);

        scheduler.Explore(static () =>
        {
            var monitor = new object();
            var inside = 0;
            LaneScheduler.Begin(Section, isLane: false);
            LaneScheduler.Begin(Section, isLane: false);
            return (new Lock(), static () => null, static () => { });

            void Section()
            {
                using var section = Locks.Enter(monitor);
                if (System.Threading.Interlocked.Increment(ref inside) > 1)
                    throw new AssertionException("two are within it");
                System.Threading.Thread.Sleep(10);
                System.Threading.Interlocked.Decrement(ref inside);
            }
        }, most: 20);

        Assert.That(scheduler.Failure, Is.Null);
    }

    [Test]
    public void One_whose_token_is_being_cancelled_waits_in_a_step()
    {
        var scheduler = new LaneScheduler(preemptions: 1);
        var waits = 0;

        scheduler.Explore(() =>
        {
            var source = new CancellationTokenSource();
            var isCalled = false;
            var hasReturned = false;
            CancellationTokenRegistration registration = source.Token.UnsafeRegister(_ =>
            {
                isCalled = true;
                LaneScheduler.Point();
                hasReturned = true;
            }, null);
            LaneScheduler.Begin(() => LaneScheduler.Cancel(source), isLane: false);
            LaneScheduler.Begin(() =>
            {
                LaneScheduler.WaitUntil(() => isCalled);
                waits += hasReturned ? 0 : 1;
                registration.Dispose();
                if (!hasReturned)
                    throw new AssertionException("the callback is running");
            }, isLane: false);
            return (new Lock(), static () => null, source.Dispose);
        }, most: 20);

        Assert.That(scheduler.Failure, Is.Null);
        Assert.That(waits, Is.Positive);
        Assert.That(scheduler.StepsBesideBlocked, Is.Zero);
    }

    /// <summary>The first thread goes on when it is asked whether the second one can, and thus behind the look at the first.</summary>
    private sealed class AskedRun
    {
        private readonly TaskCompletionSource _wakes = new();
        private readonly TaskCompletionSource _isAwake = new();
        private bool _isBlocked;
        private bool _hasOtherEnded;
        private bool _isOver;

        public (Lock Gate, Func<string?> Check, Action End) Begin()
        {
            LaneScheduler.Begin(BeBlocked, isLane: false);
            LaneScheduler.Begin(() => LaneScheduler.WaitUntil(IsOver), isLane: false);
            LaneScheduler.Begin(() => _hasOtherEnded = true, isLane: false);
            return (new Lock(), () => _isOver ? null : "it has not gone on", static () => { });
        }

        private void BeBlocked()
        {
            _isBlocked = true;
            _wakes.Task.Wait();
            _isAwake.SetResult();
            LaneScheduler.Point();
            _isOver = true;
        }

        // Asked by the scheduler.
        private bool IsOver()
        {
            if (_isBlocked && _hasOtherEnded && _wakes.TrySetResult())
            {
                _isAwake.Task.Wait();
                System.Threading.Thread.Sleep(10);
            }
            return _isOver;
        }
    }
}
