using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Tests.Commands;

/// <summary>A lane whose thread has not begun, so that nothing is answered.</summary>
[TestFixture(true), TestFixture(false)]
public sealed class LaneTests(bool blocks)
{
    private const int Mebibyte = 1024 * 1024;

    private AnsweringServer _server = null!;
    private PgDataSource _source = null!;
    private LaneSet _set = null!;
    private Lane _lane = null!;

    [SetUp]
    public void Open()
    {
        _server = new AnsweringServer();
        var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0;Keepalive=10;Command Timeout=20");
        _source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
        _set = new LaneSet(_source.Context, _source.Pool!, settings.Pool, new PgLaneOptions(), NullLogger.Instance) { Crew = new LoopCrew(looks: false) };
        _lane = new Lane(_set, _source.Pool!.Rent(), reads: false, groupsChanges: false);
    }

    [TearDown]
    public void Close()
    {
        _set.Dispose();
        _source.Dispose();
    }

    [Test]
    public void It_takes_1024_commands_and_no_more()
    {
        for (var i = 0; i < 1024; i++)
            Assert.That(TryAdd("x"), Is.True, $"command {i}");
        Assert.That(_lane.IsFull, Is.True);
        Assert.That(TryAdd("x"), Is.False);
        Assert.That(_lane.Depth, Is.EqualTo(1024));
    }

    [Test]
    public void It_takes_no_more_while_a_mebibyte_waits_to_be_sent()
    {
        _server.IsStuck = true;
        var large = new string('x', 100_000);
        var added = 0;
        while (added < 100 && TryAdd(large))
            added++;
        Assert.That(added, Is.EqualTo(11));
        Assert.That(_lane.Session.Output.PendingLength, Is.InRange(Mebibyte, Mebibyte + 110_000));
        Assert.That(TryAdd("x"), Is.False);

        _server.IsStuck = false;
        _lane.Session.Wire.Flush();
        Assert.That(_lane.IsFull, Is.False);
        Assert.That(TryAdd("x"), Is.True);
    }

    [Test]
    public void It_retires_with_the_first_command_that_it_cannot_take_because_it_is_being_cancelled()
    {
        Assert.That(TryAdd("x"), Is.True);
        _lane.Session.Cancellation.Cancel(_lane.Session.CommandNumber);
        Assert.That((_lane.Session.State, _lane.IsRetired), Is.EqualTo((SessionState.Cancelling, false)));
        Assert.That((TryAdd("x"), _lane.IsRetired), Is.EqualTo((false, true)));
    }

    [Test]
    public void It_takes_a_single_value_of_any_size()
    {
        _server.IsStuck = true;
        Assert.That(TryAdd(new string('x', 3 * Mebibyte)), Is.True);
        Assert.That(TryAdd("x"), Is.False);
    }

    [Test]
    public void A_text_is_fast_after_three_fast_runs_and_until_one_that_was_not()
    {
        using var command = _source.CreateCommand("SELECT 1");
        var operation = _lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(_lane.Session)), Is.True);
        for (var i = 0; i < 2; i++)
        {
            for (var run = 0; run < 3; run++)
            {
                Assert.That(LaneSet.IsFast(operation), Is.False);
                LaneSet.Ran(operation, milliseconds: 8, now: 0);
            }
            Assert.That(LaneSet.IsFast(operation), Is.True);
            LaneSet.Ran(operation, milliseconds: 9, now: 0);
        }
    }

    [Test]
    public void Only_the_command_that_the_server_has_run_takes_a_session_of_its_own_after_its_time_is_over()
    {
        var slow = Add("SELECT $1 /* slow */");
        var behind = Add("SELECT $1 /* behind */");
        // For as long as makes a command slow.
        SpinWait.SpinUntil(() => _lane.HeadAge > LaneList.SlowMilliseconds);

        _lane.GiveUp(behind, StopReason.Timeout);
        _lane.GiveUp(slow, StopReason.Timeout);

        Assert.That(behind.Statements[0].Source.AvoidLanesUntil, Is.Zero);
        Assert.That(slow.Statements[0].Source.AvoidLanesUntil, Is.Positive);
    }

    [Test]
    public async Task A_caller_that_receives_for_itself_has_what_is_left_of_its_time()
    {
        _server.IsSilent = true;
        var operation = Add("SELECT $1", timeout: 1);
        SpinWait.SpinUntil(() => operation.TimeLeft == 0);
        operation.TryArrive();

        // The time of the simulated clock stands still, so another minute would never be over.
        var error = await Assert.ThrowsAsync<PgException>(() => blocks
            ? Task.Run(() => operation.Exchange.Pump(60_000))
            : operation.Exchange.PumpAsync(60_000, CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromMinutes(1)));

        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.Timeout));
        if (blocks)
            Assert.That(_server.LastWait, Is.Zero);
    }

    [Test]
    public void An_idle_lane_asks_for_a_sign_of_life_and_ends_without_one()
    {
        var now = Environment.TickCount64;
        _lane.Tick(now + 9_000);
        Assert.That(_lane.Session.Wire.Flights.Count, Is.Zero);
        _lane.Tick(now + 11_000);
        Assert.That(_lane.Session.Wire.Flights.Count, Is.EqualTo(1));
        Receive();
        Assert.That(_lane.Session.Wire.Flights.Count, Is.Zero);

        _lane.Tick(now + 22_000);
        _lane.Tick(now + 33_000);
        Assert.That((_lane.Session.Wire.Flights.Count, _lane.Session.State), Is.EqualTo((1, SessionState.Busy)));
        _lane.Tick(now + 43_000);
        Assert.That(_lane.Session.State, Is.EqualTo(SessionState.Broken));
        Assert.That(_lane.Session.BreakCause!.Message, Does.Contain("sign of life"));
    }

    [Test]
    public void An_idle_lane_keeps_few_operations_and_the_memory_of_few_rows()
    {
        LaneOperation[] used = [.. Enumerable.Range(0, 100).Select(_ => _lane.Free.Rent())];
        foreach (var operation in used)
            operation.Recycle();

        // Between two commands it keeps all of them.
        _lane.Tick(Environment.TickCount64);
        LaneOperation[] still = [.. Enumerable.Range(0, 100).Select(_ => _lane.Free.Rent())];
        Assert.That(still, Is.EquivalentTo(used));
        foreach (var operation in used)
            operation.Recycle();

        _lane.Tick(Environment.TickCount64 + 1000);
        var kept = Enumerable.Range(0, 100).Count(_ => used.Contains(_lane.Free.Rent()));
        Assert.That(kept, Is.EqualTo(64));
    }

    private void Receive() => _lane.Session.Wire.Pump(new SyncExchange(_lane.Session), Deadline.None, new Turn());

    [Test]
    public void A_session_of_a_pooler_is_left_as_it_was()
    {
        if (blocks)
            Assert.Ignore("Lanes are opened by a blocking call.");
        var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Multiplexing=true;Session Reset=Never");
        using var source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
        // This server does not tell its process, and what it tells of itself is not what it told at the login.
        while (source.Lanes!.Count == 0)
        {
            source.Lanes.Choose(reads: true);
            Thread.Yield();
        }

        var statements = _server.Sessions.SelectMany(static session => session).ToList();
        Assert.That(statements, Has.Some.Contains("default_transaction_isolation"));
        Assert.That(statements, Has.None.Contains("default_transaction_read_only"));
    }

    private LaneOperation Add(string sql, int timeout = Timeout.Infinite)
    {
        using var command = _source.CreateCommand(sql);
        command.Parameters.Add(new PgParameter<string> { TypedValue = "x" });
        var operation = _lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(_lane.Session)), Is.True);
        Assert.That(_lane.TryAdd(operation, ResultMode.Collect, blocks, timeout), Is.True);
        return operation;
    }

    private bool TryAdd(string value)
    {
        using var command = _source.CreateCommand("SELECT $1");
        command.Parameters.Add(new PgParameter<string> { TypedValue = value });
        var operation = _lane.Free.Rent();
        Assert.That(operation.TryEncode(command, ((IExecutable)command).Plan(_lane.Session)), Is.True);
        return _lane.TryAdd(operation, ResultMode.Collect, blocks, Timeout.Infinite);
    }
}
