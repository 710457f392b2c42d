using Loxo.Pooling.Tests;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

[NonParallelizable] // keeps the thread pool
public sealed class SleepTests
{
    [Test]
    public void A_pause_needs_no_thread_of_the_pool()
    {
        using var starved = new StarvedPool();
        var sleeper = Begin(TimeProvider.System);
        Assert.That(sleeper.Join(TimeSpan.FromMinutes(1)), Is.True, "it goes on");
    }

    [Test]
    public void A_pause_ends_by_the_clock_of_its_data_source()
    {
        var time = new SimulatedTime();
        var sleeper = Begin(time);
        Assert.That(SpinWait.SpinUntil(() => time.TimersSet == 1, TimeSpan.FromMinutes(5)), Is.True);
        Assert.That(sleeper.IsAlive, Is.True);
        time.Advance(TimeSpan.FromMilliseconds(10));
        Assert.That(sleeper.Join(TimeSpan.FromMinutes(5)), Is.True);
    }

    private static Thread Begin(TimeProvider time)
    {
        var sleeper = new Thread(() => Sleep.For(TimeSpan.FromMilliseconds(10), time)) { IsBackground = true };
        sleeper.Start();
        return sleeper;
    }
}
