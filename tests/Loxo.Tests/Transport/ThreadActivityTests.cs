using System.Runtime.InteropServices;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Whether a thread that does not go on waits for a processor.</summary>
[Platform("Linux")]
public sealed partial class ThreadActivityTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private volatile bool _hasEnded;

    [SetUp]
    public void Begin() => _hasEnded = false;

    [Test]
    public void One_that_sleeps_does_not()
    {
        using var end = new ManualResetEventSlim();
        var (thread, activity) = Started(end.Wait);
        activity.Begin();
        Assert.That(SpinWait.SpinUntil(() => !activity.IsStarved(), Patience), Is.True);
        end.Set();
        thread.Join();
    }

    [Test]
    public void One_that_computes_does_not()
    {
        var (thread, activity) = Started(Compute);
        activity.Begin();
        Assert.That(SpinWait.SpinUntil(() => !activity.IsStarved(), Patience), Is.True);
        _hasEnded = true;
        thread.Join();
    }

    [Test]
    public void One_whose_clock_the_system_refuses_does_not()
    {
        var (thread, activity) = Started(Compute, static _ => null);
        for (var i = 0; i < 20; i++)
        {
            activity.Begin();
            Assert.That(activity.IsStarved(), Is.False);
            Thread.Sleep(1);
        }
        _hasEnded = true;
        thread.Join();
    }

    [Test]
    public void One_that_others_leave_no_processor_does()
    {
        // Both on the first processor, where the system lets one run only if nobody else wants to.
        var (last, activity) = Started(() => Compute(isLast: true));
        var (other, _) = Started(() => Compute(isLast: false));
        var starved = 0;
        for (var i = 0; i < 20; i++)
        {
            activity.Begin();
            Thread.Sleep(2);
            starved += activity.IsStarved() ? 1 : 0;
        }
        _hasEnded = true;
        last.Join();
        other.Join();
        Assert.That(starved, Is.GreaterThan(10));
    }

    private (Thread Thread, ThreadActivity Activity) Started(Action code, Func<int, long?>? clock = null)
    {
        var begun = new TaskCompletionSource<ThreadActivity>();
        var thread = new Thread(() =>
        {
            begun.SetResult(clock is null ? new ThreadActivity() : new ThreadActivity { Clock = clock });
            code();
        });
        thread.Start();
        Assert.That(begun.Task.Wait(Patience), Is.True);
        return (thread, begun.Task.Result);
    }

    private void Compute(bool isLast)
    {
        const int IdlePolicy = 5;
        var (first, priority) = (1L, 0);
        Assert.That(sched_setaffinity(0, sizeof(long), ref first), Is.Zero);
        if (isLast)
            Assert.That(sched_setscheduler(0, IdlePolicy, ref priority), Is.Zero);
        Compute();
    }

    private void Compute()
    {
        while (!_hasEnded)
            Thread.SpinWait(100);
    }

    [LibraryImport("libc")]
    private static partial int sched_setaffinity(int thread, nint size, ref long processors);

    [LibraryImport("libc")]
    private static partial int sched_setscheduler(int thread, int policy, ref int priority);
}
