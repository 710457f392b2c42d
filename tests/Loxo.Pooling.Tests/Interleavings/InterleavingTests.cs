using System.Numerics;
using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>
/// The real core, run step by step in all orders. A step is one shared read or write, or the entry of the lock (<see cref="Point"/>); what
/// happens under the lock is interleaved with the steps that need no lock. A scheduler lets one caller at a time go on, and tries, depth
/// first, every schedule in which callers that could go on are interrupted no more often than the scenario's bound says (2 or 3; with
/// ./test --long always 3). Interruptions where a caller must wait, and the moments at which a wait times out, are not bounded. States met before
/// with as many interruptions left are not explored again; callers that run the same program count as the same there.
/// <para>
/// Whenever nobody is in the middle of an operation: no more exist than may, everything that exists is idle once or rented once, nobody waits
/// for what is idle or may be opened, and nobody was woken twice. At the end of each schedule nobody waits any more. Memory is taken to be
/// sequentially consistent, which the core's interlocked operations and their order provide where it matters.
/// </para>
/// </summary>
[Parallelizable(ParallelScope.Children)] // each exploration has threads of its own, of which one runs at a time
[Category("Slow")]
public sealed class InterleavingTests
{
    private static readonly Dictionary<Scenario, Lazy<Exploration>> _explored =
        Scenarios.All.ToDictionary(scenario => scenario, scenario => new Lazy<Exploration>(() => Explorer.Explore(scenario)));

    private static IEnumerable<Scenario> ShortOnes => Scenarios.All.Where(scenario => scenario.Preemptions < 3);

    [TestCaseSource(typeof(Scenarios), nameof(Scenarios.All))]
    public void Every_schedule_keeps_what_the_pool_promises(object scenario)
    {
        var exploration = _explored[(Scenario)scenario].Value;

        TestContext.Out.WriteLine($"{exploration.Schedules} schedules, {exploration.States} states");
        Assert.That(exploration.Violation, Is.Null);
        Assert.That(exploration.Schedules, Is.GreaterThan(100));
    }

    [TestCaseSource(nameof(ShortOnes)), Category("Long")]
    public void Every_schedule_with_three_interruptions_does_too(object scenario)
    {
        var exploration = Explorer.Explore((Scenario)scenario with { Preemptions = 3 });

        TestContext.Out.WriteLine($"{exploration.Schedules} schedules, {exploration.States} states");
        Assert.That(exploration.Violation, Is.Null);
    }

    [Test]
    public void Every_step_of_the_core_is_reached()
    {
        var reached = _explored.Values.Aggregate(0UL, (points, exploration) => points | exploration.Value.Points);

        Assert.That(Enum.GetValues<Point>().Where(point => (reached >> (int)point & 1) == 0), Is.Empty);
        Assert.That(BitOperations.PopCount(reached), Is.EqualTo(Enum.GetValues<Point>().Length));
    }

    // Mistakes that are easily made: a waiter does not look again once it stands in the line; a returner does not look again once its slot
    // is in the store; a waiter that gives up stays in the line, and what it is handed is lost; a failed opening gives its permit back, but
    // tells no one; the top of the stack has no tag; a rental that was given back before is not refused; a returner does not look for a
    // clear that came in between; a waiter that is returned to the cache compares with its own link.
    [TestCase(Point.AnnounceWaiter, "one resource for four callers")]
    [TestCase(Point.ReadPressureAgain, "one resource for four callers")]
    [TestCase(Point.LeaveLine, "one cannot wait for long")]
    [TestCase(Point.LeaveLine, "one is cancelled")]
    [TestCase(Point.ServeAfterFailure, "opening fails")]
    [TestCase(Point.ChangeTag, "the top of the stack comes back")]
    [TestCase(Point.RefuseClaim, "a rental returned twice")]
    [TestCase(Point.ReadGenerationAgain, "clear while one returns")]
    [TestCase(Point.SpareWaiterPushed, "rent and return twice")]
    public void A_step_that_is_left_out_is_found(object omitted, string scenario)
    {
        var exploration = Explorer.Explore(Scenarios.All.Single(one => one.Name == scenario), (Point)omitted);

        TestContext.Out.WriteLine($"found in schedule {exploration.Schedules}: {exploration.Violation}");
        Assert.That(exploration.Violation, Is.Not.Null);
    }
}
