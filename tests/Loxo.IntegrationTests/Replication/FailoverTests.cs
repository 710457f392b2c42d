using System.Diagnostics;
using Loxo.Embedded;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Replication;

/// <summary>
/// The primary is lost and its standby takes over: a stream yields every number that the new primary's table holds, once and in order.
/// Servers before PostgreSQL 17 cannot keep slots on standbys; there the stream is refused.
/// </summary>
[Category("Slow")]
public class FailoverTests : ReplicationTest
{
    private const string Slot = "reader";
    private const int Last = int.MaxValue;

    // Several servers are started, and a slot is synchronized when its place suits the standby.
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(5);

    [Test]
    public async Task A_stream_goes_on_at_the_promoted_standby()
    {
        var options = Options();
        if (TestServer.Version < 17)
        {
            await AssertRefused(options);
            return;
        }
        await using var servers = await Servers.StartAsync();
        var seen = new List<int>();
        await Survive(servers, servers.Source.CreateChangeStream(Slot, "p", options), seen, async () =>
        {
            await servers.Standby.PromoteAsync();
            servers.Proxy.Redirect(servers.Standby.Port);
        });
    }

    [Test]
    public async Task A_stream_of_two_hosts_goes_on_at_the_promoted_standby()
    {
        if (TestServer.Version < 17)
        {
            await AssertRefused(Options());
            return;
        }
        await using var servers = await Servers.StartAsync();
        var hosts = new PgConnectionStringBuilder(servers.Primary.ConnectionString)
        {
            Host = $"127.0.0.1:{servers.Standby.Port},127.0.0.1:{servers.Primary.Port}",
        };
        await using var source = PgDataSource.Create(hosts);
        await Survive(servers, source.CreateChangeStream(Slot, "p", Options()), [], servers.Standby.PromoteAsync);
    }

    [Test]
    public async Task A_stream_with_an_initial_read_waits_until_the_standby_is_promoted()
    {
        var seen = new List<int>();
        var options = Options();
        options.InitialRead = async (connection, token) =>
        {
            await using var command = new PgCommand("SELECT number FROM item ORDER BY number", connection);
            await using var reader = await command.ExecuteReaderAsync(token);
            while (await reader.ReadAsync(token))
                seen.Add(reader.GetInt32(0));
        };
        if (TestServer.Version < 17)
        {
            await AssertRefused(options);
            Assert.That(seen, Is.Empty);
            return;
        }
        await using var servers = await Servers.StartAsync();
        await Aside(servers.Primary.ConnectionString, "INSERT INTO item SELECT generate_series(-10, -1)");
        await Survive(servers, servers.Source.CreateChangeStream(Slot, "p", options), seen, async () =>
        {
            // A slot that is being synchronized cannot be read: the stream is refused, and tries again.
            servers.Proxy.Redirect(servers.Standby.Port);
            var count = servers.Proxy.Count;
            for (var i = 0; i < 2400 && servers.Proxy.Count < count + 2; i++)
                await Task.Delay(50);
            Assert.That(servers.Proxy.Count, Is.GreaterThanOrEqualTo(count + 2));
            await servers.Standby.PromoteAsync();
        });
        Assert.That(seen[0], Is.EqualTo(-10));
    }

    [Test]
    public async Task What_was_acknowledged_does_not_come_again_although_the_standby_has_not_heard_of_it()
    {
        if (TestServer.Version < 17)
        {
            await AssertRefused(Options());
            return;
        }
        await using var servers = await Servers.StartAsync();
        using var limit = new CancellationTokenSource(_patience);
        var former = servers.Source.CreateChangeStream(Slot, "p", Options());
        await using (var stream = former.ReadAsync(limit.Token).GetAsyncEnumerator())
        {
            var next = stream.MoveNextAsync().AsTask();
            await Synchronized(servers);
            await servers.Standby.SynchronizeAsync(goesOn: false);
            await Until("SELECT current_setting('sync_replication_slots') = 'off'",
                servers.Standby.ConnectionString);
            for (var i = 1; i <= 5; i++)
            {
                await Aside(servers.Primary.ConnectionString, $"INSERT INTO item VALUES ({i})");
                Assert.That(await next.WaitAsync(_patience), Is.True);
                former.Acknowledge(stream.Current);
                next = stream.MoveNextAsync().AsTask();
            }
            await Until($"SELECT confirmed_flush_lsn >= '{former.AcknowledgedLsn}' FROM pg_replication_slots WHERE slot_name = '{Slot}'",
                servers.Primary.ConnectionString);
            await limit.CancelAsync();
            await Catch<OperationCanceledException>(() => next);
        }

        var changes = servers.Source.CreateChangeStream(Slot, "p", Options());
        using var secondLimit = new CancellationTokenSource(_patience);
        await using var reading = changes.ReadAsync(secondLimit.Token).GetAsyncEnumerator();
        var first = reading.MoveNextAsync().AsTask();
        await Until($"SELECT active FROM pg_replication_slots WHERE slot_name = '{Slot}'", servers.Primary.ConnectionString);
        await Until($"SELECT pg_last_wal_receive_lsn() >= '{changes.AcknowledgedLsn}'", servers.Standby.ConnectionString);
        await servers.Primary.StopAsync(PgStopMode.Immediate);
        await servers.Standby.PromoteAsync();
        Assert.That(
            await Scalar<bool>($"SELECT confirmed_flush_lsn < '{former.AcknowledgedLsn}' FROM pg_replication_slots WHERE slot_name = '{Slot}'",
                servers.Standby.ConnectionString),
            Is.True);
        servers.Proxy.Redirect(servers.Standby.Port);
        await Aside(servers.Standby.ConnectionString, "INSERT INTO item VALUES (6)");

        Assert.That(await first.WaitAsync(_patience), Is.True);
        Assert.That(Number(reading.Current), Is.EqualTo(6));
        Assert.That(await Numbers(servers.Standby.ConnectionString), Is.EqualTo(Enumerable.Range(1, 6)));
    }

    [Test]
    public async Task A_stream_that_has_read_more_than_the_new_primary_has_ends()
    {
        if (TestServer.Version < 17)
        {
            await AssertRefused(Options());
            return;
        }
        await using var servers = await Servers.StartAsync();
        using var limit = new CancellationTokenSource(_patience);
        var changes = servers.Source.CreateChangeStream(Slot, "p", Options());
        await using var stream = changes.ReadAsync(limit.Token).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Synchronized(servers);
        await servers.Primary.ReloadAsync(new Dictionary<string, string> { ["synchronized_standby_slots"] = "" });
        await servers.Standby.CutOffAsync();
        await Until("SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)", servers.Standby.ConnectionString);
        for (var i = 1; i <= 5; i++)
        {
            await Aside(servers.Primary.ConnectionString, $"INSERT INTO item VALUES ({i})");
            Assert.That(await next.WaitAsync(_patience), Is.True);
            next = stream.MoveNextAsync().AsTask();
        }
        await servers.Primary.StopAsync(PgStopMode.Immediate);
        await servers.Standby.PromoteAsync();
        servers.Proxy.Redirect(servers.Standby.Port);
        await Aside(servers.Standby.ConnectionString, "INSERT INTO item VALUES (6)");

        var error = await Catch<PgException>(() => next.WaitAsync(_patience));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ChangesLost));
        Assert.That(error.Message, Does.Contain($"{changes.ReadLsn}"));
    }

    // The timeline ends where the standby was promoted. There the server sends no log at all, and in front of it what is left.
    [Test]
    public async Task A_physical_replication_ends_with_its_timeline()
    {
        await using var servers = await Servers.StartAsync();
        var start = await Scalar<PgLogSequenceNumber>("SELECT pg_current_wal_lsn()", servers.Primary.ConnectionString);
        await Aside(servers.Primary.ConnectionString, "INSERT INTO item VALUES (1)");
        await Until("SELECT count(*) = 1 FROM item", servers.Standby.ConnectionString);
        await servers.Primary.StopAsync();
        await servers.Standby.PromoteAsync();
        await using var connection = new PhysicalReplicationConnection(servers.Standby.ConnectionString);
        await connection.Open(Limit);
        var history = System.Text.Encoding.UTF8.GetString((await connection.TimelineHistory(2, Limit)).Content);
        var end = PgLogSequenceNumber.Parse(history.Split('\t')[1]);
        foreach (var from in new[] { start, end })
        {
            var place = from;
            await foreach (var message in connection.StartReplication(from, Limit, timeline: 1))
                place = message.WalStart + message.Data.Length;
            Assert.That(place, Is.EqualTo(end));
            Assert.That((await connection.IdentifySystem(Limit)).Timeline, Is.EqualTo(2));
        }
    }

    private static PgChangeStreamOptions Options() => new() { Failover = true, StatusInterval = TimeSpan.FromMilliseconds(100) };

    private static int Number(PgChangeTransaction transaction) => ((InsertMessage)transaction.Changes.Single()).NewRow["number"].Read<int>();

    private async Task AssertRefused(PgChangeStreamOptions options)
    {
        await Execute("CREATE TABLE item (number int); CREATE PUBLICATION p FOR TABLE item; INSERT INTO item VALUES (1)");
        await using var stream = Source.CreateChangeStream(NewSlot(), "p", options).ReadAsync(Limit).GetAsyncEnumerator();

        var error = await Catch<PgException>(() => stream.MoveNextAsync().AsTask());

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("needs PostgreSQL 17 or later"));
        await Until($"SELECT count(*) = 0 FROM pg_replication_slots WHERE database = '{Database}'");
    }

    // Numbers are written one by one while the primary is lost; then more of them on the new one.
    private async Task Survive(Servers servers, PgChangeStream changes, List<int> seen, Func<Task> takeOver)
    {
        using var limit = new CancellationTokenSource(_patience);
        var hasBegun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reading = Task.Run(async () =>
        {
            await foreach (var transaction in changes.ReadAsync(limit.Token))
            {
                seen.Add(Number(transaction));
                if (seen[^1] % 3 != 0)
                    changes.Acknowledge(transaction);
                if (seen[^1] == 20)
                    hasBegun.SetResult();
                if (seen[^1] == Last)
                    break;
            }
        });
        await Until($"SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = '{Slot}' AND active AND failover",
            servers.Primary.ConnectionString);
        var writing = Task.Run(() => Write(servers.Primary.ConnectionString, 1));
        await await Task.WhenAny(hasBegun.Task, reading, writing).WaitAsync(_patience);
        await Synchronized(servers);

        await servers.Primary.StopAsync(PgStopMode.Immediate);
        var next = await writing.WaitAsync(_patience);
        await takeOver();
        await Write(servers.Standby.ConnectionString, next, 100);
        await Aside(servers.Standby.ConnectionString, $"INSERT INTO item VALUES ({Last})");
        await reading.WaitAsync(_patience);

        Assert.That(seen, Is.EqualTo(await Numbers(servers.Standby.ConnectionString)));
        Assert.That(seen, Has.Count.GreaterThan(120));
    }

    // Until the stream's slot is on the standby and outlives its promotion. The place of the primary's must have come to log that the
    // standby has, which these records help it to.
    private async Task Synchronized(Servers servers)
    {
        for (var waited = Stopwatch.StartNew(); waited.Elapsed < _patience; await Task.Delay(100))
        {
            await Aside(servers.Primary.ConnectionString, "SELECT pg_log_standby_snapshot()");
            if (await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE slot_name = '{Slot}' AND synced AND NOT temporary",
                servers.Standby.ConnectionString) == 1)
            {
                return;
            }
        }
        Assert.Fail("The slot has not come to the standby.");
    }

    // Returns the number behind the last one that the server may have committed.
    private static async Task<int> Write(string server, int first, int count = int.MaxValue)
    {
        await using var connection = new PgConnection(server + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand("INSERT INTO item VALUES ($1)", connection);
        var parameter = new PgParameter<int>();
        command.Parameters.Add(parameter);
        for (var number = first; number - first < count; number++)
        {
            parameter.TypedValue = number;
            try
            {
                await command.ExecuteNonQueryAsync();
            }
            catch (PgException e) when (e.IsTransient || e.Code == PgErrorCode.CommitOutcomeUnknown)
            {
                return number + 1;
            }
            await Task.Delay(5);
        }
        return first + count;
    }

    private static async Task<List<int>> Numbers(string server)
    {
        var numbers = new List<int>();
        await using var connection = new PgConnection(server + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand("SELECT number FROM item ORDER BY number", connection);
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
            numbers.Add(reader.GetInt32(0));
        return numbers;
    }

    /// <summary>A primary, its standby, and a data source that comes to one of them through a proxy: first to the primary.</summary>
    private sealed class Servers : IAsyncDisposable
    {
        public required PgEmbeddedServer Primary { get; init; }

        public required StandbyServer Standby { get; init; }

        public required ChaosProxy Proxy { get; init; }

        public required PgDataSource Source { get; init; }

        public static async Task<Servers> StartAsync()
        {
            var primary = await PgEmbeddedServer.StartAsync(TestServer.Options());
            try
            {
                await Aside(primary.ConnectionString, "CREATE TABLE item (number int); CREATE PUBLICATION p FOR TABLE item");
                var standby = await StandbyServer.StartAsync(primary);
                var proxy = new ChaosProxy(primary.Host, primary.Port);
                var source = PgDataSource.Create(proxy.ConnectionString(primary.ConnectionString));
                return new() { Primary = primary, Standby = standby, Proxy = proxy, Source = source };
            }
            catch
            {
                await primary.DisposeAsync();
                throw;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await Source.DisposeAsync();
            await Proxy.DisposeAsync();
            await Standby.DisposeAsync();
            await Primary.DisposeAsync();
        }
    }
}
