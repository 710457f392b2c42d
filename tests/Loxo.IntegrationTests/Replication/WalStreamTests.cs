using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Replication;

/// <summary>Streams: their bytes, how they end, and what the server is told meanwhile.</summary>
public class WalStreamTests : ReplicationTest
{
    private const int SegmentSize = 16 * 1024 * 1024;

    [Test]
    public async Task The_log_comes_byte_for_byte_as_the_server_has_it_in_its_files()
    {
        var connection = await OpenPhysical();
        var slot = await connection.CreateReplicationSlot(NewSlot(), isTemporary: true, reserveWal: true, Limit);
        var system = await connection.IdentifySystem(Limit);
        var start = new PgLogSequenceNumber(system.XLogPos.Value / 8192 * 8192);
        await Execute("CREATE TABLE t AS SELECT i, repeat(md5(i::text), 20) FROM generate_series(1, 5000) i");
        var end = await Scalar<PgLogSequenceNumber>("SELECT pg_switch_wal()");
        var received = new MemoryStream();
        var place = start;
        await foreach (var message in connection.StartReplication(slot, start, Limit, system.Timeline))
        {
            Assert.That(message.WalStart, Is.EqualTo(place));
            await message.Data.CopyToAsync(received);
            place = start + received.Length;
            Assert.That(connection.LastReceivedLsn, Is.EqualTo(place));
            Assert.That(message.ServerClock, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));
            if (place >= end)
                break;
        }

        var expected = new List<byte>();
        for (var at = start; at < end;)
        {
            var left = Math.Min(end - at, SegmentSize - (long)(at.Value % SegmentSize));
            expected.AddRange(await Scalar<byte[]>(
                $"SELECT pg_read_binary_file('pg_wal/' || pg_walfile_name('{at + 1}'), {at.Value % SegmentSize}, {left})"));
            at += left;
        }
        Assert.That(received.ToArray()[..expected.Count].AsSpan().SequenceEqual(expected.ToArray()), Is.True);
        Assert.That((await connection.IdentifySystem(Limit)).SystemId, Is.EqualTo(system.SystemId), "the connection can be used");
    }

    [Test]
    public async Task Data_of_a_message_cannot_be_read_once_the_next_one_has_come()
    {
        var connection = await OpenPhysical();
        var system = await connection.IdentifySystem(Limit);
        var messages = connection.StartReplication(system.XLogPos, Limit).GetAsyncEnumerator();
        await using var ending = messages.ConfigureAwait(false);
        await Execute("CREATE TABLE t (id int)");
        var first = await Next(messages);
        await Execute("DROP TABLE t");
        await Next(messages);
        Assert.Throws<ObjectDisposedException>(() => first.Data.ReadByte());
    }

    [Test]
    public async Task A_connection_that_is_disposed_while_a_message_is_awaited_ends_the_wait_with_an_error()
    {
        var (connection, slot) = await Publish();
        var messages = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator(Limit);
        var next = messages.MoveNextAsync().AsTask();
        await Task.Delay(100);
        await connection.DisposeAsync().AsTask().WaitAsync(Patience);
        Assert.That(async () => await next.WaitAsync(Patience), Throws.InstanceOf<PgException>());
        await messages.DisposeAsync();
        Assert.That(async () => await connection.IdentifySystem(Limit), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task Commands_of_two_threads_get_their_own_answers_or_are_refused()
    {
        var connection = await OpenLogical();
        async Task<int> Run(string setting, string value)
        {
            var answers = 0;
            for (var i = 0; i < 200; i++)
            {
                try
                {
                    Assert.That(await connection.Show(setting, Limit), Is.EqualTo(value));
                    answers++;
                }
                catch (PgOperationInProgressException)
                {
                    await Task.Yield();
                }
            }
            return answers;
        }
        var both = await Task.WhenAll(Task.Run(() => Run("server_encoding", "UTF8")), Task.Run(() => Run("wal_level", "logical")));
        Assert.That(both.Sum(), Is.Positive);
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
    }

    [Test]
    public async Task A_stream_that_is_left_leaves_the_connection_usable([Values] bool inTheMiddleOfMuch)
    {
        var (connection, slot) = await Publish();
        await Execute($"INSERT INTO t SELECT i, repeat('x', 1000) FROM generate_series(1, {(inTheMiddleOfMuch ? 100_000 : 1)}) i");
        for (var i = 0; i < 3; i++)
        {
            await foreach (var message in connection.StartReplication(slot, V1, Limit))
            {
                if (message is InsertMessage)
                    break;
            }
            Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
        }
    }

    [Test]
    public async Task A_token_ends_a_stream_that_waits_or_reads([Values] bool waits)
    {
        var (connection, slot) = await Publish();
        if (!waits)
            await Execute("INSERT INTO t SELECT i, repeat('x', 1000) FROM generate_series(1, 100000) i");
        using var stop = new CancellationTokenSource();
        var count = 0;
        var error = await Catch<OperationCanceledException>(async () =>
        {
            stop.CancelAfter(waits ? 300 : Timeout.Infinite);
            await foreach (var message in connection.StartReplication(slot, V1, stop.Token))
            {
                if (++count == 100)
                    await stop.CancelAsync();
            }
        });
        Assert.That(error.CancellationToken, Is.EqualTo(stop.Token));
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
        await using var again = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (-1)");
        await Next(again);
    }

    [Test]
    public async Task A_stream_takes_the_connection_for_itself()
    {
        var (connection, slot) = await Publish();
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (1)");
        await Next(stream);
        await Catch<InvalidOperationException>(() => connection.IdentifySystem(Limit));
        await using var second = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Catch<InvalidOperationException>(() => second.MoveNextAsync().AsTask());
        await Next(stream);
    }

    [Test]
    public async Task An_error_at_the_start_leaves_the_connection_usable()
    {
        var (connection, slot) = await Publish();
        var wrong = new PgOutputReplicationOptions("no such publication", PgOutputProtocolVersion.V1);
        await using (var stream = connection.StartReplication(new PgOutputReplicationSlot("no_such_slot"), V1, Limit).GetAsyncEnumerator())
            Assert.That((await Catch<PostgresException>(() => stream.MoveNextAsync().AsTask())).SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedObject));
        await using (var stream = connection.StartReplication(slot, new PgOutputReplicationOptions("p", 99), Limit).GetAsyncEnumerator())
            await Catch<PostgresException>(() => stream.MoveNextAsync().AsTask());
        await Execute("INSERT INTO t VALUES (1)");
        // Newer servers warn in their log, and send none of the changes.
        using var enough = new CancellationTokenSource(TimeSpan.FromMilliseconds(500));
        await using (var stream = connection.StartReplication(slot, wrong, enough.Token).GetAsyncEnumerator())
        {
            if (TestServer.Version < 18)
                await Catch<PostgresException>(() => stream.MoveNextAsync().AsTask());
            else
                await Catch<OperationCanceledException>(() => stream.MoveNextAsync().AsTask());
        }
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
    }

    [Test]
    public async Task What_is_confirmed_reaches_the_server_at_once_when_asked_and_else_in_time([Values] bool atOnce)
    {
        var (connection, slot) = await Publish();
        connection.WalReceiverStatusInterval = atOnce ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(200);
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (1)");
        CommitMessage? commit;
        while ((commit = await Next(stream) as CommitMessage) is null) { }

        connection.SetReplicationStatus(commit.TransactionEndLsn);
        if (atOnce)
            await connection.SendStatusUpdate(Limit);

        await Until($"SELECT confirmed_flush_lsn = '{commit.TransactionEndLsn}' FROM pg_replication_slots WHERE slot_name = '{slot.Name}'");
        await Until($"SELECT (flush_lsn, replay_lsn) = ('{commit.TransactionEndLsn}', '{commit.TransactionEndLsn}') FROM pg_stat_replication WHERE pid = {connection.ProcessID}");
    }

    [Test]
    public async Task A_reader_that_is_busy_elsewhere_is_not_cut_off()
    {
        await Execute("ALTER DATABASE " + Database + " SET wal_sender_timeout = '1s'");
        var (connection, slot) = await Publish();
        connection.WalReceiverStatusInterval = TimeSpan.FromMilliseconds(200);
        connection.WalReceiverTimeout = TimeSpan.FromMilliseconds(500);
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (1)");
        await Next(stream);
        await Task.Delay(4000);
        InsertMessage? insert;
        while ((insert = await Next(stream) as InsertMessage) is null) { }
        Assert.That(insert.NewRow["id"].Read<string>(), Is.EqualTo("1"));
    }

    [Test]
    public async Task A_stream_without_changes_lives_longer_than_both_limits()
    {
        await Execute("ALTER DATABASE " + Database + " SET wal_sender_timeout = '1s'");
        var (connection, slot) = await Publish();
        connection.WalReceiverStatusInterval = Timeout.InfiniteTimeSpan;
        connection.WalReceiverTimeout = TimeSpan.FromMilliseconds(800);
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        var next = Next(stream);
        await Task.Delay(4000);
        Assert.That(next.IsCompleted, Is.False);
        await Execute("INSERT INTO t VALUES (1)");
        Assert.That(await next, Is.InstanceOf<BeginMessage>());
    }

    [Test]
    public async Task A_link_that_swallows_everything_is_noticed()
    {
        var (owner, slot) = await Publish();
        await owner.DisposeAsync();
        var direct = new PgConnectionStringBuilder(ConnectionString);
        await using var proxy = new ChaosProxy(direct.Host!, direct.Port);
        await using var connection = new LogicalReplicationConnection(proxy.ConnectionString($"SSL Mode=Disable;{ConnectionString}"));
        connection.WalReceiverTimeout = TimeSpan.FromSeconds(1);
        await connection.Open(Limit);
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (1)");
        await Next(stream);
        (await proxy.Link(0)).ToClient.GateAfterBytes(0);
        PgException error;
        while (true)
        {
            try
            {
                await stream.MoveNextAsync().AsTask().WaitAsync(Patience);
            }
            catch (PgException e)
            {
                error = e;
                break;
            }
        }
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.IsTransient, Is.True);
    }

    [Test]
    public async Task A_terminated_session_ends_the_stream_with_the_reason()
    {
        var (connection, slot) = await Publish();
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        var next = stream.MoveNextAsync().AsTask();
        await Until($"SELECT count(*) = 1 FROM pg_stat_replication WHERE pid = {connection.ProcessID} AND state = 'streaming'");
        await Execute($"SELECT pg_terminate_backend({connection.ProcessID})");
        var error = await Catch<PostgresException>(() => next.WaitAsync(Patience));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.AdminShutdown));
        await Catch<PgException>(() => connection.IdentifySystem(Limit));
    }

    [Test]
    public async Task Text_of_test_decoding_is_what_the_servers_function_returns()
    {
        await Execute("CREATE TABLE t (id int primary key, name text)");
        var connection = await OpenLogical();
        var (slot, other) = (NewSlot(), NewSlot());
        var made = await connection.CreateTestDecodingReplicationSlot(slot, cancellationToken: Limit);
        await Execute($"SELECT pg_create_logical_replication_slot('{other}', 'test_decoding')");
        await Execute("INSERT INTO t SELECT i, 'näme ' || i FROM generate_series(1, 3) i");
        await Execute("UPDATE t SET name = NULL WHERE id = 2; DELETE FROM t WHERE id = 1; TRUNCATE t");
        var options = new TestDecodingOptions(includeXids: true, includeTimestamp: true, skipEmptyXacts: true, onlyLocal: true, includeRewrites: false, streamChanges: false);
        await using var reading = new PgConnection(ConnectionString);
        await reading.OpenAsync();
        await using var command = new PgCommand(
            $"SELECT data FROM pg_logical_slot_peek_changes('{other}', NULL, NULL, 'include-xids', 'true', 'include-timestamp', 'true', 'skip-empty-xacts', 'true', 'only-local', 'true', 'include-rewrites', 'false')", reading);
        var expected = new List<string>();
        await using (var reader = await command.ExecuteReaderAsync())
        {
            while (await reader.ReadAsync())
                expected.Add(reader.GetString(0));
        }
        var found = new List<string>();
        TestDecodingData? last = null;
        await foreach (var data in connection.StartReplication(made, Limit, options))
        {
            found.Add(data.Data);
            last = data.Clone();
            if (found.Count == expected.Count)
                break;
        }
        Assert.That(found, Is.EqualTo(expected));
        Assert.That((last!.ToString(), last.WalEnd), Is.EqualTo((expected[^1], last.WalEnd)));
    }

    private static PgOutputReplicationOptions V1 => new("p", PgOutputProtocolVersion.V1);

    private async Task<(LogicalReplicationConnection Connection, PgOutputReplicationSlot Slot)> Publish()
    {
        await Execute("CREATE TABLE t (id int primary key, name text)");
        await Execute("CREATE PUBLICATION p FOR TABLE t");
        var connection = await OpenLogical();
        return (connection, await connection.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit));
    }
}
