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

    [Test]
    public async Task A_lane_that_is_being_opened_while_the_pool_is_cleared_is_not_used()
    {
        await using var source = PgDataSource.Create(
            Proxy.ConnectionString(Direct) + ";SSL Mode=Disable;Multiplexing=true;Session Reset=Auto");
        var lanes = source.Lanes!;
        await AwaitLane(source);
        DateTime cleared;
        await using (var transaction = await Transaction(source))
        {
            var opening = new TaskCompletionSource<Gate>();
            Proxy.Plan = link =>
            {
                Proxy.Plan = null;
                opening.SetResult(link.ToClient.GateAfterMessage('Z'));
            };
            source.Clear();
            lanes.Choose(reads: true);
            var gate = await Finish(opening.Task);
            await Finish(gate.Reached);
            cleared = (DateTime)(await Scalar(transaction, "SELECT clock_timestamp()"))!;
            source.Clear();
            gate.Open();
        }

        await AwaitLane(source);

        var processes = source.GetLaneStatistics()!.Lanes.Select(static lane => lane.ProcessId).ToArray();
        await using var direct = new PgConnection(Direct + ";Pooling=false");
        await Start(() => Mode.Open(direct));
        await using var older = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ($1) AND backend_start < $2", direct)
        {
            Parameters = { new PgParameter { Value = processes }, new PgParameter { Value = cleared } },
        };
        Assert.That(await Start(() => Mode.ExecuteScalar(older)), Is.EqualTo(0L));
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
