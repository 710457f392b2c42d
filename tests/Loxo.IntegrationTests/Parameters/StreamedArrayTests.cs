using System.Data;
using System.Data.Common;
using Npgsql;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>Arrays of streams as the values of parameters, some of them beside Npgsql.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StreamedArrayTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Megabyte = 1024 * 1024;

    private static readonly (string Name, Func<object> Make)[] Values =
    [
        ("Stream[]", () => new Stream[] { Memory(1), Memory(2, 3), Memory() }),
        ("none", () => Array.Empty<Stream>()),
        ("MemoryStream[]", () => new MemoryStream[] { Memory(1) }),
        ("List<Stream>", () => new List<Stream> { Memory(1), Memory(2, 3) }),
        ("null", () => new Stream?[] { Memory(1), null, Memory(2) }),
        ("does not seek", () => new Stream?[] { Memory(9), new OneWay(new byte[70_000]), null, Memory(), new OneWay([]), Memory(8) }),
        ("two dimensions", () => new Stream?[,] { { Memory(1), Memory(2) }, { null, Memory(3) } }),
        ("not at its start", () => new Stream[] { Behind(Memory(1, 2, 3)) }),
    ];

    private static readonly (string Name, Func<object> Make)[] Objects =
    [
        ("object[]", () => new object?[] { Memory(1), new byte[] { 2, 3 }, null, DBNull.Value }),
        ("List<object>", () => new List<object> { new byte[] { 1 }, Memory(2, 3) }),
    ];

    [Test]
    public async Task Arrays_and_lists_of_streams_arrive_as_with_Npgsql([Range(0, 7)] int index, [Values] bool typed)
    {
        await using var npgsql = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await Mode.Open(npgsql);

        Assert.That(await Arrived(Connection, Values[index].Make(), typed ? "bytea[]" : null),
            Is.EqualTo(await Arrived(npgsql, Values[index].Make(), typed ? "bytea[]" : null)), Values[index].Name);
    }

    [Test]
    public async Task Streams_mix_with_other_bytes_in_objects([Range(0, 1)] int index)
    {
        await using var npgsql = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await Mode.Open(npgsql);

        Assert.That(await Arrived(Connection, Objects[index].Make(), "bytea[]"), Is.EqualTo(await Arrived(npgsql, Objects[index].Make(), "bytea[]")));
    }

    [TestCase("text[]", "65,66", "{AB}")]
    [TestCase("jsonb[]", "91,49,93", "{[1]}")]
    public async Task Other_types_that_take_a_stream_take_arrays_of_them(string type, string bytes, string text)
    {
        byte[] content = [.. bytes.Split(',').Select(byte.Parse)];
        await using var npgsql = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await Mode.Open(npgsql);

        Assert.That(await Arrived(Connection, new Stream[] { new MemoryStream(content) }, type), Is.EqualTo(text));
        Assert.That(await Arrived(npgsql, new Stream[] { new MemoryStream(content) }, type), Is.EqualTo(text));
        Assert.That(await Arrived(Connection, new Stream[] { new BufferedStream(new MemoryStream(content)), new OneWay(content) }, type), Is.EqualTo(text[..^1] + "," + text[1..]));
    }

    [Test]
    public async Task Typed_parameters_and_other_collections_do_too()
    {
        foreach (var parameter in new PgParameter[]
        {
            new PgParameter<Stream[]>([Memory(1), Memory(2)]), new PgParameter<IList<Stream>>([Memory(1), Memory(2)]), new PgParameter<IEnumerable<Stream>>([Memory(1), Memory(2)]),
            new PgParameter<List<MemoryStream>>([Memory(1), Memory(2)]), new() { Value = new Queue<Stream>([Memory(1), Memory(2)]), PgDbType = PgDbType.Bytea | PgDbType.Array },
        })
            Assert.That(await Scalar<byte[][]>("SELECT $1", parameter), Is.EqualTo(new byte[][] { [1], [2] }));
    }

    [Test]
    public async Task One_parameter_takes_streams_and_other_values_in_turn()
    {
        await using var command = Command("SELECT $1");
        var parameter = new PgParameter { DataTypeName = "bytea[]" };
        command.Parameters.Add(parameter);
        foreach (var (value, expected) in new (object, byte[][])[]
        {
            (new object[] { new byte[] { 1 } }, [[1]]), (new object[] { Memory(2) }, [[2]]), (new[] { new byte[] { 3 } }, [[3]]), (new Stream[] { Memory(4) }, [[4]]),
            (new object[] { new byte[] { 5 } }, [[5]]),
        })
        {
            parameter.Value = value;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(expected));
        }
    }

    [Test]
    public async Task A_stream_may_be_there_more_than_once()
    {
        var stream = Behind(Memory(1, 2, 3));
        await using var command = Command("SELECT $1, $2, $3", new PgParameter { Value = new[] { stream, stream } }, new PgParameter { Value = stream },
            new PgParameter { Value = new Stream[] { stream } });
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetFieldValue<byte[][]>(0), Is.EqualTo(new byte[][] { [2, 3], [2, 3] }));
        Assert.That(reader.GetFieldValue<byte[]>(1), Is.EqualTo(new byte[] { 2, 3 }));
        Assert.That(reader.GetFieldValue<byte[][]>(2), Is.EqualTo(new byte[][] { [2, 3] }));
    }

    [Test]
    [Retry(3)] // the memory of the whole process is counted
    [Category("OneServer")]
    public async Task Streams_that_know_their_lengths_are_sent_in_bounded_memory()
    {
        await Hashes(Megabyte, canSeek: true);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        var hashes = await Hashes(20 * Megabyte, canSeek: true);

        Assert.That(GC.GetTotalAllocatedBytes(precise: true) - before, Is.LessThan(4 * Megabyte));
        Assert.That(hashes, Is.EqualTo(new[] { PatternStream.HashOf(20 * Megabyte), PatternStream.HashOf(20 * Megabyte + 1), PatternStream.HashOf(7) }));
    }

    [Test]
    [Category("OneServer")]
    public async Task Streams_that_do_not_are_sent_whole_and_leave_no_files()
    {
        Assert.That(await Hashes(20 * Megabyte, canSeek: false),
            Is.EqualTo(new[] { PatternStream.HashOf(20 * Megabyte), PatternStream.HashOf(20 * Megabyte + 1), PatternStream.HashOf(7) }));
        Assert.That(TemporaryFiles(), Is.Empty);
    }

    [Test]
    [Category("OneServer")]
    public async Task A_stream_that_fails_before_anything_was_sent_costs_the_command_only([Values] bool fails, [Values(1000, 17 * Megabyte)] int at)
    {
        // Not every stream knows its length, so all are read before anything is sent: the one that ends too early is noticed as well.
        Stream[] streams = [new PatternStream(20 * Megabyte, canSeek: !fails, Mode) { EndsAt = at, Fails = fails }, new PatternStream(5, canSeek: false, Mode)];
        var error = await Catch<PgException>(() => Execute("SELECT @photos", new PgParameter("photos", streams)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        Assert.That(error.InnerException, fails ? Is.TypeOf<IOException>() : Is.TypeOf<EndOfStreamException>());
        Assert.That(error.Message, Does.Contain("'photos'"));
        Assert.That(TemporaryFiles(), Is.Empty);
        await AssertUsable();
    }

    [Test]
    public async Task A_stream_that_ends_early_while_it_is_sent_takes_the_connection_with_it()
    {
        Stream[] streams = [Memory(1), new PatternStream(2 * Megabyte, canSeek: true, Mode) { EndsAt = Megabyte }];
        var error = await Catch<PgException>(() => Execute("SELECT @photos", new PgParameter("photos", streams)));

        Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.ParameterInvalid, error.InnerException as EndOfStreamException)));
        Assert.That(error.Message, Does.Contain("'photos'"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_command_that_has_to_run_again_sends_them_again_if_all_can_seek([Values] bool canSeek)
    {
        var table = $"stream_arrays_{Mode}_{canSeek}".ToLowerInvariant();
        await Execute($"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} AS SELECT 1 AS id");
        await using var command = Command($"SELECT t.*, $1 FROM {table} t", new PgParameter { Value = new Stream[] { Memory(1) } });
        await Mode.Prepare(command);
        await Mode.ExecuteNonQuery(command);
        await using (var another = new PgConnection(ConnectionString + ";Application Name=another program"))
        {
            await Mode.Open(another);
            await using var other = new PgCommand($"ALTER TABLE {table} ADD COLUMN name text", another);
            await Mode.ExecuteNonQuery(other);
        }

        command.Parameters[0].Value = new Stream[] { new PatternStream(200_000, canSeek: true, Mode), new PatternStream(3, canSeek, Mode) };
        if (!canSeek)
            Assert.That((await Catch<PgException>(() => Mode.ExecuteNonQuery(command))).Code, Is.EqualTo(PgErrorCode.StatementOutdated));
        command.Parameters[0].Value = new Stream[] { new PatternStream(200_000, canSeek: true, Mode), new PatternStream(3, canSeek, Mode) };
        await using (var reader = await Mode.ExecuteReader(command))
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetFieldValue<byte[][]>(2).Select(bytes => bytes.Length), Is.EqualTo(new[] { 200_000, 3 }));
        }
        await Execute($"DROP TABLE {table}");
    }

    [Test]
    public async Task What_does_not_fit_is_refused_before_anything_is_sent()
    {
        var closed = Memory(1);
        closed.Dispose();
        Assert.That((await Catch<ArgumentException>(() => Execute("SELECT @a", new PgParameter("a", new Stream[] { closed })))).Message, Does.Contain("'a'").And.Contain("closed"));
        await Catch<InvalidCastException>(() => Execute("SELECT @a", new PgParameter("a", new Stream[] { Memory(1) }) { DataTypeName = "integer[]" }));
        await Catch<InvalidCastException>(() => Execute("SELECT @a", new PgParameter("a", new Stream[] { Memory(1) }) { DataTypeName = "bytea" }));
        await Catch<InvalidCastException>(() => Execute("SELECT @a", new PgParameter("a", new object[] { Memory(1), 5 }) { DataTypeName = "bytea[]" }));
        await Catch<InvalidCastException>(() => Execute("SELECT @a", new PgParameter("a", new Stream[1, 1, 1, 1, 1, 1, 1])));
        var error = await Catch<PgException>(() => Execute("SELECT @a", new PgParameter("a", new Stream[] { Memory(1), new PatternStream(0x3fffffff, canSeek: true, Mode) })));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        await AssertUsable();
    }

    private static MemoryStream Memory(params byte[] bytes) => new(bytes);

    private static MemoryStream Behind(MemoryStream stream)
    {
        stream.Position = 1;
        return stream;
    }

    private static string[] TemporaryFiles() => Directory.GetFiles(Path.GetTempPath(), $"loxo-spool-{Environment.ProcessId}-*");

    private async Task<string?> Arrived(DbConnection connection, object value, string? type)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT $1::text";
        command.Parameters.Add(connection is PgConnection
            ? new PgParameter { Value = value, DataTypeName = type }
            : new NpgsqlParameter { Value = value, DataTypeName = type });
        return (string?)await Mode.ExecuteScalar(command);
    }

    private async Task<string[]> Hashes(int size, bool canSeek)
    {
        Stream[] streams = [new PatternStream(size, canSeek, Mode), new PatternStream(size + 1, canSeek, Mode), new PatternStream(7, canSeek: true, Mode)];
        return (await Scalar<string[]>("SELECT ARRAY(SELECT md5(one) FROM unnest($1) one)", new PgParameter { Value = streams }))!;
    }

    private sealed class OneWay(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
