using System.Diagnostics;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Replication;

/// <summary>Each transaction comes once, and none is missing, however often sessions end, and wherever the program leaves the stream.</summary>
public class ChangeStreamFaultTests : ReplicationTest
{
    [Test]
    public async Task What_the_program_failed_to_handle_comes_again_from_the_same_stream([Values] bool isAcknowledged)
    {
        await Publish();
        var changes = Source.CreateChangeStream(NewSlot(), "p");
        var seen = new List<int>();
        await Begin(changes);
        for (var i = 1; i <= 4; i++)
            await Execute($"INSERT INTO item VALUES ({i})");
        await Catch<TimeoutException>(async () =>
        {
            await foreach (var transaction in changes.ReadAsync(Limit))
            {
                seen.Add(Id(transaction));
                if (seen[^1] == 3)
                    throw new TimeoutException("the program's own");
                if (isAcknowledged)
                    changes.Acknowledge(transaction);
            }
        });
        await foreach (var transaction in changes.ReadAsync(Limit))
        {
            seen.Add(Id(transaction));
            if (seen[^1] == 4)
                break;
        }
        Assert.That(seen, Is.EqualTo(isAcknowledged ? new[] { 1, 2, 3, 3, 4 } : [1, 2, 3, 1, 2, 3, 4]));
    }

    [Test]
    public async Task An_acknowledgement_reaches_the_server_although_the_connection_is_opened_again_at_that_moment()
    {
        await Publish();
        var changes = Source.CreateChangeStream(NewSlot(), "p", new() { StatusInterval = TimeSpan.FromMilliseconds(100) });
        using var stop = new CancellationTokenSource();
        await using var stream = changes.ReadAsync(stop.Token).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Active(changes);
        for (var i = 1; i <= 20; i++)
        {
            await Execute($"INSERT INTO item VALUES ({i * 2})");
            Assert.That(await next.WaitAsync(Patience), Is.True);
            var read = stream.Current;
            Assert.That(Id(read), Is.EqualTo(i * 2));
            // A second one is read, and not acknowledged: the stream does not advance the place by itself.
            await Execute($"INSERT INTO item VALUES ({(i * 2) + 1})");
            Assert.That(await stream.MoveNextAsync().AsTask().WaitAsync(Patience), Is.True);
            var last = stream.Current;
            await Execute($"SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}'");
            next = stream.MoveNextAsync().AsTask();
            var wait = Stopwatch.StartNew();
            while (wait.ElapsedMilliseconds < i)
                Thread.SpinWait(100);
            changes.Acknowledge(read);
            await Until($"SELECT confirmed_flush_lsn >= '{read.EndLsn}' FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}'");
            changes.Acknowledge(last);
        }
        await stop.CancelAsync();
        await Catch<OperationCanceledException>(() => next);
    }

    [Test]
    public async Task Each_transaction_comes_once_while_the_session_is_terminated_again_and_again([Values(1, 2)] int seed)
    {
        await Publish();
        await using var source = PgDataSource.Create(ConnectionString);
        var changes = source.CreateChangeStream(NewSlot(), "p", new() { StatusInterval = TimeSpan.FromMilliseconds(20) });
        var seen = new List<int>();
        var latest = default(PgChangeTransaction);
        using var stop = new CancellationTokenSource();
        var reading = Task.Run(async () =>
        {
            await foreach (var transaction in changes.ReadAsync(Limit))
            {
                if (transaction.Changes is not [InsertMessage])
                    throw new InvalidOperationException($"{transaction.Changes.Count} changes");
                var id = Id(transaction);
                if (id < 0)
                    return;
                seen.Add(id);
                Volatile.Write(ref latest, transaction);
            }
        });
        await Active(changes);
        var acknowledging = Task.WhenAll(Enumerable.Range(0, 2).Select(i => Task.Run(async () =>
        {
            var random = new Random(seed + i);
            while (!stop.IsCancellationRequested)
            {
                if (Volatile.Read(ref latest) is { } transaction)
                    changes.Acknowledge(transaction);
                await Task.Delay(random.Next(10));
            }
        })));
        var written = 0;
        var writing = Task.Run(async () =>
        {
            await using var connection = await source.OpenConnectionAsync();
            while (!stop.IsCancellationRequested)
            {
                await using var command = new PgCommand($"INSERT INTO item VALUES ({++written})", connection);
                await command.ExecuteNonQueryAsync();
            }
        });
        var kills = 0;
        var killing = Task.Run(async () =>
        {
            var random = new Random(seed);
            await using var connection = await source.OpenConnectionAsync();
            var end = Stopwatch.StartNew();
            // On a slow machine the stream takes longer to come back.
            while (end.Elapsed < TimeSpan.FromSeconds(8) || (kills <= 20 && end.Elapsed < TimeSpan.FromSeconds(60)))
            {
                await using var command = new PgCommand(
                    $"SELECT count(pg_terminate_backend(active_pid)) FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}' AND active_pid IS NOT NULL", connection);
                kills += (int)(long)(await command.ExecuteScalarAsync())!;
                await Task.Delay(random.Next(40));
            }
        });
        await Task.WhenAny(killing, reading, writing);
        await stop.CancelAsync();
        await Task.WhenAll(killing, writing, acknowledging);
        await Execute("INSERT INTO item VALUES (-1)");
        await reading.WaitAsync(Patience);
        TestContext.Out.WriteLine($"{kills} sessions ended, {written} transactions");
        Assert.That(seen, Is.EqualTo(Enumerable.Range(1, written)));
        Assert.That(kills, Is.GreaterThan(20));
    }

    [Test, Category("Slow")]
    public async Task A_server_shuts_down_in_time_while_transactions_are_not_acknowledged([Values(0, 1, 2)] int acknowledged)
    {
        await using var server = await PgEmbeddedServer.StartAsync(TestServer.Options());
        await Aside(server.ConnectionString, "CREATE TABLE item (id int PRIMARY KEY)");
        await Aside(server.ConnectionString, "CREATE PUBLICATION p FOR TABLE item");
        await using var source = PgDataSource.Create(server.ConnectionString);
        var changes = source.CreateChangeStream("reader", "p", new() { StatusInterval = TimeSpan.FromMilliseconds(200) });
        await using (var stream = changes.ReadAsync(Limit).GetAsyncEnumerator())
        {
            var next = stream.MoveNextAsync().AsTask();
            while (!await Scalar<bool>("SELECT count(*) = 1 FROM pg_replication_slots WHERE active", server.ConnectionString))
                await Task.Delay(20);
            await Aside(server.ConnectionString, "INSERT INTO item VALUES (1)");
            await Aside(server.ConnectionString, "INSERT INTO item VALUES (2)");
            for (var i = 1; i <= 2; i++)
            {
                Assert.That(await next.WaitAsync(Patience), Is.True);
                if (i <= acknowledged)
                    changes.Acknowledge(stream.Current);
                next = stream.MoveNextAsync().AsTask();
            }
            var time = Stopwatch.StartNew();
            await server.StopAsync(PgStopMode.Fast).WaitAsync(Patience);
            Assert.That(time.Elapsed, Is.LessThan(TimeSpan.FromSeconds(20)));
            await server.RestartAsync();
            await Aside(server.ConnectionString, "INSERT INTO item VALUES (3)");
            Assert.That(await next.WaitAsync(Patience), Is.True);
            Assert.That(Id(stream.Current), Is.EqualTo(3));
        }
        var again = source.CreateChangeStream("reader", "p");
        await foreach (var transaction in again.ReadAsync(Limit))
        {
            Assert.That(Id(transaction), Is.EqualTo(acknowledged + 1));
            break;
        }
    }

    [Test]
    public async Task Types_that_are_made_while_the_stream_runs_are_read()
    {
        await Publish();
        var changes = Source.CreateChangeStream(NewSlot(), "p");
        await using var stream = changes.ReadAsync(Limit).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Active(changes);
        await Execute("INSERT INTO item VALUES (1)");
        Assert.That(await next.WaitAsync(Patience), Is.True);
        await Execute("""
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE DOMAIN positive AS int CHECK (VALUE > 0);
            CREATE TYPE pair AS (a int, b mood);
            ALTER TABLE item ADD mood mood, ADD positive positive, ADD moods mood[], ADD pair pair
            """);
        await Execute("INSERT INTO item VALUES (2, 'happy', 3, ARRAY['sad', 'happy']::mood[], ROW(1, 'sad'))");
        var row = ((InsertMessage)(await Next(stream)).Changes[0]).NewRow;
        Assert.That((row["id"].Read<int>(), row["mood"].Read<string>(), row["positive"].Read<int>()), Is.EqualTo((2, "happy", 3)));
        Assert.That(row["moods"].Read<string[]>(), Is.EqualTo(new[] { "sad", "happy" }));
        Assert.That(row["pair"].Read<object>(), Is.Not.Null);
        await Execute("ALTER TYPE mood ADD VALUE 'calm'");
        await Execute("INSERT INTO item VALUES (3, 'calm', 4, NULL, NULL)");
        row = ((InsertMessage)(await Next(stream)).Changes[0]).NewRow;
        Assert.That((row["mood"].Read<string>(), row["moods"].IsDBNull), Is.EqualTo(("calm", true)));
        await Execute("ALTER TYPE pair ADD ATTRIBUTE c text CASCADE");
        await Execute("INSERT INTO item VALUES (4, 'calm', 4, NULL, ROW(5, 'calm', 'new'))");
        row = ((InsertMessage)(await Next(stream)).Changes[0]).NewRow;
        // The server does not tell that the type was altered: the value shows it, and the types are looked up for the next transaction.
        Assert.That(Assert.Throws<PgException>(() => row["pair"].Read<object>())!.Code, Is.EqualTo(PgErrorCode.ConversionFailed));
        await Execute("INSERT INTO item VALUES (6, 'calm', 4, ARRAY['sad', 'calm']::mood[], ROW(5, 'calm', 'new'))");
        row = ((InsertMessage)(await Next(stream)).Changes[0]).NewRow;
        Assert.That(row["pair"].Read<object>(), Is.Not.Null);
        Assert.That((row["mood"].Read<string>(), row["moods"].Read<string[]>()[1]), Is.EqualTo(("calm", "calm")));
        await Execute("ALTER TABLE item DROP mood; ALTER TABLE item RENAME positive TO other; ALTER TABLE item ALTER other TYPE text");
        await Execute("INSERT INTO item VALUES (5, 'text')");
        row = ((InsertMessage)(await Next(stream)).Changes[0]).NewRow;
        Assert.That((row.NumColumns, row["id"].Read<int>(), row["other"].Read<string>()), Is.EqualTo((4, 5, "text")));
    }

    [Test]
    public async Task A_huge_row_is_read_and_small_ones_behind_it()
    {
        await Execute("CREATE TABLE item (id int PRIMARY KEY, data text)");
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        var changes = Source.CreateChangeStream(NewSlot(), "p", new() { StatusInterval = TimeSpan.FromMilliseconds(10) });
        await using var stream = changes.ReadAsync(Limit).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Active(changes);
        await Execute("INSERT INTO item SELECT 1, repeat('x', 200000000)");
        Assert.That(await next.WaitAsync(Patience), Is.True);
        Assert.That(((InsertMessage)stream.Current.Changes[0]).NewRow["data"].Length, Is.EqualTo(200_000_000));
        changes.Acknowledge(stream.Current);
        for (var i = 2; i < 5; i++)
        {
            await Execute($"INSERT INTO item VALUES ({i}, 'small')");
            Assert.That(Id((await Next(stream))), Is.EqualTo(i));
        }
    }

    private static int Id(PgChangeTransaction transaction) => ((InsertMessage)transaction.Changes[0]).NewRow["id"].Read<int>();

    private async Task Publish()
    {
        await Execute("CREATE TABLE item (id int PRIMARY KEY)");
        await Execute("CREATE PUBLICATION p FOR TABLE item");
    }

    // The slot is active while it is being made, too, by a session that has not begun to send changes.
    private Task Active(PgChangeStream changes) => Until(
        $"SELECT count(*) = 1 FROM pg_replication_slots s JOIN pg_stat_replication r ON r.pid = s.active_pid WHERE slot_name = '{changes.SlotName}' AND state IN ('catchup', 'streaming')");

    // Makes the slot.
    private async Task Begin(PgChangeStream changes)
    {
        using var stop = new CancellationTokenSource();
        await using var stream = changes.ReadAsync(stop.Token).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Active(changes);
        await stop.CancelAsync();
        await Catch<OperationCanceledException>(() => next);
    }
}
