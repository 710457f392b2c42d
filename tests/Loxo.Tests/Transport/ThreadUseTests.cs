using System.Diagnostics;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Whether a caller has kept its thread.</summary>
public sealed class ThreadUseTests
{
    [Test]
    public void A_caller_that_blocks_keeps_its_thread()
    {
        // A busy machine may interrupt the thread before it blocks.
        Assert.That(Enumerable.Range(0, 20).Any(static _ => KeepsByBlocking()), Is.True);
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

    [TestCase(0, 0, 0, false, TestName = "A_system_that_does_not_count")]
    [TestCase(0, 1, 999, true, TestName = "An_interrupted_thread_waited_for_a_processor")]
    [TestCase(1, 1, 999, false, TestName = "A_thread_that_blocked_did_not")]
    [TestCase(0, 1, 1000, false, TestName = "A_thread_that_computed_did_not")]
    public void Waits_for_a_processor(int blocks, int interruptions, int microseconds, bool waited) =>
        Assert.That(ThreadUse.WaitedForProcessor(new(5, 6, 7), new(5 + blocks, 6 + interruptions, 7 + microseconds)), Is.EqualTo(waited));

    private static bool KeepsByBlocking()
    {
        var use = ThreadUse.Begin();
        Task.Delay(20).Wait();
        return use.WasKept;
    }

    private static void Compute(int milliseconds)
    {
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;)
            Thread.SpinWait(100);
    }
}
