using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Tests.Commands;

/// <summary>A lane whose thread has not begun: the test receives. Only calls that do not block share a transaction.</summary>
public sealed class LaneChangesTests
{
    private AnsweringServer _server = null!;
    private PgDataSource _source = null!;
    private LaneSet _set = null!;
    private Lane _lane = null!;

    [SetUp]
    public void Open() => Open(new AnsweringServer());

    private void Open(AnsweringServer server, string more = "")
    {
        _server = server;
        var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0;" + more);
        _source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
        _set = new LaneSet(_source.Context, _source.Pool!, settings.Pool, new PgLaneOptions { GroupChanges = true }, NullLogger.Instance) { Crew = new LoopCrew(looks: false) };
        _lane = new Lane(_set, _source.Pool!.Rent(), reads: false, groupsChanges: true);
    }

    [TearDown]
    public void Close()
    {
        _set.Dispose();
        _source.Dispose();
    }

    [Test]
    public void A_change_that_was_undone_with_its_group_has_not_succeeded_where_it_cannot_be_sent_again()
    {
        var undone = AddGroup();

        _lane.Session.Cancellation.Cancel(_lane.Session.CommandNumber);
        Assert.That(_lane.Session.State, Is.EqualTo(SessionState.Cancelling));
        Receive();

        Assert.That(_server.Committed, Is.EqualTo([1]));
        Assert.That(undone.Exchange.IsOver, Is.True);
        Assert.That(undone.Exchange.Failure, Is.TypeOf<PgException>().With.Message.Contains("undone"));
    }

    [Test]
    public void A_change_that_was_undone_with_its_group_is_sent_again()
    {
        var undone = AddGroup();

        // It is sent behind what is awaited first, or by the work item of the others' flush, which may still run.
        Assert.That(
            () =>
            {
                Receive();
                return undone.Exchange.IsOver;
            },
            Is.True.After(60_000, 1));

        Assert.That(_server.Committed, Is.EqualTo([1, 2]));
        Assert.That((undone.Exchange.IsOver, undone.Exchange.Failure), Is.EqualTo((true, (Exception?)null)));
    }

    [Test]
    public void A_group_is_open_until_the_one_before_it_is_answered()
    {
        AddTwo();
        var last = AddOneByOne();
        Assert.That(_lane.Counts, Has.Property("Groups").EqualTo(1).And.Property("Grouped").EqualTo(2));

        ReceiveFor(last);

        Assert.That(_lane.Counts, Has.Property("Groups").EqualTo(2).And.Property("Grouped").EqualTo(5));
        Receive();
        Assert.That(_server.Committed, Is.EqualTo([1, 2, 3, 4, 5, 6]));
    }

    [Test]
    public void A_group_that_is_open_ends_though_nobody_wants_the_one_before_it_any_more()
    {
        var unwanted = AddTwo();
        var last = AddOneByOne();
        foreach (var operation in unwanted)
            operation.Cancel(operation.Call);

        ReceiveFor(last);

        Receive();
        Assert.That(_server.Committed, Is.EqualTo([1, 2, 3, 4, 5, 6]));
    }

    [Test]
    public void The_server_is_not_asked_to_stop_while_changes_wait_for_their_commit()
    {
        LaneOperation[] changes;
        lock (_lane.Session.Wire.Gate)
        {
            changes = [.. Enumerable.Range(1, 3).Select(i => Add("UPDATE t SET v = $1 RETURNING v", i))];
            EndGroup();
        }
        foreach (var change in changes)
            Assert.That(_lane.Session.Wire.Pump(change.Exchange, Deadline.None, new Turn()), Is.EqualTo(Progress.Done));
        // Its caller goes on, and receives for itself.
        var unwanted = Add("SELECT $1", 4);
        unwanted.TryArrive();

        unwanted.Cancel(unwanted.Call);

        Assert.That(unwanted.Exchange.GivenUpFor, Is.EqualTo(StopReason.Cancel));
        Assert.That(_lane.Session.State, Is.EqualTo(SessionState.Busy));
    }

    // One receive brings both. The lane's thread waits for the reader of the large result, since a change behind it waits for its group.
    [Test]
    public async Task A_caller_whose_answer_is_in_front_of_a_large_result_does_not_wait_for_its_reader()
    {
        Close();
        Open(new AnsweringServer { Many = 40_000, Wait = static hasCome => SpinWait.SpinUntil(hasCome) }, "Read Buffer Size=2097152");
        LaneOperation first, large, change;
        lock (_lane.Session.Wire.Gate)
        {
            first = Add("SELECT $1", 1);
            large = Add("SELECT $1 many", 2, ResultMode.Collect);
            change = Add("UPDATE t SET v = $1 RETURNING v", 3);
            EndGroup();
        }

        _lane.Start();

        await first.WaitAsync(CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromSeconds(30));
        await large.WaitAsync(CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromSeconds(30));
        Assert.That(large.Exchange.IsOver, Is.False);
        large.Cancel(large.Call);
        await change.WaitAsync(CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromSeconds(30));
        Assert.That(_server.Committed, Is.EqualTo([3]));
    }

    [Test]
    public void Lanes_are_opened_later_if_the_system_has_no_thread_left()
    {
        var hasThreads = false;
        var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Session Reset=Never");
        using var source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
        var crew = new LoopCrew(looks: false)
        {
            StartThread = thread =>
            {
                if (!Volatile.Read(ref hasThreads))
                    throw new OutOfMemoryException();
                thread.UnsafeStart();
            },
        };
        using var set = new LaneSet(source.Context, source.Pool!, settings.Pool, new PgLaneOptions(), NullLogger.Instance) { Crew = crew };
        Assert.That(set.Choose(reads: false), Is.Null);

        Volatile.Write(ref hasThreads, true);

        Assert.That(() => set.Choose(reads: false), Is.Not.Null.After(30).Seconds.PollEvery(10).MilliSeconds);
    }

    // The first one is sent at once, by itself; the last one fails. Under the gate the lane's work item ends no group in between.
    private LaneOperation AddGroup()
    {
        lock (_lane.Session.Wire.Gate)
        {
            Add("UPDATE t SET v = $1 RETURNING v", 1);
            var undone = Add("UPDATE t SET v = $1 RETURNING v", 2);
            Add("UPDATE t SET v = $1 WHERE fail RETURNING v", 3);
            _lane.Session.Wire.Flush();
            EndGroup();
            return undone;
        }
    }

    // The first one is alone.
    private LaneOperation[] AddTwo()
    {
        lock (_lane.Session.Wire.Gate)
        {
            Add("UPDATE t SET v = $1 RETURNING v", 1);
            LaneOperation[] two = [Add("UPDATE t SET v = $1 RETURNING v", 2), Add("UPDATE t SET v = $1 RETURNING v", 3)];
            EndGroup();
            return two;
        }
    }

    private LaneOperation AddOneByOne()
    {
        LaneOperation last = null!;
        for (var i = 4; i <= 6; i++)
        {
            last = Add("UPDATE t SET v = $1 RETURNING v", i);
            EndGroup();
        }
        return last;
    }

    private void ReceiveFor(LaneOperation operation) => Assert.That(
        _lane.Session.Wire.Pump(operation.Exchange, Deadline.EachWait(60_000), new Turn()), Is.EqualTo(Progress.Done));

    private void EndGroup() => ((IThreadPoolWorkItem)_lane).Execute();

    // Until nothing more comes.
    private void Receive()
    {
        var exchange = new SyncExchange(_lane.Session);
        _lane.Session.Wire.Pump(exchange, Deadline.None, new Turn());
    }

    private LaneOperation Add(string sql, int value, ResultMode mode = ResultMode.Skip)
    {
        using var command = _source.CreateCommand(sql);
        command.Parameters.Add(new PgParameter<int> { TypedValue = value });
        var operation = _lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(_lane.Session)), Is.True);
        operation.Statements[0].Source.FastRuns = 3;
        Assert.That(_lane.TryAdd(operation, mode, blocks: false, Timeout.Infinite), Is.True);
        return operation;
    }
}
