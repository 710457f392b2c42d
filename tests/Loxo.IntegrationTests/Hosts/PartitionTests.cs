using System.Diagnostics;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>A network that is split: a host is there and answers nothing, and no connection to it breaks.</summary>
[Category("Slow")]
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class PartitionTests(WaitMode mode)
{
    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Nothing_is_lost_or_doubled_however_often_a_primary_is_cut_off()
    {
        using var run = LongRun.Begin("promotions", cases: 4);
        foreach (var _ in run.Times(50, "partitions"))
            await Writers_move_from_a_primary_that_is_cut_off_and_nothing_that_was_acknowledged_is_lost_or_doubled();
    }

    [Test]
    public async Task Writers_move_from_a_primary_that_is_cut_off_and_nothing_that_was_acknowledged_is_lost_or_doubled()
    {
        await using var cluster = await SplitCluster.StartAsync();
        await using var source = new PgDataSourceBuilder(cluster.ConnectionString + ";Target Session Attributes=primary").BuildMultiHost();
        await using var writing = new Writing(source, mode);
        await writing.AwaitRows(20);

        await cluster.CutOff(0);
        var cutAt = Stopwatch.GetTimestamp();
        var next = await cluster.Promote();
        await writing.AwaitRows(20);
        TestContext.Out.WriteLine($"{mode}: the first write {writing.FirstAfter(cutAt).TotalMilliseconds:N0} ms after the primary was cut off.");

        // Two primaries cannot be told apart from outside: whoever promotes one has to end the other before its network comes back.
        await cluster.Fence(0);
        cluster.Network.Join(0);
        await source.CheckHostsAsync();
        await writing.AwaitRows(20);
        Assert.That(source.GetHosts().Where(host => host.Role == PgHostRole.ReadWritePrimary && host.Failure is null).Select(host => $"{host.Host}:{host.Port}"),
            Is.EqualTo(new[] { cluster.EndPoint(next) }));
        await writing.StopAsync().WaitAsync(Patience);
        writing.AssertNothingLostOrDoubled(await SplitCluster.Ask<int[]>(cluster.EndPoint(next), Writing.AllRows));
    }

    [Test]
    public async Task Readers_leave_a_standby_that_is_cut_off_and_come_back_to_it_later()
    {
        await using var cluster = await SplitCluster.StartAsync();
        await using var source = new PgDataSourceBuilder(cluster.ConnectionString
            + ";Target Session Attributes=prefer-standby;Load Balance Hosts=true").BuildMultiHost();
        await ReadUntil(source, cluster, host => host == 1);
        await ReadUntil(source, cluster, host => host == 2);

        await cluster.CutOff(1);
        // What was under way fails, once for each connection that the pool has there. Then the other standby serves everything.
        await ReadUntil(source, cluster, host => host != 1, times: 20);
        for (var i = 0; i < 50; i++)
            Assert.That(await Read(source, cluster), Is.EqualTo(2), "the primary serves only if no standby does");

        cluster.Network.Join(1);
        await ReadUntil(source, cluster, host => host == 1);
    }

    [Test]
    public async Task A_search_among_hosts_that_are_all_cut_off_ends_with_its_one_time_limit()
    {
        using var network = Network.Create(hosts: 3);
        for (var host = 0; host < 3; host++)
            network.Cut(host);
        await using var source = new PgDataSourceBuilder(
            $"Host={network.AddressOf(0)},{network.AddressOf(1)},{network.AddressOf(2)};Username=postgres;Database=postgres;Timeout=10;Target Session Attributes=primary").BuildMultiHost();
        await using var connection = source.CreateConnection();
        var opening = Task.Run(() => mode.Open(connection));
        // One limit for each host would be half a minute.
        Assert.That(await Task.WhenAny(opening, Task.Delay(TimeSpan.FromSeconds(25))), Is.SameAs(opening));
        var error = (await Assert.ThrowsAsync<PgException>(() => opening))!;
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NoSuitableHost).Or.EqualTo(PgErrorCode.Timeout));
        for (var host = 0; host < 3; host++)
            Assert.That(error.Message, Does.Contain(network.AddressOf(host)));
    }

    // Reads until so many answers in a row came from such a host. Connections that were open when their host was cut off time out.
    private async Task ReadUntil(PgMultiHostDataSource source, SplitCluster cluster, Func<int, bool> isSo, int times = 1)
    {
        var waited = Stopwatch.StartNew();
        for (var inARow = 0; inARow < times;)
        {
            Assert.That(waited.Elapsed, Is.LessThan(Patience), "no such host answers");
            try
            {
                inARow = isSo(await Read(source, cluster)) ? inARow + 1 : 0;
            }
            catch (PgException e) when (e.IsTransient)
            {
                inARow = 0;
            }
        }
    }

    private async Task<int> Read(PgMultiHostDataSource source, SplitCluster cluster)
    {
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT host(inet_server_addr())", connection);
        var address = (string?)await mode.ExecuteScalar(command);
        return Enumerable.Range(0, 3).Single(host => cluster.Network.AddressOf(host) == address);
    }
}
