using System.Diagnostics;
using Loxo.Embedded;
using Loxo.IntegrationTests.Replication;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>
/// The primary is lost and a standby takes over while others write. With synchronous replication no row is lost that was acknowledged, and
/// none is there twice.
/// </summary>
[Category("Slow")]
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class PromotionTests(WaitMode mode)
{
    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    // Each time the servers are made anew, and lost twice.
    [Test, Category("Long"), Category("OneServer")]
    public async Task Nothing_is_lost_or_doubled_however_often_a_primary_is_lost()
    {
        using var run = LongRun.Begin("promotions", cases: 4);
        foreach (var _ in run.Times(100, "pairs of promotions"))
            await Writers_go_on_at_the_new_primary_and_nothing_that_was_acknowledged_is_lost_or_doubled();
    }

    [Test]
    public async Task Writers_go_on_at_the_new_primary_and_nothing_that_was_acknowledged_is_lost_or_doubled()
    {
        await using var servers = await Servers.StartAsync();
        await using var source = new PgDataSourceBuilder(servers.ConnectionString + ";Target Session Attributes=read-write").BuildMultiHost();
        await using var writing = new Writing(source, mode);
        using var limit = new CancellationTokenSource(Patience);
        await using var heard = source.ListenAsync("moved", limit.Token).GetAsyncEnumerator(limit.Token);
        var notified = heard.MoveNextAsync().AsTask();

        for (var promotion = 1; promotion <= 2; promotion++)
        {
            await writing.AwaitRows(20);
            var next = await servers.LosePrimaryAsync(Kill(promotion));
            await writing.AwaitRows(20);
            TestContext.Out.WriteLine($"{mode}, promotion {promotion}: the first write {writing.FirstAfter(servers.LostAt).TotalMilliseconds:N0} ms after the loss of the primary, "
                + $"{writing.FirstAfter(servers.PromotedAt).TotalMilliseconds:N0} ms after the end of the promotion.");
            Assert.That(source.GetHosts().Single(host => host.Role == PgHostRole.ReadWritePrimary && host.Failure is null).Port, Is.EqualTo(next));
        }
        await writing.StopAsync().WaitAsync(Patience);
        writing.AssertNothingLostOrDoubled(await Cluster.Ask<int[]>(servers.PrimaryPort, Writing.AllRows));

        // The gaps of the two losses come first.
        while (!notified.IsCompleted || heard.Current is not { IsGap: false })
        {
            await Cluster.Run(servers.PrimaryPort, "NOTIFY moved");
            await Task.WhenAny(notified, Task.Delay(50, limit.Token));
            if (notified.IsCompleted && await notified && heard.Current.IsGap)
                notified = heard.MoveNextAsync().AsTask();
        }
    }

    // How the primary ends: without a word, or as an administrator stops it.
    private static Func<PgEmbeddedServer, Task> Kill(int promotion) =>
        promotion % 2 == 1 ? server => server.KillAsync() : server => server.StopAsync(PgStopMode.Immediate);

    /// <summary>A primary that waits for one of its standbys with each commit.</summary>
    private sealed class Servers(Cluster cluster) : IAsyncDisposable
    {
        private readonly List<(StandbyServer Server, string Name)> _standbys = [(cluster.First, "one"), (cluster.Second, "two")];
        private PgEmbeddedServer _primary = cluster.Primary;

        public string ConnectionString { get; } = Cluster.Of(cluster.Ports);

        public int PrimaryPort => _primary.Port;

        public long LostAt { get; private set; }

        public long PromotedAt { get; private set; }

        public static async Task<Servers> StartAsync()
        {
            var servers = new Servers(await Cluster.StartAsync());
            await Cluster.Run(servers.PrimaryPort, Writing.Table);
            await servers.WaitForStandbys();
            return servers;
        }

        /// <summary>Ends the primary, and promotes the standby that has come further.</summary>
        public async Task<int> LosePrimaryAsync(Func<PgEmbeddedServer, Task> end)
        {
            await end(_primary);
            LostAt = Stopwatch.GetTimestamp();
            var places = new List<(StandbyServer Server, string Name, long Place)>();
            foreach (var (server, name) in _standbys)
                places.Add((server, name, await Cluster.Ask<long>(server.Port, "SELECT (pg_last_wal_receive_lsn() - '0/0')::bigint")));
            var next = places.MaxBy(one => one.Place);
            _standbys.Remove((next.Server, next.Name));
            // Before it takes a write, it has to wait for the one that is left.
            await next.Server.Server.ReloadAsync(Synchronous);
            foreach (var (server, name) in _standbys)
                await server.FollowAsync(next.Server.Port, name);
            await next.Server.PromoteAsync();
            PromotedAt = Stopwatch.GetTimestamp();
            _primary = next.Server.Server;
            return _primary.Port;
        }

        public ValueTask DisposeAsync() => cluster.DisposeAsync();

        // Servers of tests do not wait for anything when they commit, unless they are told.
        private Dictionary<string, string> Synchronous => new() { ["synchronous_standby_names"] = Names, ["synchronous_commit"] = "on" };

        private string Names => _standbys.Count == 0 ? "" : $"ANY 1 ({string.Join(", ", _standbys.Select(standby => standby.Name))})";

        private async Task WaitForStandbys()
        {
            await Cluster.Until(PrimaryPort, $"SELECT count(*) = {_standbys.Count} FROM pg_stat_replication WHERE state = 'streaming'");
            await _primary.ReloadAsync(Synchronous);
            await Cluster.Until(PrimaryPort, $"SELECT count(*) = {_standbys.Count} FROM pg_stat_replication WHERE sync_state = 'quorum'");
        }
    }
}
