using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>How sessions are spread over loops. Loops live as long as the process, so each test has settings of its own.</summary>
[Platform("Linux")]
public sealed class ReactorTests
{
    [Test]
    public void Sessions_are_spread_over_the_loops_in_turn()
    {
        var settings = new ReactorSettings(3, ReactorContinuations.ThreadPool);
        var loops = Enumerable.Range(0, 7).Select(_ => Reactor.LoopFor(settings)).ToArray();
        Assert.That(loops[..3], Is.Unique.And.None.Null);
        Assert.That(loops[3..], Is.EqualTo([loops[0], loops[1], loops[2], loops[0]]));
    }

    [Test]
    public void By_default_there_is_one_for_four_processors()
    {
        var settings = new ReactorSettings(0, ReactorContinuations.Inline);
        var expected = Math.Max(1, Environment.ProcessorCount / 4);
        var loops = Enumerable.Range(0, 2 * expected).Select(_ => Reactor.LoopFor(settings)).ToHashSet();
        Assert.That(loops, Has.Count.EqualTo(expected));
    }

    [Test]
    public void Data_sources_with_the_same_settings_share_them_and_others_have_their_own()
    {
        var first = Reactor.LoopFor(new ReactorSettings(1, ReactorContinuations.Inline));
        Assert.That(Reactor.LoopFor(new ReactorSettings(1, ReactorContinuations.Inline)), Is.SameAs(first));
        Assert.That(Reactor.LoopFor(new ReactorSettings(1, ReactorContinuations.ThreadPool)), Is.Not.SameAs(first));
        Assert.That(Reactor.LoopFor(null), Is.Null);
    }
}
