using Loxo.Commands;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Tests.Commands;

/// <summary>Which lane takes a command, and when another lane is opened. The lanes' threads never start, so nothing is answered.</summary>
[TestFixture(true), TestFixture(false)]
public sealed class LaneChoiceTests(bool blocks)
{
    private const int Saturated = 64;
    private const int StuckMilliseconds = 1000;

    private readonly List<LaneSet> _sets = [];
    private PgDataSource _source = null!;

    [SetUp]
    public void Open() => _source = new PgDataSource(
        Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=100;Max Auto Prepare=0;Session Reset=Never"),
        loggers: null, new AnsweringServer(), new SimulatedTime());

    [TearDown]
    public void Close()
    {
        foreach (var set in _sets)
            set.Dispose();
        _sets.Clear();
        _source.Dispose();
    }

    [Test]
    public void Another_lane_is_opened_beside_one_with_64_commands_although_it_is_not_held_up()
    {
        var (set, lane) = OpenSaturated(Saturated);

        SpinWait.SpinUntil(() => set.Count == 2, TimeSpan.FromMinutes(1));
        Assert.That(set.Count, Is.EqualTo(2));

        var another = set.All.Single(other => other != lane);
        Assert.That(set.Choose(reads: false), Is.SameAs(another));
    }

    [Test]
    public void No_lane_is_opened_beside_one_with_63_commands()
    {
        var (set, _) = OpenSaturated(Saturated - 1);

        Assert.That(SpinWait.SpinUntil(() => set.Count > 1, TimeSpan.FromMilliseconds(200)), Is.False);
    }

    [Test]
    public void A_lane_whose_first_command_has_run_for_a_second_takes_no_more_until_it_ends()
    {
        var set = OpenSet(lanes: 2);
        LaneOperation[] first = [.. set.All.Select(Add)];
        var lanes = set.All.ToList();

        SpinWait.SpinUntil(() => lanes.All(static lane => lane.HeadAge >= StuckMilliseconds));
        Assert.That(set.Choose(reads: false), Is.Null);

        first[1].Ended();
        Assert.That(set.Choose(reads: false), Is.SameAs(lanes[1]));
    }

    // A set with one lane that was chosen while it had so many commands, and was not held up.
    private (LaneSet Set, Lane Lane) OpenSaturated(int depth)
    {
        while (true)
        {
            var set = OpenSet(lanes: 1);
            var lane = set.All.Single();
            for (var i = 0; i < depth; i++)
                Add(lane);
            var chosen = set.Choose(reads: false);
            // Where this thread has waited long for a processor, the lane counts as held up.
            if (lane.IsHeldUp)
                continue;
            Assert.That(chosen, Is.SameAs(lane));
            Assert.That(lane.Depth, Is.EqualTo(depth));
            return (set, lane);
        }
    }

    // All lanes are for any command, and there may be one more than are open.
    private LaneSet OpenSet(int lanes)
    {
        var options = new PgLaneOptions { Minimum = lanes, Maximum = 2, GroupQueries = false };
        var set = new LaneSet(_source.Context, _source.Pool!, _source.Settings.Pool, options, NullLogger.Instance)
        {
            Processors = 2,
            Crew = new LoopCrew(looks: false) { StartThread = StartUnlessLane },
        };
        _sets.Add(set);
        while (set.Count < lanes)
        {
            set.Choose(reads: false);
            Thread.Yield();
        }
        return set;
    }

    // The thread that opens a lane starts.
    private static void StartUnlessLane(Thread thread)
    {
        if (thread.Name != "Loxo loop")
            thread.UnsafeStart();
    }

    private LaneOperation Add(Lane lane)
    {
        using var command = _source.CreateCommand("SELECT $1");
        command.Parameters.Add(new PgParameter<string> { TypedValue = "x" });
        var operation = lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(lane.Session)), Is.True);
        Assert.That(lane.TryAdd(operation, ResultMode.Collect, blocks, Timeout.Infinite), Is.True);
        return operation;
    }
}
