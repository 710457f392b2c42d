using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Loxo.IntegrationTests.Replication;

/// <summary>Streams that are left, cancelled or fed with what makes no sense: the connection is usable afterwards, or says that it is closed.</summary>
public class WalStreamFaultTests : ReplicationTest
{
    private const string End = "the end";

    [Test]
    public async Task Changes_are_the_same_although_the_stream_was_left_in_the_middle_many_times(
        [Values(PgOutputProtocolVersion.V1, PgOutputProtocolVersion.V2, PgOutputProtocolVersion.V3, PgOutputProtocolVersion.V4)] PgOutputProtocolVersion version,
        [Values] bool byToken)
    {
        if (version == PgOutputProtocolVersion.V4 && TestServer.Version < 16)
        {
            await AssertRefused(version);
            return;
        }
        await Execute($"ALTER DATABASE {Database} SET logical_decoding_work_mem = '64kB'");
        await Execute("""
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE TABLE a (id int PRIMARY KEY, name text, more int);
            CREATE TABLE b (id int PRIMARY KEY, name text, mood mood);
            CREATE PUBLICATION p FOR TABLE a, b
            """);
        var options = new PgOutputReplicationOptions("p", version, binary: true,
            version == PgOutputProtocolVersion.V1 ? null : version == PgOutputProtocolVersion.V4 ? PgOutputStreamingMode.Parallel : PgOutputStreamingMode.On, messages: true);
        var left = await OpenLogical();
        var slot = await left.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit);
        var whole = await OpenLogical();
        var other = await whole.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit);
        await Execute("INSERT INTO a SELECT i, 'name ' || i FROM generate_series(1, 3000) i; INSERT INTO b SELECT i, 'b ' || i FROM generate_series(1, 3000) i");
        await Execute("INSERT INTO a SELECT i, 'name ' || i, i FROM generate_series(4001, 6000) i");
        await Execute("INSERT INTO b SELECT i, 'b', 'happy' FROM generate_series(4001, 4005) i");
        await Execute($"SELECT pg_logical_emit_message(false, '{End}', '')");
        var expected = await All(whole, other, options);
        Assert.That(expected, Has.Some.Contains("happy"));
        var random = new Random(1);
        for (var i = 0; i < 12; i++)
        {
            var most = random.Next(1, expected.Count);
            using var stop = new CancellationTokenSource();
            var count = 0;
            try
            {
                await foreach (var message in left.StartReplication(slot, options, byToken ? stop.Token : Limit))
                {
                    if (++count < most)
                        continue;
                    if (!byToken)
                        break;
                    await stop.CancelAsync();
                }
            }
            catch (OperationCanceledException e) when (byToken && e.CancellationToken == stop.Token)
            {
            }
            Assert.That((await left.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
        }
        var found = await All(left, slot, options);
        Assert.That(found.Where(line => line[0] != '('), Is.EqualTo(expected.Where(line => line[0] != '(')));
    }

    [Test]
    public async Task Types_of_a_table_that_was_described_while_the_stream_ended_are_known_to_the_next_one()
    {
        await Execute("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
        await Execute("CREATE PUBLICATION p FOR TABLE a, b");
        var options = new PgOutputReplicationOptions("p", PgOutputProtocolVersion.V1, binary: true, messages: true);
        var connection = await OpenLogical();
        var slot = await connection.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit);
        await Execute("CREATE TYPE mood AS ENUM ('sad', 'happy'); ALTER TABLE b ADD mood mood");
        await Execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 'happy'); INSERT INTO a SELECT generate_series(2, 50000)");
        await Execute($"SELECT pg_logical_emit_message(false, '{End}', '')");
        await foreach (var message in connection.StartReplication(slot, options, Limit))
        {
            if (message is InsertMessage)
            {
                await Task.Delay(300);
                break;
            }
        }
        Assert.That(await All(connection, slot, options), Has.Some.Contains("happy"));
    }

    [Test]
    public async Task A_token_that_is_cancelled_at_any_moment_leaves_the_connection_usable()
    {
        var (connection, slot) = await Publish();
        await Execute("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 2000) i");
        var random = new Random(7);
        var (early, late) = (0, 0);
        for (var i = 0; i < 150; i++)
        {
            using var stop = new CancellationTokenSource(TimeSpan.FromMicroseconds(random.Next(30_000)));
            var count = 0;
            try
            {
                await foreach (var message in connection.StartReplication(slot, V1, stop.Token))
                    count++;
            }
            catch (OperationCanceledException e)
            {
                Assert.That(e.CancellationToken, Is.EqualTo(stop.Token));
            }
            (early, late) = count == 0 ? (early + 1, late) : (early, late + 1);
            Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database), $"round {i}, after {count} messages");
        }
        TestContext.Out.WriteLine($"{early} before the first message, {late} later");
        await using var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        for (var i = 1; i <= 2000;)
        {
            if (await Next(stream) is InsertMessage insert)
                Assert.That(insert.NewRow["id"].Read<string>(), Is.EqualTo($"{i++}"));
        }
    }

    [Test]
    public async Task A_stream_can_be_disposed_of_at_every_stage()
    {
        var (connection, slot) = await Publish();
        await using (connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator()) { }
        var stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Execute("INSERT INTO t VALUES (1)");
        await Next(stream);
        await stream.DisposeAsync();
        await stream.DisposeAsync();
        Assert.That(await stream.MoveNextAsync(), Is.False);
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
        await Catch<InvalidOperationException>(() => connection.SendStatusUpdate(Limit));
        await Catch<TimeoutException>(async () =>
        {
            await foreach (var message in connection.StartReplication(slot, V1, Limit))
                throw new TimeoutException("the program's own");
        });
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
        stream = connection.StartReplication(slot, V1, Limit).GetAsyncEnumerator();
        await Next(stream);
        await connection.DisposeAsync();
        await connection.DisposeAsync();
        await Catch<Exception>(async () =>
        {
            while (await stream.MoveNextAsync().AsTask().WaitAsync(Patience)) { }
            throw new InvalidOperationException("It has ended.");
        });
        await stream.DisposeAsync();
        await Catch<ObjectDisposedException>(() => connection.IdentifySystem(Limit));
        connection.WalReceiverStatusInterval = TimeSpan.FromSeconds(1);
        await Until($"SELECT count(*) = 0 FROM pg_stat_replication WHERE pid IN (SELECT active_pid FROM pg_replication_slots WHERE slot_name = '{slot.Name}')");
    }

    [Test]
    public async Task Status_is_sent_over_TLS_while_rows_arrive()
    {
        var server = TestServer.Tls.ConnectionString + ";SSL Mode=Require";
        await Aside(server, "DROP TABLE IF EXISTS tls_item; CREATE TABLE tls_item (id int PRIMARY KEY, data text)");
        await Aside(server, "DROP PUBLICATION IF EXISTS tls_p");
        await Aside(server, "CREATE PUBLICATION tls_p FOR TABLE tls_item");
        await using var connection = new LogicalReplicationConnection(server);
        await connection.Open(Limit);
        var slot = await connection.CreatePgOutputReplicationSlot(NewSlot(), temporarySlot: true, cancellationToken: Limit);
        connection.WalReceiverStatusInterval = TimeSpan.FromMilliseconds(1);
        await Aside(server, "INSERT INTO tls_item SELECT i, repeat('x', i % 3000) FROM generate_series(1, 100000) i");
        using var stop = new CancellationTokenSource();
        var sent = 0;
        var expected = 1;
        Task[] sending = [];
        await foreach (var message in connection.StartReplication(slot, new("tls_p", PgOutputProtocolVersion.V1), Limit))
        {
            if (sending.Length == 0)
            {
                sending = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(async () =>
                {
                    while (!stop.IsCancellationRequested)
                    {
                        await connection.SendStatusUpdate(CancellationToken.None);
                        Interlocked.Increment(ref sent);
                        await Task.Delay(1, CancellationToken.None);
                    }
                }))];
            }
            if (message is InsertMessage insert)
            {
                var row = insert.NewRow;
                Assert.That((row["id"].Read<string>(), row["data"].Length), Is.EqualTo(($"{expected}", expected % 3000)));
                expected++;
            }
            if (message is CommitMessage)
            {
                await stop.CancelAsync();
                await Task.WhenAll(sending);
                break;
            }
        }
        TestContext.Out.WriteLine($"{sent} status messages");
        Assert.That(expected, Is.EqualTo(100_001));
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.Not.Null);
        await Aside(server, "DROP PUBLICATION tls_p; DROP TABLE tls_item");
    }

    [Test]
    public async Task What_makes_no_sense_closes_the_connection_with_an_error([Range(0, 11)] int kind)
    {
        byte[] header = [(byte)'w', .. new byte[24]];
        byte[][] bodies =
        [
            [], [(byte)'w'], header[..24], [(byte)'k', .. new byte[16]], [(byte)'x', 1, 2, 3], header,
            [.. header, (byte)'?'], [.. header, (byte)'B', 0], [.. header, (byte)'I', 0, 0, 0, 9, (byte)'N', 0, 0],
            [.. header, (byte)'T', 0x7F, 255, 255, 255, 0], [.. header, (byte)'M', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255],
            [.. header, (byte)'R', 0, 0, 0, 1, 0, 0, (byte)'d', 255, 255],
        ];
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var server = Task.Run(() => Serve(listener, bodies[kind]));
        await using var connection = new LogicalReplicationConnection(
            $"Host=127.0.0.1;Port={((IPEndPoint)listener.LocalEndpoint).Port};Username=u;Database=d;SSL Mode=Disable;GSS Encryption Mode=Disable");
        await connection.Open(Limit);
        connection.WalReceiverStatusInterval = TimeSpan.FromMilliseconds(1);
        var stream = connection.StartReplication(new PgOutputReplicationSlot("s"), V1, Limit).GetAsyncEnumerator();
        var error = await Catch<PgException>(() => stream.MoveNextAsync().AsTask().WaitAsync(Patience));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        await stream.DisposeAsync();
        await Catch<PgException>(() => connection.IdentifySystem(Limit));
        await connection.DisposeAsync();
        Assert.That(await server.WaitAsync(Patience), Is.True, "the client has closed the connection");
    }

    // A server that knows nothing but how a replication begins.
    private static async Task<bool> Serve(TcpListener listener, byte[] body)
    {
        using var client = await listener.AcceptTcpClientAsync();
        var stream = client.GetStream();
        var received = new byte[65536];
        Assert.That(await stream.ReadAsync(received), Is.Positive);
        await stream.WriteAsync((byte[])
        [
            .. Frame('R', [0, 0, 0, 0]), .. Frame('S', Encoding.ASCII.GetBytes("server_version\018.1\0")),
            .. Frame('S', Encoding.ASCII.GetBytes("client_encoding\0UTF8\0")), .. Frame('Z', "I"u8.ToArray()),
        ]);
        Assert.That(await stream.ReadAsync(received), Is.Positive);
        await stream.WriteAsync((byte[])[.. Frame('W', [0, 0, 0]), .. Frame('d', body)]);
        try
        {
            while (await stream.ReadAsync(received) > 0) { }
        }
        catch (IOException)
        {
            // It was reset.
        }
        return true;
    }

    private static byte[] Frame(char type, byte[] body)
    {
        var length = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(length, body.Length + 4);
        return [(byte)type, .. length, .. body];
    }

    private static PgOutputReplicationOptions V1 => new("p", PgOutputProtocolVersion.V1);

    private async Task<List<string>> All(LogicalReplicationConnection connection, PgOutputReplicationSlot slot, PgOutputReplicationOptions options)
    {
        var found = new List<string>();
        await foreach (var message in connection.StartReplication(slot, options, Limit))
        {
            // What the server repeats of its tables depends on what it has told the connection before.
            if (message is LogicalDecodingMessage { Prefix: End })
                return found;
            found.Add(message switch
            {
                InsertMessage insert => $"{insert.TransactionXid} {insert.Relation.RelationName}: {string.Join(", ", Enumerable.Range(0, insert.NewRow.NumColumns).Select(i => insert.NewRow[i]).Select(value => value.IsDBNull ? "NULL" : $"{value.Read<object>()}"))}",
                RelationMessage relation => $"({relation.RelationName}",
                TypeMessage type => $"({type.Name}",
                _ => $"{message.GetType().Name} {(message as TransactionalMessage)?.TransactionXid}",
            });
        }
        throw new InvalidOperationException("The stream has ended.");
    }

    private async Task<(LogicalReplicationConnection Connection, PgOutputReplicationSlot Slot)> Publish()
    {
        await Execute("CREATE TABLE t (id int primary key, name text)");
        await Execute("CREATE PUBLICATION p FOR TABLE t");
        var connection = await OpenLogical();
        return (connection, await connection.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit));
    }
}
