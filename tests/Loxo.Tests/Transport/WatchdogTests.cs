using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class WatchdogTests
{
    private SimulatedTime _time = null!;
    private Owner _owner = null!;
    private Watchdog _watchdog = null!;

    [SetUp]
    public void Start()
    {
        (_time, _owner) = (new SimulatedTime(), new Owner());
        _watchdog = new Watchdog(_time, _owner);
    }

    [TearDown]
    public void Dispose() => _watchdog.Dispose();

    [Test]
    public void A_wait_that_lasts_too_long_is_interrupted_once()
    {
        _watchdog.Begin(1000);
        Advance(999);
        Assert.That(_owner.TimedOut, Is.Zero);
        Advance(2);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
        Advance(100_000);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    [Test]
    public void A_wait_that_has_ended_is_not_interrupted()
    {
        _watchdog.Begin(1000);
        Advance(500);
        _watchdog.End();
        Advance(100_000);
        Assert.That(_owner.TimedOut, Is.Zero);
    }

    [Test]
    public void Many_short_waits_are_not_taken_for_a_long_one()
    {
        for (var i = 0; i < 100; i++)
        {
            _watchdog.Begin(1000);
            Advance(900);
            _watchdog.End();
        }
        Assert.That(_owner.TimedOut, Is.Zero);
        Assert.That(_time.TimersSet, Is.LessThanOrEqualTo(1), "one timer serves all");
        _watchdog.Begin(1000);
        Advance(1001);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    [Test]
    public void A_shorter_wait_after_a_longer_one_ends_in_its_own_time()
    {
        _watchdog.Begin(100_000);
        _watchdog.End();
        _watchdog.Begin(1000);
        Advance(1001);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    [Test]
    public void A_longer_wait_after_a_shorter_one_has_its_whole_time()
    {
        _watchdog.Begin(1000);
        _watchdog.End();
        _watchdog.Begin(100_000);
        Advance(99_999);
        Assert.That(_owner.TimedOut, Is.Zero);
        Advance(2);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    [Test]
    public void A_wait_without_limit_is_not_watched()
    {
        _watchdog.Begin(Timeout.Infinite);
        Advance(int.MaxValue);
        Assert.That((_owner.TimedOut, _time.TimersSet), Is.EqualTo((0, 0)));
    }

    [Test]
    public void A_wait_of_nothing_ends_at_once()
    {
        _watchdog.Begin(0);
        Advance(1);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    [Test]
    public void After_Dispose_nothing_fires()
    {
        _watchdog.Begin(1000);
        _watchdog.Dispose();
        Advance(10_000);
        _watchdog.Begin(1000);
        Advance(10_000);
        Assert.That(_owner.TimedOut, Is.Zero);
    }

    [Test]
    public async Task End_returns_only_when_an_interruption_that_has_begun_is_over()
    {
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        var interrupted = false;
        _owner.OnTimedOut = () =>
        {
            entered.Set();
            leave.Wait();
            Volatile.Write(ref interrupted, true);
        };
        _watchdog.Begin(1000);
        var firing = Task.Run(() => Advance(1001));
        entered.Wait();
        var ending = Task.Run(() =>
        {
            _watchdog.End();
            return Volatile.Read(ref interrupted);
        });
        leave.Set();
        Assert.That(await ending, Is.True);
        await firing;
    }

    [Test]
    public void Waits_that_end_while_the_timer_fires_are_never_interrupted_afterwards()
    {
        var stop = false;
        var clock = new Thread(() =>
        {
            while (!Volatile.Read(ref stop))
                Advance(1);
        });
        clock.Start();
        var late = 0;
        for (var i = 0; i < 20_000; i++)
        {
            _watchdog.Begin(i % 3);
            _watchdog.End();
            var count = Volatile.Read(ref _owner.TimedOut);
            Thread.SpinWait(50);
            late += Volatile.Read(ref _owner.TimedOut) - count;
        }
        Volatile.Write(ref stop, true);
        clock.Join();
        Assert.That(late, Is.Zero);
    }

    [Test]
    public async Task A_timer_that_fires_again_while_it_is_being_set_again_is_waited_for_too()
    {
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        _owner.OnTimedOut = () =>
        {
            entered.Set();
            leave.Wait();
        };
        var time = new EagerTime();
        using var watchdog = new Watchdog(time, _owner);
        watchdog.Begin(1000);
        var again = Task.CompletedTask;
        time.OnSet = () =>
        {
            time.Now += 2000;
            again = Task.Run(time.Fire);
            entered.Wait();
        };
        time.Fire();
        var ending = Task.Run(watchdog.End);
        for (var i = 0; i < 1000 && !ending.IsCompleted; i++)
            Thread.Yield();
        Assert.That(ending.IsCompleted, Is.False, "an interruption is under way");
        leave.Set();
        await Task.WhenAll(ending, again);
        Assert.That(_owner.TimedOut, Is.EqualTo(1));
    }

    private void Advance(double milliseconds) => _time.Advance(TimeSpan.FromMilliseconds(milliseconds));

    private sealed class Owner : IWireOwner
    {
        public int TimedOut;

        public Action OnTimedOut { get; set; } = static () => { };

        public void WaitTimedOut()
        {
            OnTimedOut();
            Interlocked.Increment(ref TimedOut);
        }

        public void WaitCancelled() => throw new InvalidOperationException("Nobody cancelled.");

        public Exception Failed(Exception cause) => cause;
    }

    // Its one timer fires when the test says so, and tells when it is set.
    private sealed class EagerTime : TimeProvider, ITimer
    {
        private TimerCallback? _callback;
        private object? _state;

        public long Now { get; set; } = 1;

        public Action OnSet { get; set; } = static () => { };

        public override long TimestampFrequency => 1000;

        public override long GetTimestamp() => Now;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            (_callback, _state) = (callback, state);
            return this;
        }

        public void Fire() => _callback!(_state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            OnSet();
            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
