using System.Diagnostics;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Whether a caller has kept its thread.</summary>
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

    private static void Compute(int milliseconds)
    {
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < milliseconds;)
            Thread.SpinWait(100);
    }
}
