using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests;

/// <summary>A thread is interrupted while it has to wait for a lock of the pool: what it holds is not lost, and the interrupt is not either.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class InterruptTests : IDisposable
{
    // Only a hang reaches it.
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(5);

    private readonly ThingPolicy _policy = new();
    private readonly ManualResetEventSlim _isThere = new();
    private readonly ManualResetEventSlim _mayGoOn = new();
    private PoolCore<Thing, NoSteps> _pool = null!;
    private Exception? _error;
    private volatile bool _isInterrupted;
    private volatile bool _wasInterrupted;

    public enum Moment
    {
        Opened,
        OpenFailed,
        Closed,
    }

    public void Dispose()
    {
        _pool.Dispose();
        _isThere.Dispose();
        _mayGoOn.Dispose();
    }

    [Test]
    public void An_opened_a_refused_and_a_closed_resource_are_counted([Values] Moment moment)
    {
        _pool = new PoolCore<Thing, NoSteps>(_policy, new ResourcePoolOptions { MaximumSize = 2, Time = new ManualTime() });
        var thread = moment == Moment.Closed ? Closing() : Opening(fails: moment == Moment.OpenFailed);
        thread.Start();
        Assert.That(_isThere.Wait(_patience), Is.True);
        using (_pool.Dispatcher.Lock.Enter())
            AwaitIn(thread);
        thread.Join(_patience);

        var exists = moment == Moment.Opened ? 1 : 0;
        Assert.That(_error, moment == Moment.OpenFailed ? Is.InstanceOf<IOException>() : Is.Null);
        Assert.That(_pool.GetStatistics(), Has.Property("Total").EqualTo(exists).And.Property("Opening").EqualTo(0).And.Property("Busy").EqualTo(exists));
        Assert.That(_wasInterrupted, Is.True);
    }

    [Test]
    public void A_returned_resource_reaches_the_next_renter([Values] bool waitsToWake)
    {
        _pool = new PoolCore<Thing, NoSteps>(_policy, new ResourcePoolOptions { MaximumSize = 1, Time = new ManualTime() });
        var held = _pool.Rent(Timeout.InfiniteTimeSpan);
        Rental<Thing> rented = default;
        var next = new Thread(() => Note(() => rented = _pool.Rent(Timeout.InfiniteTimeSpan))) { IsBackground = true };
        next.Start();
        Assert.That(SpinWait.SpinUntil(() => _pool.GetStatistics().Waiting == 1, _patience), Is.True);
        var thread = Acting(() =>
        {
            Interrupt();
            _pool.Return(held);
        });
        thread.Start();
        Assert.That(_isThere.Wait(_patience), Is.True);
        if (waitsToWake)
        {
            lock (_pool.Dispatcher.Line.First!)
                AwaitIn(thread);
        }
        else
        {
            using (_pool.Dispatcher.Lock.Enter())
                AwaitIn(thread);
        }
        thread.Join(_patience);

        Assert.That((_error, _wasInterrupted), Is.EqualTo(((Exception?)null, true)));
        Assert.That(next.Join(_patience), Is.True);
        Assert.That(rented.Resource, Is.SameAs(held.Resource));
    }

    private Thread Opening(bool fails)
    {
        _policy.OnOpen = _ =>
        {
            Interrupt();
            return fails ? throw new IOException("no") : Task.FromResult(_policy.New());
        };
        return Acting(() => _pool.Rent(Timeout.InfiniteTimeSpan));
    }

    private Thread Closing()
    {
        var held = _pool.Rent(Timeout.InfiniteTimeSpan);
        _policy.OnClose = _ => Interrupt();
        return Acting(() => _pool.Discard(held));
    }

    private Thread Acting(Action act) => new(() =>
    {
        Note(act);
        try
        {
            Thread.Sleep(1);
        }
        catch (ThreadInterruptedException)
        {
            _wasInterrupted = true;
        }
    }) { IsBackground = true };

    private void Note(Action act)
    {
        try
        {
            act();
        }
        catch (Exception e)
        {
            _error = e;
        }
    }

    // The calling thread, as somebody else would do at this moment.
    private void Interrupt()
    {
        _isThere.Set();
        _mayGoOn.Wait();
        Thread.CurrentThread.Interrupt();
        _isInterrupted = true;
    }

    // The caller holds a lock until the thread waits for it.
    private void AwaitIn(Thread thread)
    {
        _mayGoOn.Set();
        Assert.That(SpinWait.SpinUntil(() => _isInterrupted && (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || !thread.IsAlive, _patience), Is.True);
    }
}
