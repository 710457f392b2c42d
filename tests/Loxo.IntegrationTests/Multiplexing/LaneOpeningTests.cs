using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>A lane is opened beside the commands, and what becomes of it is nobody's call.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneOpeningTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task A_server_that_falls_silent_behind_the_login_does_not_keep_other_lanes_from_being_opened()
    {
        await using var source = PgDataSource.Create(
            Proxy.ConnectionString(Direct) + ";SSL Mode=Disable;Multiplexing=true;Session Reset=Auto;Timeout=5");
        var lanes = source.Lanes!;
        await AwaitLane(source);
        await using (var transaction = await Transaction(source))
        {
            var silent = new TaskCompletionSource<Gate>();
            Proxy.Plan = link =>
            {
                Proxy.Plan = null;
                silent.SetResult(link.ToClient.GateAfterMessage('Z'));
            };
            source.Clear();
            lanes.Choose(reads: true);
            await Finish((await Finish(silent.Task)).Reached);
        }

        await AwaitLane(source);

        await using var command = source.CreateCommand("SELECT 42");
        Assert.That(await Start(() => Mode.ExecuteScalar(command)), Is.EqualTo(42));
    }

    // Its session is not there for the lane.
    private async Task<PgConnection> Transaction(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Start(() => Mode.Open(connection));
        await Start(() => Mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync()));
        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
        return connection;
    }

    // Before the pool has looked through the database there is none.
    private Task AwaitLane(PgDataSource source) => Finish(Task.Run(async () =>
    {
        while (source.Lanes!.Count == 0)
        {
            await using var command = source.CreateCommand("SELECT 1");
            await Mode.ExecuteScalar(command);
            await Task.Delay(10);
        }
    }));
}
