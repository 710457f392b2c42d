using System.Globalization;
using Loxo.Embedded;
using Loxo.IntegrationTests.Telemetry;

namespace Loxo.IntegrationTests.Replication;

/// <summary>What a program makes of the stream is what the tables hold, whatever happens to the connection and the server.</summary>
public class ChangeStreamTests : ReplicationTest
{
    private const string Table = "CREATE TABLE item (id int PRIMARY KEY, name text, at timestamptz, price numeric(10, 2), tags text[])";

    [Test]
    public async Task Transactions_come_whole_with_typed_values_and_in_order()
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        var changes = Source.CreateChangeStream(NewSlot(), "p");
        await using var stream = changes.ReadAsync(Limit).GetAsyncEnumerator();
        var first = Next(stream);
        await Until($"SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}' AND active");
        await Execute("INSERT INTO item VALUES (1, 'one', '2024-02-29 12:00Z', 12.34, ARRAY['a', 'b']), (2, NULL, NULL, NULL, NULL)");
        await Execute("UPDATE item SET id = 3 WHERE id = 2; DELETE FROM item WHERE id = 1; TRUNCATE item");

        var inserted = await first;
        Assert.That(inserted.Changes, Has.Count.EqualTo(2));
        var row = ((InsertMessage)inserted.Changes[0]).NewRow;
        Assert.That(
            (row["id"].Read<int>(), row["name"].Read<string>(), row["at"].Read<DateTime>(), row["price"].Read<object>(), row[4].Read<string[]>().Length),
            Is.EqualTo((1, "one", new DateTime(2024, 2, 29, 12, 0, 0, DateTimeKind.Utc), (object)12.34m, 2)));
        Assert.That(inserted.CommittedAt, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));
        var other = ((InsertMessage)inserted.Changes[1]).NewRow;
        Assert.That((other["name"].IsDBNull, other["id"].Read<int?>(), other["at"].Read<DateTime?>()), Is.EqualTo((true, (int?)2, (DateTime?)null)));
        Assert.Throws<InvalidCastException>(() => other["name"].Read<string>());
        Assert.Throws<ArgumentException>(() => _ = other["none"]);
        Assert.Throws<ArgumentOutOfRangeException>(() => _ = other[5]);
        var second = await Next(stream);
        Assert.That(second.Changes.Select(change => change.GetType()),
            Is.EqualTo(new[] { typeof(IndexUpdateMessage), typeof(KeyDeleteMessage), typeof(TruncateMessage) }));
        Assert.That(second.EndLsn, Is.GreaterThan(inserted.EndLsn));
        Assert.That(changes.BytesBehind, Is.Positive);
        using var recorder = new Recorder("", traces: false, measures: true);
        recorder.Observe();
        Assert.That(Lags(recorder, changes.SlotName), Is.EqualTo(new double[] { changes.BytesBehind }));
        await stream.DisposeAsync();
        recorder.Observe();
        Assert.That(Lags(recorder, changes.SlotName), Has.Length.EqualTo(1), "it is not read any more");
    }

    private static double[] Lags(Recorder recorder, string slot) =>
        [.. recorder.All("loxo.replication.lag").Where(value => value.Tag("loxo.replication.slot") == slot).Select(value => value.Value)];

    [Test]
    public async Task What_was_not_acknowledged_comes_again_to_the_next_reader_and_nothing_else()
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        var slot = NewSlot();
        await ReadAsync(Source.CreateChangeStream(slot, "p"), 0);
        for (var i = 1; i <= 4; i++)
            await Execute($"INSERT INTO item VALUES ({i})");
        var first = Source.CreateChangeStream(slot, "p", new() { CreatesSlot = false });
        var seen = await ReadAsync(first, 3, acknowledged: 2);
        var second = Source.CreateChangeStream(slot, "p");
        Assert.That(seen, Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(await ReadAsync(second, 2, acknowledged: 2), Is.EqualTo(new[] { 3, 4 }));
    }

    [Test]
    public async Task A_slot_without_changes_of_its_own_does_not_hold_the_log_back()
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item; CREATE TABLE other (id int)");
        var changes = Source.CreateChangeStream(NewSlot(), "p", new() { StatusInterval = TimeSpan.FromMilliseconds(100) });
        await using var stream = changes.ReadAsync(Limit).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Until($"SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}' AND active");
        await Execute("INSERT INTO other SELECT generate_series(1, 10000)");
        var place = await Scalar<PgLogSequenceNumber>("SELECT pg_current_wal_lsn()");
        await Until($"SELECT confirmed_flush_lsn >= '{place}' FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}'");
        Assert.That(changes.AcknowledgedLsn, Is.GreaterThanOrEqualTo(place));
        await Execute("INSERT INTO item VALUES (1)");
        Assert.That(await next.WaitAsync(Patience), Is.True);
        await Execute("INSERT INTO other SELECT generate_series(1, 10000)");
        await Task.Delay(500);
        Assert.That(changes.AcknowledgedLsn, Is.LessThan(stream.Current.EndLsn), "read, and not acknowledged");
    }

    [Test]
    public async Task The_initial_read_and_the_stream_meet_without_gap_or_overlap([Values] bool failsFirst)
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item; INSERT INTO item SELECT generate_series(1, 100)");
        var mirror = new HashSet<int>();
        var isFirst = failsFirst;
        using var stop = new CancellationTokenSource();
        var writer = Task.Run(async () =>
        {
            for (var i = 101; !stop.IsCancellationRequested; i++)
                await Execute($"INSERT INTO item VALUES ({i})");
        });
        var options = new PgChangeStreamOptions
        {
            InitialRead = async (connection, token) =>
            {
                await using var command = new PgCommand("SELECT id FROM item", connection);
                await using var reader = await command.ExecuteReaderAsync(token);
                while (await reader.ReadAsync(token))
                    Assert.That(mirror.Add(reader.GetInt32(0)), Is.True);
                await Task.Delay(200, token);
                if (isFirst)
                    throw new TimeoutException("the program's own");
            },
        };
        var changes = Source.CreateChangeStream(NewSlot(), "p", options);
        if (failsFirst)
        {
            await using var failing = changes.ReadAsync(Limit).GetAsyncEnumerator();
            await Catch<TimeoutException>(() => failing.MoveNextAsync().AsTask());
            Assert.That(await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE database = '{Database}' AND NOT temporary"), Is.Zero);
            mirror.Clear();
            isFirst = false;
        }
        var read = 0;
        var last = int.MaxValue;
        await foreach (var transaction in changes.ReadAsync(Limit))
        {
            foreach (var id in transaction.Changes.OfType<InsertMessage>().Select(insert => insert.NewRow["id"].Read<int>()))
                Assert.That(mirror.Add(id), Is.True, "a row came twice");
            changes.Acknowledge(transaction);
            if (++read == 30)
            {
                await stop.CancelAsync();
                await writer;
                last = await Scalar<int>("SELECT max(id) FROM item");
            }
            if (mirror.Contains(last))
                break;
        }
        Assert.That(mirror.Order(), Is.EqualTo(Enumerable.Range(1, last)));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE database = '{Database}'"), Is.EqualTo(1));
    }

    [Test]
    public async Task The_mirror_is_the_table_although_sessions_are_terminated([Values(1, 2)] int seed)
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        await Mirror(ConnectionString, seed, async random =>
        {
            await Execute($"SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = '{Database}'");
            await Task.Delay(random.Next(400));
        });
    }

    [Test, Category("Slow")]
    public async Task The_mirror_is_the_table_although_the_server_is_restarted([Values(PgStopMode.Fast, PgStopMode.Immediate)] PgStopMode stop)
    {
        var options = TestServer.Options();
        options.Settings["synchronous_commit"] = "on";
        await using var server = await PgEmbeddedServer.StartAsync(options);
        await Aside(server.ConnectionString, Table);
        await Aside(server.ConnectionString, "CREATE PUBLICATION p FOR TABLE item");
        await Mirror(server.ConnectionString + ";Timeout=120", seed: 3, async _ =>
        {
            await Task.Delay(300);
            await server.RestartAsync(stop);
        }, faults: 2);
    }

    [Test]
    public async Task A_slot_that_is_gone_ends_the_stream()
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        var missing = Source.CreateChangeStream(NewSlot(), "p", new() { CreatesSlot = false });
        await using (var stream = missing.ReadAsync(Limit).GetAsyncEnumerator())
            Assert.That((await Catch<PostgresException>(() => stream.MoveNextAsync().AsTask())).SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedObject));
        var changes = Source.CreateChangeStream(NewSlot(), "p");
        await using var reading = changes.ReadAsync(Limit).GetAsyncEnumerator();
        var next = reading.MoveNextAsync().AsTask();
        await Until($"SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}' AND active");
        while (await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}'") > 0)
        {
            try
            {
                await Execute($"SELECT pg_terminate_backend(active_pid, 10000) FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}'; "
                    + $"SELECT pg_drop_replication_slot('{changes.SlotName}')");
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.ObjectInUse)
            {
                // The stream was back at once.
            }
        }
        var error = await Catch<PgException>(() => next.WaitAsync(Patience));
        Assert.That(error, Is.InstanceOf<PostgresException>().With.Property("SqlState").EqualTo(PostgresErrorCodes.UndefinedObject));
    }

    [Test, Category("Slow")]
    public async Task A_slot_whose_log_was_removed_ends_the_stream()
    {
        var options = TestServer.Options();
        options.Settings["max_slot_wal_keep_size"] = "1MB";
        await using var server = await PgEmbeddedServer.StartAsync(options);
        await Aside(server.ConnectionString, Table);
        await Aside(server.ConnectionString, "CREATE PUBLICATION p FOR TABLE item");
        await using var source = PgDataSource.Create(server.ConnectionString);
        await using var stream = source.CreateChangeStream("lost", "p").ReadAsync(Limit).GetAsyncEnumerator();
        var first = Next(stream);
        for (var i = 0; i < 200 && await Scalar<long>("SELECT count(*) FROM pg_replication_slots WHERE active", server.ConnectionString) == 0; i++)
            await Task.Delay(50);
        await Aside(server.ConnectionString, "INSERT INTO item VALUES (1)");
        await first;
        var next = stream.MoveNextAsync().AsTask();
        // The server ends the session that reads the slot, too.
        for (var i = 2; i < 8; i++)
        {
            await Aside(server.ConnectionString, "CREATE TABLE fill AS SELECT generate_series(1, 1000); DROP TABLE fill; SELECT pg_switch_wal()");
            await Aside(server.ConnectionString, "CHECKPOINT");
        }
        var error = await Catch<PostgresException>(() => next.WaitAsync(Patience));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.ObjectNotInPrerequisiteState));
    }

    [Test]
    public async Task There_is_one_reader_at_a_time_and_another_after_it()
    {
        await Execute(Table);
        await Execute("CREATE PUBLICATION p FOR TABLE item");
        var changes = Source.CreateChangeStream(NewSlot(), "p");
        using var stop = new CancellationTokenSource();
        await using var first = changes.ReadAsync(stop.Token).GetAsyncEnumerator();
        var next = first.MoveNextAsync().AsTask();
        await Until($"SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = '{changes.SlotName}' AND active");
        await using (var second = changes.ReadAsync(Limit).GetAsyncEnumerator())
            await Catch<InvalidOperationException>(() => second.MoveNextAsync().AsTask());
        await stop.CancelAsync();
        await Catch<OperationCanceledException>(() => next);
        await Execute("INSERT INTO item VALUES (1)");
        await using var third = changes.ReadAsync(Limit).GetAsyncEnumerator();
        Assert.That((await Next(third)).Changes, Has.Count.EqualTo(1));
        Assert.Throws<ArgumentException>(() => Source.CreateChangeStream("slot", []));
        Assert.Throws<ArgumentException>(() => Source.CreateChangeStream("", "p"));
    }

    private static async Task<List<int>> ReadAsync(PgChangeStream changes, int count, int acknowledged = 0)
    {
        var ids = new List<int>();
        using var limit = new CancellationTokenSource(Patience);
        await using var stream = changes.ReadAsync(limit.Token).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        if (count == 0)
        {
            // The slot is made, and there is nothing to read.
            await Task.WhenAny(next, Task.Delay(1000));
            await limit.CancelAsync();
            await Catch<OperationCanceledException>(() => next);
            return ids;
        }
        while (true)
        {
            Assert.That(await next.WaitAsync(Patience), Is.True);
            ids.Add(((InsertMessage)stream.Current.Changes[0]).NewRow["id"].Read<int>());
            if (ids.Count <= acknowledged)
                changes.Acknowledge(stream.Current);
            if (ids.Count == count)
                return ids;
            next = stream.MoveNextAsync().AsTask();
        }
    }

    // Changes at random, applied to a dictionary as they come, while the stream is disturbed and after that; then both are compared.
    private async Task Mirror(string server, int seed, Func<Random, Task> disturb, int faults = 5)
    {
        var random = new Random(seed);
        await using var source = PgDataSource.Create(server);
        var changes = source.CreateChangeStream(NewSlot(), "p");
        var mirror = new Dictionary<int, (string?, DateTime?, decimal?, string?)>();
        var done = new TaskCompletionSource();
        var last = default(PgLogSequenceNumber);
        var transactions = 0;
        var reading = Task.Run(async () =>
        {
            await foreach (var transaction in changes.ReadAsync(Limit))
            {
                Assert.That(transaction.EndLsn, Is.GreaterThan(last), "a transaction came twice or too late");
                last = transaction.EndLsn;
                foreach (var change in transaction.Changes)
                    Apply(mirror, change);
                Interlocked.Increment(ref transactions);
                if (random.Next(3) > 0)
                    changes.Acknowledge(transaction);
                if (mirror.ContainsKey(-1))
                    break;
            }
            done.SetResult();
        });
        for (var i = 0; i < 200 && await Scalar<long>("SELECT count(*) FROM pg_replication_slots WHERE active", server) == 0; i++)
            await Task.Delay(50);
        using var stop = new CancellationTokenSource();
        var writer = Task.Run(() => Write(server, new Random(seed), stop.Token));
        await More(1);
        for (var i = 0; i < faults; i++)
            await disturb(new Random(seed + i));
        await More(10);
        await stop.CancelAsync();
        await writer;
        await Aside(server, "INSERT INTO item VALUES (-1)");
        await Task.WhenAny(done.Task, reading).WaitAsync(Patience);
        await reading;

        var expected = new Dictionary<int, (string?, DateTime?, decimal?, string?)>();
        await using var connection = await source.OpenConnectionAsync();
        await using var command = new PgCommand("SELECT id, name, at, price, tags FROM item", connection);
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            expected.Add(reader.GetInt32(0), (reader.IsDBNull(1) ? null : reader.GetString(1), reader.GetFieldValue<DateTime?>(2), reader.GetFieldValue<decimal?>(3),
                reader.IsDBNull(4) ? null : string.Join(',', reader.GetFieldValue<string[]>(4))));
        }
        Assert.That(mirror, Is.EquivalentTo(expected));
        Assert.That(transactions, Is.GreaterThan(10));

        async Task More(int count)
        {
            var end = Volatile.Read(ref transactions) + count;
            while (Volatile.Read(ref transactions) < end && !reading.IsCompleted)
                await Task.Delay(20);
        }
    }

    private static async Task Write(string server, Random random, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            var id = random.Next(1, 100);
            var statement = random.Next(6) switch
            {
                0 => $"DELETE FROM item WHERE id = {id}",
                1 => $"UPDATE item SET name = 'name {random.Next()}' WHERE id < {id}",
                2 => $"UPDATE item SET id = id + 1000 WHERE id = {id}",
                3 when random.Next(10) == 0 => "TRUNCATE item",
                _ => string.Create(CultureInfo.InvariantCulture,
                    $"INSERT INTO item VALUES ({id}, repeat('{id}', {random.Next(3000)}), now(), {random.Next(1000)} / 10.0, ARRAY['a', '{id}']) ON CONFLICT DO NOTHING"),
            };
            try
            {
                await Aside(server, statement);
            }
            catch (PgException e) when (e.IsTransient || e.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                await Task.Delay(50, CancellationToken.None);
            }
        }
    }

    private static void Apply(Dictionary<int, (string?, DateTime?, decimal?, string?)> mirror, TransactionalMessage change)
    {
        switch (change)
        {
            case InsertMessage insert:
                mirror.Add(insert.NewRow["id"].Read<int>(), Row(insert.NewRow, default));
                break;
            case UpdateMessage update:
                var old = (update as IndexUpdateMessage)?.Key["id"].Read<int>() ?? update.NewRow["id"].Read<int>();
                Assert.That(mirror.Remove(old, out var former), Is.True);
                mirror.Add(update.NewRow["id"].Read<int>(), Row(update.NewRow, former));
                break;
            case KeyDeleteMessage delete:
                Assert.That(mirror.Remove(delete.Key["id"].Read<int>()), Is.True);
                break;
            case TruncateMessage:
                mirror.Clear();
                break;
            default:
                Assert.Fail($"Another change: {change}");
                break;
        }
    }

    private static (string?, DateTime?, decimal?, string?) Row(ReplicationTuple row, (string? Name, DateTime?, decimal?, string?) former) => (
        row["name"] switch { { IsDBNull: true } => null, { IsUnchangedToastedValue: true } => former.Name, var name => name.Read<string>() },
        row["at"].Read<DateTime?>(), row["price"].Read<decimal?>(), row["tags"].IsDBNull ? null : string.Join(',', row["tags"].Read<string[]>()));
}
