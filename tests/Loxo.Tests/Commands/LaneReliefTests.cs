using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Tests.Commands;

/// <summary>A lane for queries whose first command takes long: its thread has not begun, so that nothing is answered.</summary>
public sealed class LaneReliefTests
{
    private AnsweringServer _server = null!;
    private PgDataSource _source = null!;
    private LaneSet _set = null!;
    private Lane _lane = null!;

    [SetUp]
    public void Open()
    {
        var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0");
        _server = new AnsweringServer();
        _source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
        _set = new LaneSet(_source.Context, _source.Pool!, settings.Pool, new PgLaneOptions(), NullLogger.Instance) { Crew = new LoopCrew(looks: false) };
        _lane = new Lane(_set, _source.Pool!.Rent(), reads: true, groupsChanges: false);
        _server.IsSilent = true;
    }

    [TearDown]
    public void Close()
    {
        _set.Dispose();
        _source.Dispose();
    }

    [Test]
    public void Behind_a_command_that_takes_long_all_go_elsewhere_and_it_stays([Values] bool blocks)
    {
        var slow = Add("SELECT $1 /* slow */", isFast: false, blocks);
        LaneOperation[] behind = [.. Enumerable.Range(0, 3).Select(_ => Add("SELECT $1 /* behind */", isFast: false, blocks))];

        BeHeldUp();

        Assert.That(slow.IsMoved, Is.False);
        Assert.That(behind.Select(static operation => operation.GoesElsewhere), Is.All.True);
        Assert.That(_lane.Counts.Moved, Is.EqualTo(3));
    }

    [Test]
    public void In_a_group_all_go_elsewhere()
    {
        var group = AddGroup(3);

        BeHeldUp();

        Assert.That(group.Select(static operation => operation.IsMoved), Is.All.True);
        Assert.That(_lane.Counts.Moved, Is.EqualTo(3));
    }

    [Test]
    public void A_group_of_one_is_the_command_that_takes_long()
    {
        var group = AddGroup(1);
        var behind = Add("SELECT $1 /* behind */", isFast: false);

        BeHeldUp();

        Assert.That((group[0].IsMoved, behind.IsMoved), Is.EqualTo((false, true)));
    }

    [Test]
    public void Its_time_begins_once()
    {
        Add("SELECT $1 /* slow */", isFast: false);
        var first = Add("SELECT $1", isFast: false, timeout: 5000);
        BeHeldUp();
        Assert.That(first.IsMoved, Is.True);

        var second = Add("SELECT $1", isFast: false, timeout: 5000, firstAddedAt: first.FirstAddedAt);
        Assert.That((second.HasMoved, second.ExpiresAt), Is.EqualTo((true, first.ExpiresAt)));
    }

    [TestCase(false, 20), TestCase(true, 10)]
    public void It_sees_in_the_end_whether_the_wait_would_have_been_long(bool isLong, int patience)
    {
        var slow = Add("SELECT $1 /* slow */", isFast: false);
        Add("SELECT $1 /* behind */", isFast: false);
        BeHeldUp();
        if (isLong)
            SpinWait.SpinUntil(() => _lane.HeadAge > 1000);
        slow.Ended();
        Assert.That(_set.Relief.Patience, Is.EqualTo(patience));
    }

    [Test]
    public void It_is_patient_after_waits_that_were_over_soon()
    {
        Assert.That(_set.Relief.Patience, Is.EqualTo(10));
        foreach (var expected in new[] { 20, 40, 40 })
        {
            _set.Relief.Ended(wasSlow: false);
            Assert.That(_set.Relief.Patience, Is.EqualTo(expected));
        }
        foreach (var expected in new[] { 30, 22, 16, 12, 10, 10 })
        {
            _set.Relief.Ended(wasSlow: true);
            Assert.That(_set.Relief.Patience, Is.EqualTo(expected));
        }
    }

    [Test]
    public void What_was_moved_shares_no_transaction()
    {
        var moved = Add("SELECT $1", isFast: true, firstAddedAt: 1);
        Assert.That(LaneSet.IsFast(moved), Is.False);
    }

    [Test]
    public void A_call_that_is_cancelled_while_it_moves_does_not_run_again()
    {
        Add("SELECT $1 /* slow */", isFast: false);
        using var command = _source.CreateCommand("SELECT $1");
        var operation = Add(command, isFast: false);
        ((IExecutable)command).Execution.Start(operation);
        BeHeldUp();
        Assert.That(operation.IsMoved, Is.True);

        command.Cancel();

        Assert.That(() => LaneRunner.MustRunElsewhere(operation, command, out _), Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void The_time_of_a_group_is_that_of_each_of_its_commands()
    {
        var group = AddGroup(3);
        SpinWait.SpinUntil(() => _lane.HeadAge > LaneList.SlowMilliseconds);
        foreach (var operation in group)
            operation.Ended();

        Assert.That(group.Select(static operation => operation.Statements[0].Source.FastRuns), Is.All.Zero);
        // Only one of them was slow.
        Assert.That(group.Select(static operation => operation.Statements[0].Source.SlowRuns), Is.All.Zero);
    }

    // For as long as is unusual before anything is known of the server.
    private void BeHeldUp()
    {
        SpinWait.SpinUntil(() => _lane.IsHeldUp);
        _lane.MoveWaiting();
    }

    // The first one is sent at once, by itself, and is answered.
    private LaneOperation[] AddGroup(int count)
    {
        lock (_lane.Session.Wire.Gate)
        {
            _server.IsSilent = false;
            var before = Add("SELECT $1 /* before */", isFast: true);
            LaneOperation[] group = [.. Enumerable.Range(0, count).Select(i => Add($"SELECT $1 /* {i} */", isFast: true))];
            Assert.That(_lane.Session.Wire.Pump(before.Exchange, Deadline.None, new Turn()), Is.EqualTo(Progress.Done));
            _server.IsSilent = true;
            ((IThreadPoolWorkItem)_lane).Execute();
            Assert.That(group.Select(static operation => operation.Group), Is.All.EqualTo(group[0].Group).And.All.Positive);
            return group;
        }
    }

    private LaneOperation Add(
        string sql, bool isFast, bool blocks = false, int timeout = Timeout.Infinite, long firstAddedAt = 0)
    {
        using var command = _source.CreateCommand(sql);
        return Add(command, isFast, blocks, timeout, firstAddedAt);
    }

    private LaneOperation Add(
        PgCommand command, bool isFast, bool blocks = false, int timeout = Timeout.Infinite, long firstAddedAt = 0)
    {
        command.Parameters.Add(new PgParameter<string> { TypedValue = "x" });
        var operation = _lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(_lane.Session)), Is.True);
        operation.Statements[0].Source.FastRuns = (byte)(isFast ? 3 : 0);
        Assert.That(_lane.TryAdd(operation, ResultMode.Skip, blocks, timeout, firstAddedAt), Is.True);
        return operation;
    }
}
