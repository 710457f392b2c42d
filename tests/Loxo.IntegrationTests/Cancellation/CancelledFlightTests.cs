using System.Data;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A reset, BEGIN and a command travel together; a cancel request meets them, or their answers, at any byte.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class CancelledFlightTests(WaitMode mode) : ChaosTest(mode)
{
    private const string Settings = "Pooling=true;Maximum Pool Size=1;Max Auto Prepare=0;Session Reset=Always;Cancellation Timeout=300000;Command Timeout=0";

    // Coprime with the lengths of most messages, so that all parts of a message are met.
    private const int Step = 3;

    private int _process;
    private ChaosLink _link = null!;

    [Test]
    public async Task A_cancel_at_any_byte_takes_nothing_from_the_commands_behind_it([Values] bool inAnswer)
    {
        var (position, cancelled) = (0, 0);
        // Until one reset has succeeded the next renter waits for its answer.
        for (var i = 0; i < 2; i++)
        {
            var first = await Rent();
            await Start(() => Mode.Close(first));
        }
        for (var isMet = true; isMet; position += Step)
        {
            var before = await Rent();
            await Scalar(before, "SET work_mem = '77kB'");
            var flow = inAnswer ? _link.ToClient : _link.ToServer;
            var gate = flow.GateAfterBytes(position);
            await Start(() => Mode.Close(before));

            var connection = await Rent();
            await using var transaction = connection.BeginTransaction();
            await using var command = new PgCommand("SELECT 7 FROM (SELECT pg_sleep(0.002)) slow", connection);
            using var cancelling = new CancellationTokenSource();
            var running = Start(() => Mode == WaitMode.Async ? command.ExecuteScalarAsync(cancelling.Token) : Task.FromResult(command.ExecuteScalar()));
            await Task.WhenAny(gate.Reached, running);
            isMet = gate.Reached.IsCompleted && !running.IsCompleted;
            if (isMet)
                await Cancel(command, cancelling, running);
            gate.Open();

            cancelled += await EndsWell(running) ? 0 : 1;
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Open), $"at byte {position}");
            await Start(() => Mode.Rollback(transaction));
            Assert.That(await Scalar(connection, $"SELECT {position}"), Is.EqualTo(position));
            await Start(() => Mode.Close(connection));
            var next = await Rent();
            Assert.That(await Scalar(next, $"SELECT current_setting('work_mem') || ' ' || {position}"), Is.EqualTo($"4MB {position}"));
            await Start(() => Mode.Close(next));
        }

        TestContext.Out.WriteLine($"{position} bytes, {cancelled} cancelled");
        Assert.That(position, Is.GreaterThan(100));
        // An answer that is on its way to a blocking call can no longer be stopped.
        if (!inAnswer || Mode == WaitMode.Async)
            Assert.That(cancelled, Is.GreaterThan(0));
    }

    private static async Task<bool> EndsWell(Task<object?> running)
    {
        try
        {
            Assert.That(await running, Is.EqualTo(7));
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    // The server has taken the request when the request's connection ends. While the reset is unanswered the request waits, so that it does
    // not meet the reset; and there is none if the command has just ended.
    private async Task Cancel(PgCommand command, CancellationTokenSource cancelling, Task running)
    {
        var number = Proxy.Count;
        if (Mode == WaitMode.Async)
            await cancelling.CancelAsync();
        else
            await Task.Run(command.Cancel);
        var request = Proxy.Link(number);
        await Task.WhenAny(request, running, Task.Delay(20));
        if (request.IsCompleted)
            await Finish((await request).Ended);
    }

    private async Task<PgConnection> Rent()
    {
        var number = Proxy.Count;
        var connection = Create(Settings);
        await Start(() => Mode.Open(connection));
        connection.Session!.Context.Database.HidesNothing = static _ => true;
        if (connection.ProcessID != _process)
            (_process, _link) = (connection.ProcessID, await Proxy.Link(number));
        return connection;
    }
}
