namespace Loxo.IntegrationTests.Hosts;

/// <summary>Patroni itself: the members are listed, and the leader is found by its role.</summary>
[Category("Long"), Category("OneServer")]
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class PatroniTests(WaitMode mode)
{
    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    [Test]
    public async Task Writers_follow_the_leader_through_a_switchover_and_its_loss_and_nothing_that_was_acknowledged_is_lost_or_doubled()
    {
        await using var cluster = await PatroniCluster.StartAsync();
        await Cluster.Run(cluster.LeaderPort, Writing.Table);
        await using var source = new PgDataSourceBuilder(cluster.ConnectionString + ";Target Session Attributes=read-write").BuildMultiHost();
        await using var writing = new Writing(source, mode);
        await writing.AwaitRows(20);

        var first = cluster.LeaderPort;
        await cluster.Switchover();
        await writing.AwaitRows(20);
        var second = cluster.LeaderPort;
        Assert.That(second, Is.Not.EqualTo(first));

        await cluster.KillLeader();
        await writing.AwaitRows(20);
        Assert.That(cluster.LeaderPort, Is.Not.EqualTo(second));
        await writing.StopAsync().WaitAsync(Patience);
        writing.AssertNothingLostOrDoubled(await Cluster.Ask<int[]>(cluster.LeaderPort, Writing.AllRows));
    }
}
