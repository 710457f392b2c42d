using System.Collections.Concurrent;
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
public class PromotionTests(WaitMode mode)
{
    private const int Writers = 4;

    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    // Each time the servers are made anew, and lost twice.
    [Test, Category("Long"), Category("OneServer")]
    public async Task Nothing_is_lost_or_doubled_however_often_a_primary_is_lost()
    {
        using var run = LongRun.Begin("promotions", cases: 2);
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
            var next = await servers.LosePrimaryAsync(writing.Kill(promotion));
            await writing.AwaitRows(20);
            TestContext.Out.WriteLine($"{mode}, promotion {promotion}: the first write {writing.FirstAfter(servers.LostAt).TotalMilliseconds:N0} ms after the loss of the primary, "
                + $"{writing.FirstAfter(servers.PromotedAt).TotalMilliseconds:N0} ms after the end of the promotion.");
            Assert.That(source.GetHosts().Single(host => host.Role == PgHostRole.ReadWritePrimary && host.Failure is null).Port, Is.EqualTo(next));
        }
        await writing.StopAsync().WaitAsync(Patience);

        var rows = await Cluster.Ask<int[]>(servers.PrimaryPort, "SELECT array_agg(id ORDER BY id) FROM item");
        Assert.That(rows, Is.Unique);
        Assert.That(writing.Acknowledged.Except(rows), Is.Empty, "acknowledged and lost");
        Assert.That(rows.Except(writing.Tried), Is.Empty);
        Assert.That(writing.Doubled, Is.Empty);

        // The gaps of the two losses come first.
        while (!notified.IsCompleted || heard.Current is not { IsGap: false })
        {
            await Cluster.Run(servers.PrimaryPort, "NOTIFY moved");
            await Task.WhenAny(notified, Task.Delay(50, limit.Token));
            if (notified.IsCompleted && await notified && heard.Current.IsGap)
                notified = heard.MoveNextAsync().AsTask();
        }
    }

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
            await Cluster.Run(servers.PrimaryPort, "CREATE TABLE item (id int PRIMARY KEY)");
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

    /// <summary>Callers that each insert one number after the other. A number whose outcome is unknown is inserted again, unless it is there.</summary>
    private sealed class Writing : IAsyncDisposable
    {
        private readonly PgMultiHostDataSource _source;
        private readonly WaitMode _mode;
        private readonly ConcurrentQueue<(int Id, long At)> _acknowledged = [];
        private readonly ConcurrentQueue<int> _tried = [];
        private readonly List<Thread> _threads = [];
        private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private volatile bool _stops;
        private int _next;

        public Writing(PgMultiHostDataSource source, WaitMode mode)
        {
            (_source, _mode) = (source, mode);
            for (var i = 0; i < Writers; i++)
            {
                var thread = new Thread(() => Write().GetAwaiter().GetResult()) { IsBackground = true, Name = "Writer" };
                _threads.Add(thread);
                thread.Start();
            }
        }

        public IEnumerable<int> Acknowledged => _acknowledged.Select(one => one.Id);

        public IEnumerable<int> Tried => _tried;

        public ConcurrentQueue<int> Doubled { get; } = [];

        /// <summary>How the primary ends: without a word, or as an administrator stops it.</summary>
        public Func<PgEmbeddedServer, Task> Kill(int promotion) =>
            promotion % 2 == 1 ? server => server.KillAsync() : server => server.StopAsync(PgStopMode.Immediate);

        public async Task AwaitRows(int count)
        {
            var end = _acknowledged.Count + count;
            for (var waited = Stopwatch.StartNew(); _acknowledged.Count < end; await Task.Delay(10))
            {
                if (_failed.Task.IsFaulted)
                    await _failed.Task;
                Assert.That(waited.Elapsed, Is.LessThan(Patience), "no row is written any more");
            }
        }

        public TimeSpan FirstAfter(long moment) => Stopwatch.GetElapsedTime(moment, _acknowledged.Select(one => one.At).Where(at => at > moment).Min());

        public async Task StopAsync()
        {
            _stops = true;
            await Task.Run(() => _threads.ForEach(thread => thread.Join()));
            if (_failed.Task.IsFaulted)
                await _failed.Task;
        }

        public async ValueTask DisposeAsync()
        {
            _stops = true;
            await Task.Run(() => _threads.ForEach(thread => thread.Join(Patience)));
        }

        private async Task Write()
        {
            try
            {
                while (!_stops)
                    await Insert(Interlocked.Increment(ref _next));
            }
            catch (Exception e)
            {
                _failed.TrySetException(e);
            }
        }

        private async Task Insert(int id)
        {
            _tried.Enqueue(id);
            for (var attempt = 0; ; attempt++)
            {
                try
                {
                    await using var connection = _source.CreateConnection();
                    await _mode.Open(connection);
                    await using var command = new PgCommand("INSERT INTO item VALUES ($1)" + (attempt == 0 ? "" : " ON CONFLICT DO NOTHING"), connection);
                    command.Parameters.Add(new PgParameter<int> { TypedValue = id });
                    await _mode.ExecuteNonQuery(command);
                    _acknowledged.Enqueue((id, Stopwatch.GetTimestamp()));
                    return;
                }
                catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
                {
                    Doubled.Enqueue(id);
                    return;
                }
                catch (PgException e) when (!_stops && (e.IsTransient || e.SqlState is "25006" or "57P01" or "57P02"))
                {
                    await Task.Delay(20);
                }
                catch (PgException) when (_stops)
                {
                    return;
                }
            }
        }
    }
}
