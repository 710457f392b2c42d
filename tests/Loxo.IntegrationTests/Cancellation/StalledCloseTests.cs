using System.Data;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A reader is closed before its end, and the server does not answer any more.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class StalledCloseTests(WaitMode mode) : ChaosTest(mode)
{
    private const string Sql = "SELECT i, repeat('x', 4096) FROM generate_series(1, 100000) i";

    /// <summary>Who wants the command to stop.</summary>
    public enum Stop
    {
        ByClosing,
        ByCancel,
        ByCancelInTransaction,
        ByToken,
        ByTokenInTransaction,
        ByTokenWhileClosing,
    }

    [Test]
    public async Task Closing_a_reader_whose_command_the_server_does_not_stop_throws_nothing([Values] Stop stop, [Values] bool disposes)
    {
        if (Mode == WaitMode.Blocking && stop >= Stop.ByToken)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, link) = await Open("Cancellation Timeout=200;Command Timeout=0");
        if (stop is Stop.ByCancelInTransaction or Stop.ByTokenInTransaction or Stop.ByTokenWhileClosing)
            await Scalar(connection, "BEGIN");
        Proxy.Plan = static cancel => cancel.ToServer.GateAfterBytes(0);
        var gate = link.ToClient.GateAfterMessage('D', 2);
        using var cancellation = new CancellationTokenSource();
        await using var command = new PgCommand(Sql, connection);
        var reader = await Start(() => Mode.ExecuteReader(command, token: cancellation.Token));
        Assert.That(await Start(() => Mode.Read(reader)), Is.True);
        await Finish(gate.Reached);

        if (stop is Stop.ByCancel or Stop.ByCancelInTransaction)
            command.Cancel();
        else if (stop is Stop.ByToken or Stop.ByTokenInTransaction)
            await cancellation.CancelAsync();
        var closing = Start(() => disposes ? Mode.Dispose(reader) : Mode.Close(reader));
        if (stop == Stop.ByTokenWhileClosing)
            await cancellation.CancelAsync();
        await closing;

        Assert.That(reader.IsClosed, Is.True);
        await AssertClosedButReusable(connection);
    }
}
