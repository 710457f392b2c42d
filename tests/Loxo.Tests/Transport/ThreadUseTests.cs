using System.Diagnostics;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Whether a caller has kept its thread, or its thread has waited for a processor.</summary>
public sealed class ThreadUseTests
{
    [Test]
    public void A_caller_that_blocks_keeps_its_thread()
    {
        var use = ThreadUse.Begin();
        Task.Delay(20).Wait();
        Assert.That(use.WasKept, Is.True);
    }

    [Test]
    public void A_caller_that_computes_keeps_its_thread()
    {
        var use = ThreadUse.Begin();
        Compute(milliseconds: 20);
        Assert.That(use.WasKept, Is.True);
    }

    [Test]
    public void A_quick_caller_does_not()
    {
        // The machine may hold up one of them.
        Assert.That(Enumerable.Range(0, 100).Count(static _ => ThreadUse.Begin().WasKept), Is.LessThan(50));
    }

    [Test, Platform("Linux")]
    public void A_thread_that_blocks_or_computes_is_not_taken_for_one_that_waits_for_a_processor()
    {
        ThreadActivity? activity = null;
        using var may = new SemaphoreSlim(0);
        var hasEnded = false;
        var thread = new Thread(() =>
        {
            activity = new ThreadActivity();
            may.Wait();
            while (!Volatile.Read(ref hasEnded))
                Compute(milliseconds: 1);
        });
        thread.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref activity) is not null && (thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0);
        Assert.That(SpinWait.SpinUntil(() => !activity!.IsStarved(), TimeSpan.FromSeconds(30)), Is.True, "it blocks");
        may.Release();
        Assert.That(SpinWait.SpinUntil(() => (thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0, TimeSpan.FromSeconds(30)), Is.True);
        Assert.That(SpinWait.SpinUntil(() => IsBusy(activity!), TimeSpan.FromSeconds(30)), Is.True, "it computes");
        Volatile.Write(ref hasEnded, true);
        thread.Join();
    }

    [Test, Platform("Linux")]
    public void The_first_question_about_a_thread_that_can_run_says_nothing()
    {
        ThreadActivity? activity = null;
        var hasEnded = false;
        var thread = new Thread(() =>
        {
            activity = new ThreadActivity();
            while (!Volatile.Read(ref hasEnded))
                Thread.SpinWait(100);
        });
        thread.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref activity) is not null);
        Assert.That(activity!.IsStarved(), Is.True);
        Volatile.Write(ref hasEnded, true);
        thread.Join();
    }

    private static bool IsBusy(ThreadActivity activity)
    {
        activity.IsStarved();
        Compute(milliseconds: 1);
        return !activity.IsStarved();
    }

    private static void Compute(int milliseconds)
    {
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;)
            Thread.SpinWait(100);
    }
}
