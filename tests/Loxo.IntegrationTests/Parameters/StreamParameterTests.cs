using System.Buffers;
using System.Data;
using System.Security.Cryptography;
using System.Text;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>Streams as the values of parameters.</summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false)]
[TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
[Category("Slow"), Category("OneServer")]
public class StreamParameterTests(WaitMode mode, bool tls) : DatabaseTest(mode)
{
    private const int Megabyte = 1024 * 1024;
    private const int Large = 64 * Megabyte;

    protected override string ConnectionString => tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : base.ConnectionString;

    [Test]
    // The memory of the whole process is counted, and somebody else may take some at the same moment; a value that is kept is kept every time.
    [Retry(3)]
    public async Task A_stream_that_knows_its_length_is_sent_in_bounded_memory()
    {
        await Hash(new PatternStream(Megabyte, canSeek: true, Mode), 0);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        var (length, hash) = await Hash(new PatternStream(Large, canSeek: true, Mode), 0);

        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        Assert.That((length, hash), Is.EqualTo((Large, PatternStream.HashOf(Large))));
        await AssertUsable();
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(100_000)]
    [TestCase(16 * Megabyte)]
    [TestCase(16 * Megabyte + 1)]
    [TestCase(Large)]
    public async Task A_stream_that_does_not_know_its_length_is_sent_whole(int size)
    {
        var (length, hash) = await Hash(new PatternStream(size, canSeek: false, Mode), 0);

        Assert.That((length, hash), Is.EqualTo((size, PatternStream.HashOf(size))));
        Assert.That(TemporaryFiles(), Is.Empty);
        await AssertUsable();
    }

    [Test]
    public async Task The_size_says_how_many_bytes_are_sent([Values] bool canSeek)
    {
        var stream = new PatternStream(3 * Megabyte, canSeek, Mode);
        var (length, hash) = await Hash(stream, 2 * Megabyte);

        Assert.That((length, hash), Is.EqualTo((2 * Megabyte, PatternStream.HashOf(2 * Megabyte))));
        Assert.That(stream.Position, Is.EqualTo(2 * Megabyte));
        await AssertUsable();
    }

    [Test]
    public async Task A_stream_is_read_from_where_it_stands_and_left_open()
    {
        using var stream = new MemoryStream("0123456789"u8.ToArray()) { Position = 4 };

        Assert.That(await Scalar<byte[]>("SELECT $1", stream), Is.EqualTo("456789"u8.ToArray()));
        Assert.That((stream.Position, stream.CanRead), Is.EqualTo((10, true)));
        Assert.That(await Scalar<byte[]>("SELECT $1", stream), Is.Empty);
        stream.Position = 8;
        await using var command = Command("SELECT @a, @b, 5");
        command.Parameters.Add(new PgParameter<Stream>("a", stream));
        command.Parameters.Add(new PgParameter("b", PgDbType.Text) { Value = stream });
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetFieldValue<byte[]>(0), Is.EqualTo("89"u8.ToArray()));
        Assert.That((reader.GetString(1), reader.GetInt32(2)), Is.EqualTo(("89", 5)));
        await Mode.Close(reader);
    }

    [TestCase("text", "é", "é")]
    [TestCase("json", "{\"a\":1}", "{\"a\":1}")]
    [TestCase("jsonb", "{\"a\":1}", "{\"a\": 1}")]
    [TestCase("xml", "<a/>", "<a/>")]
    [TestCase("varchar", "", "")]
    public async Task A_stream_stands_for_the_bytes_of_other_types_too(string type, string sent, string read)
    {
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(sent));

        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { DataTypeName = type, Value = stream }), Is.EqualTo(read));
    }

    [Test]
    public async Task A_type_that_only_the_server_knows_is_given_its_text()
    {
        await Execute("CREATE TYPE pg_temp.mood AS ENUM ('happy')");
        using var stream = new MemoryStream("happy"u8.ToArray());

        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { DataTypeName = "pg_temp.mood", Value = stream }), Is.EqualTo("happy"));
    }

    [Test]
    public async Task Streams_and_values_mix_in_a_batch()
    {
        await using var batch = Connection.CreateBatch();
        for (var i = 1; i <= 5; i++)
        {
            var command = new PgBatchCommand("SELECT $1::int, md5($2), $3::text, md5($4)");
            command.Parameters.Add(new PgParameter { Value = i });
            command.Parameters.Add(new PgParameter { Value = new PatternStream(i * 100_000, canSeek: true, Mode) });
            command.Parameters.Add(new PgParameter { Value = "between" });
            command.Parameters.Add(new PgParameter { Value = new PatternStream(i * 200_000, canSeek: i % 2 == 0, Mode) });
            batch.BatchCommands.Add(command);
        }
        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        for (var i = 1; i <= 5; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(i));
            Assert.That(reader.GetString(1), Is.EqualTo(PatternStream.HashOf(i * 100_000)));
            Assert.That(reader.GetString(2), Is.EqualTo("between"));
            Assert.That(reader.GetString(3), Is.EqualTo(PatternStream.HashOf(i * 200_000)));
            Assert.That(await Mode.NextResult(reader), Is.EqualTo(i < 5));
        }
    }

    [Test]
    public async Task Large_results_and_large_streams_do_not_wait_for_each_other()
    {
        await using var batch = Connection.CreateBatch();
        batch.BatchCommands.Add(new PgBatchCommand("SELECT repeat('x', 1048576) FROM generate_series(1, 30)"));
        var second = new PgBatchCommand("SELECT md5($1)");
        second.Parameters.Add(new PgParameter { Value = new PatternStream(30 * Megabyte, canSeek: true, Mode) });
        batch.BatchCommands.Add(second);
        await using var reader = await Mode.Run(() => batch.ExecuteReader(CommandBehavior.SequentialAccess), () => batch.ExecuteReaderAsync(CommandBehavior.SequentialAccess));
        for (var i = 0; i < 30; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            var text = await Mode.Run(() => reader.GetString(0), () => reader.GetFieldValueAsync<string>(0));
            Assert.That(text, Has.Length.EqualTo(Megabyte));
        }
        Assert.That(await Mode.NextResult(reader) && await Mode.Read(reader));
        Assert.That(reader.GetString(0), Is.EqualTo(PatternStream.HashOf(30 * Megabyte)));
    }

    [Test]
    public async Task A_stream_that_ends_early_or_fails_takes_the_connection_with_it_and_says_which([Values] bool fails)
    {
        var stream = new PatternStream(2 * Megabyte, canSeek: true, Mode) { EndsAt = Megabyte, Fails = fails };
        var error = await Catch<PgException>(() => Execute("SELECT length(@photo)", new PgParameter("photo", stream)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        Assert.That(error.Message, Does.Contain("'photo'").And.Contain("1048576 of 2097152"));
        Assert.That(error.InnerException, fails ? Is.InstanceOf<IOException>() : Is.Null);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Close(Connection);
        await Mode.Open(Connection);
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_is_cancelled_while_its_stream_is_measured_is_not_sent()
    {
        await Execute("CREATE TEMP TABLE arrived (photo bytea)");
        PgCommand? running = null;
        var stream = new PatternStream(Megabyte, canSeek: false, Mode) { EndsAt = Megabyte / 2, OnEnd = () => running!.Cancel() };
        await using var command = running = Command("INSERT INTO arrived VALUES ($1)", stream);

        await Catch<OperationCanceledException>(() => Mode.ExecuteNonQuery(command));

        await using var count = Command("SELECT count(*) FROM arrived");
        Assert.That(await Mode.ExecuteScalar(count), Is.Zero);
    }

    [Test]
    public async Task A_stream_that_fails_before_anything_was_sent_costs_the_command_only([Values(Megabyte, 17 * Megabyte)] int at)
    {
        var stream = new PatternStream(20 * Megabyte, canSeek: false, Mode) { EndsAt = at, Fails = true };
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        var error = await Catch<PgException>(() => Execute("SELECT length(@photo)", new PgParameter("photo", stream)));

        Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.ParameterInvalid, error.InnerException as IOException)));
        Assert.That(error.Message, Does.Contain("'photo'"));
        Assert.That(TemporaryFiles(), Is.Empty);
        await AssertUsable();
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task A_closed_stream_is_refused()
    {
        var stream = new MemoryStream([1]);
        stream.Dispose();
        var error = await Catch<ArgumentException>(() => Execute("SELECT length(@photo)", new PgParameter("photo", stream)));

        Assert.That(error.Message, Does.Contain("'photo'").And.Contain("closed"));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_longer_than_a_message_is_refused_before_anything_is_sent()
    {
        var stream = new PatternStream(0x3fffffff, canSeek: true, Mode);
        var error = await Catch<PgException>(() => Execute("SELECT length($1)", stream));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        Assert.That(stream.Position, Is.Zero);
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_has_to_run_again_sends_a_stream_again_if_it_can([Values] bool canSeek)
    {
        var table = $"streamed_{Mode}_{tls}_{canSeek}".ToLowerInvariant();
        await Execute($"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} AS SELECT 1 AS id");
        await using var command = Command($"SELECT t.*, length($1) FROM {table} t", new PatternStream(1000, canSeek, Mode));
        await Mode.Prepare(command);
        Assert.That(await Length(command), Is.EqualTo(1000));
        // Another data source, whose definitions this one does not hear of.
        await using (var another = new PgConnection(ConnectionString + ";Application Name=another program"))
        {
            await Mode.Open(another);
            await using var other = new PgCommand($"ALTER TABLE {table} ADD COLUMN name text", another);
            await Mode.ExecuteNonQuery(other);
        }

        command.Parameters[0].Value = new PatternStream(200_000, canSeek, Mode);
        if (canSeek)
            Assert.That(await Length(command), Is.EqualTo(200_000));
        else
            Assert.That((await Catch<PgException>(() => Length(command))).Code, Is.EqualTo(PgErrorCode.StatementOutdated));
        command.Parameters[0].Value = new PatternStream(300_000, canSeek, Mode);
        Assert.That(await Length(command), Is.EqualTo(300_000));
        await Execute($"DROP TABLE {table}");
    }

    [Test]
    public async Task A_sequence_is_sent_from_where_it_lies([Values(0, 10, 100_000, Large)] int size, [Values] bool typed)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        var first = new Segment(bytes.AsMemory(0, size / 3), null);
        var second = new Segment(bytes.AsMemory(size / 3, size / 2 - size / 3), first);
        var last = new Segment(bytes.AsMemory(size / 2), second);
        var sequence = new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
        PgParameter Parameter() => typed ? new PgParameter<ReadOnlySequence<byte>>(sequence) : new PgParameter { Value = sequence };
        await Scalar<string>("SELECT md5($1)", new PgParameter { Value = "warm"u8.ToArray() });
        var before = GC.GetTotalAllocatedBytes(precise: true);
        var hash = await Scalar<string>("SELECT md5($1)", Parameter());

        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        Assert.That(hash, Is.EqualTo(Convert.ToHexStringLower(MD5.HashData(bytes))));
        await AssertUsable();
    }

    [Test]
    public async Task A_token_that_is_cancelled_while_a_stream_is_awaited_ends_the_command()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        using var cancellation = new CancellationTokenSource();
        var stream = new PatternStream(2 * Megabyte, canSeek: true, Mode) { EndsAt = Megabyte, Stalls = true, OnEnd = cancellation.Cancel };
        await using var command = Command("SELECT length($1)", stream);
        await Catch<OperationCanceledException>(() => command.ExecuteNonQueryAsync(cancellation.Token));

        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    private async Task<(int Length, string Hash)> Hash(Stream stream, int size)
    {
        await using var command = Command("SELECT length($1), md5($1)", new PgParameter { Value = stream, Size = size });
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var result = (reader.GetInt32(0), reader.GetString(1));
        await Mode.Close(reader);
        return result;
    }

    private async Task<int> Length(PgCommand command)
    {
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var length = reader.GetInt32(reader.FieldCount - 1);
        await Mode.Close(reader);
        return length;
    }

    private static string[] TemporaryFiles() => Directory.GetFiles(Path.GetTempPath(), $"loxo-spool-{Environment.ProcessId}-*");

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, Segment? former)
        {
            Memory = memory;
            if (former is null)
                return;
            RunningIndex = former.RunningIndex + former.Memory.Length;
            former.Next = this;
        }
    }
}
