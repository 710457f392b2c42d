using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A cancel request that is late must never hit the command after the one it was meant for.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LateCancelTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task The_next_command_waits_until_a_late_cancel_has_passed()
    {
        var (connection, link) = await Open("Cancellation Timeout=0");
        var (cancel, command, first) = await EndWithCancelOnItsWay(connection, link);
        Assert.That(await first, Is.EqualTo(1));

        var next = Scalar(connection, "SELECT pg_sleep(0.05), 2");
        Assert.That(next.IsCompleted, Is.False);
        cancel.Open();

        Assert.That(await next, Is.Null); // the void of pg_sleep
        await AssertUsable(connection);
        command.Dispose();
    }

    [Test]
    public async Task A_cancel_that_never_arrives_closes_the_connection_and_says_so()
    {
        var (connection, link) = await Open("Cancellation Timeout=200");
        var (_, command, first) = await EndWithCancelOnItsWay(connection, link);
        Assert.That(await first, Is.EqualTo(1));

        var error = await Error<PgException>(Scalar(connection, "SELECT 2"));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), error.ToString());
        await AssertClosedButReusable(connection);
        command.Dispose();
    }

    [Test]
    public async Task A_cancel_that_was_given_up_may_still_arrive_so_no_other_command_runs()
    {
        var (connection, link) = await Open("Cancellation Timeout=200");
        Proxy.Plan = cancel => cancel.ToServer.GateAfterBytes(0);
        var beforeReady = link.ToClient.GateAfterMessage('C');
        using var command = new PgCommand("SELECT 1", connection) { CommandTimeout = 1 };

        var first = Start(() => Mode.ExecuteScalar(command));
        await Finish(Proxy.Link(1));
        beforeReady.Open();
        Assert.That(await first, Is.EqualTo(1));

        var error = await Error<PgException>(Scalar(connection, "SELECT 2"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), error.ToString());
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_cancel_that_never_arrives_is_none_of_the_next_renters_business([Values] bool isGivenUp)
    {
        var (connection, link) = await Open("Pooling=true;Maximum Pool Size=1;Cancellation Timeout=200");
        var session = connection.Session!;
        var (_, command, first) = await EndWithCancelOnItsWay(connection, link);
        Assert.That(await first, Is.EqualTo(1));
        while (isGivenUp && session.Cancellation.IsDelivered is null)
            await Task.Delay(1);
        await Mode.Close(connection);

        await Start(() => Mode.Open(connection));

        Assert.That(await Scalar(connection, "SELECT 2"), Is.EqualTo(2));
        Assert.That(connection.Session, Is.Not.SameAs(session));
        PgConnection.ClearPool(connection);
        command.Dispose();
    }

    [Test]
    public async Task Commands_after_a_late_cancel_are_never_hit() => await Race(200, seed: 0);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Commands_after_a_late_cancel_are_never_hit_in_a_long_run()
    {
        using var run = LongRun.Begin("late cancels", cases: 2);
        foreach (var seed in run.Seeds(100, "times 1,000 cancels"))
            await Race(1000, seed);
    }

    // The cancel is sent at any moment around the end of its command; the next command runs long enough to be hit by a late signal.
    private async Task Race(int rounds, int seed)
    {
        await using var connection = new PgConnection(Direct + ";Cancellation Timeout=300000;Command Timeout=0");
        await Start(() => Mode.Open(connection));
        using var victim = new PgCommand("SELECT pg_sleep(0.0005)", connection);
        using var next = new PgCommand("SELECT pg_sleep(0.001)", connection);
        var random = new Random(seed);
        for (var round = 0; round < rounds; round++)
        {
            var running = Start(() => Mode.ExecuteNonQuery(victim));
            Thread.SpinWait(random.Next(20_000));
            victim.Cancel();
            try
            {
                await running;
            }
            catch (OperationCanceledException)
            {
                // Either way is right for the victim.
            }
            await Start(() => Mode.ExecuteNonQuery(next));
        }
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_cancel_of_a_command_that_is_over_does_nothing()
    {
        var (connection, _) = await Open();
        using var command = new PgCommand("SELECT 1", connection);
        await Start(() => Mode.ExecuteScalar(command));

        command.Cancel();

        await AssertUsable(connection);
        Assert.That(Proxy.Count, Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancelled_token_sends_nothing()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, link) = await Open();
        var passed = link.ToServer.Passed;
        using var command = new PgCommand("SELECT 1", connection);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();

        await Error<OperationCanceledException>(command.ExecuteNonQueryAsync(cancelled.Token));
        await Error<OperationCanceledException>(command.ExecuteScalarAsync(cancelled.Token));
        await Error<OperationCanceledException>(command.ExecuteReaderAsync(cancelled.Token));

        Assert.That(link.ToServer.Passed, Is.EqualTo(passed));
        await AssertUsable(connection);
        Assert.That(Proxy.Count, Is.EqualTo(1));
    }

    // A command whose ReadyForQuery is held until it has been cancelled, and whose cancel request is held by the gate.
    private async Task<(Gate Cancel, PgCommand Command, Task<object?> First)> EndWithCancelOnItsWay(PgConnection connection, ChaosLink link)
    {
        var held = new TaskCompletionSource<Gate>();
        Proxy.Plan = cancel => held.SetResult(cancel.ToServer.GateAfterBytes(0));
        var beforeReady = link.ToClient.GateAfterMessage('C');
        var command = new PgCommand("SELECT 1", connection) { CommandTimeout = 0 };
        var first = Start(() => Mode.ExecuteScalar(command));
        await Finish(beforeReady.Reached);
        command.Cancel();
        var gate = await Finish(held.Task);
        Proxy.Plan = null;
        beforeReady.Open();
        return (gate, command, first);
    }
}
