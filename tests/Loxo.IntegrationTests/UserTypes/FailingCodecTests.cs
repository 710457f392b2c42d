using System.Buffers.Binary;
using System.Data;

namespace Loxo.IntegrationTests.UserTypes;

/// <summary>A codec of the user's that throws: the call fails, and nothing else does.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class FailingCodecTests(WaitMode mode) : UserTypeTest(mode)
{
    private static readonly (string Name, string Column, Func<PgDataReader, object?> Read)[] Ways =
    [
        ("value", "i", reader => reader.GetFieldValue<Even>(0)),
        ("nullable", "i", reader => reader.GetFieldValue<Even?>(0)),
        ("object", "i", reader => reader.GetValue(0)),
        ("array", "ARRAY[2, i, 4]", reader => reader.GetFieldValue<Even[]>(0)),
        ("list", "ARRAY[2, i, 4]", reader => reader.GetFieldValue<List<Even>>(0)),
        ("record", "ROW(2, i, 'x')", reader => reader.GetFieldValue<object[]>(0)),
        ("tuple", "ROW(2, i)", reader => reader.GetFieldValue<(Even, Even)>(0)),
    ];

    private static IEnumerable<string> Names => Ways.Select(way => way.Name);

    [SetUp]
    public Task UseCodec() => UseSource(builder => builder.AddCodec("int4", new EvenCodec()));

    [Test]
    public async Task The_rows_and_results_behind_a_failed_value_are_read(
        [ValueSource(nameof(Names))] string name, [Values(CommandBehavior.Default, CommandBehavior.SequentialAccess)] CommandBehavior behavior, [Values] bool prepared)
    {
        var (_, column, read) = Ways.Single(way => way.Name == name);
        await using var command = Command($"SELECT {column}, i::int8 FROM generate_series(1, 6) i; SELECT 7::int8");
        if (prepared)
            await Mode.Prepare(command);
        var reader = await Mode.ExecuteReader(command, behavior);
        for (var i = 1; i <= 6; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            if (i % 2 == 0)
                Assert.That(read(reader), Is.Not.Null);
            else
                AssertIsOf(Assert.Throws<PgException>(() => read(reader))!, i);
            Assert.That(reader.GetInt64(1), Is.EqualTo(i));
        }
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt64(0), Is.EqualTo(7));
        await Mode.Close(reader);
        await AssertLong();
    }

    [Test]
    public async Task A_reader_closed_at_a_failed_value_leaves_the_connection_usable([ValueSource(nameof(Names))] string name)
    {
        var (_, column, read) = Ways.Single(way => way.Name == name);
        await using var command = Command($"SELECT {column}, repeat('x', 10000) FROM generate_series(1, 5000) i");
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        AssertIsOf(Assert.Throws<PgException>(() => read(reader))!, 1);
        await Mode.Close(reader);
        await AssertLong();
    }

    [Test]
    public async Task A_scalar_that_cannot_be_read_leaves_the_connection_usable()
    {
        AssertIsOf(await Catch<PgException>(() => Scalar<object>("SELECT 3")), 3);
        await AssertLong();
        Assert.That(await Scalar<Even>("SELECT 4"), Is.EqualTo(new Even(4)));
    }

    [Test]
    public Task A_value_that_cannot_be_written_sends_nothing([Values] bool inTransaction, [Values("command", "array", "batch", "pipeline")] string way) =>
        AssertNothingIsWritten(inTransaction, way);

    [Test]
    public Task A_value_that_cannot_be_written_ends_its_import() => AssertNothingIsWritten(inTransaction: false, "import");

    private async Task AssertNothingIsWritten(bool inTransaction, string way)
    {
        await Execute("CREATE TEMP TABLE evens (id int)");
        await using var transaction = inTransaction ? Connection.BeginTransaction() : null;
        var odd = new Even(3);

        await Catch<Exception>(() => Write(way, odd));

        await AssertLong();
        Assert.That(await Scalar<long>("SELECT count(*) FROM evens"), Is.Zero);
        await Write(way, new Even(4));
        Assert.That(await Scalar<long>("SELECT sum(id) FROM evens"), Is.EqualTo(4));
        if (transaction is not null)
            await Mode.Commit(transaction);
    }

    private static void AssertIsOf(PgException error, int value)
    {
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConversionFailed));
        Assert.That(error.Message, Does.Contain("ordinal 0"));
        Assert.That((error.InnerException as NotEvenException)?.Value, Is.EqualTo(value));
    }

    private async Task Write(string way, Even value)
    {
        const string Insert = "INSERT INTO evens VALUES ($1)";
        switch (way)
        {
            case "command":
                await Execute(Insert, new PgParameter<Even>(value));
                break;
            case "array":
                await Execute("INSERT INTO evens SELECT unnest($1) ORDER BY 1 LIMIT 1", new PgParameter { Value = new[] { value, new Even(8) } });
                break;
            case "batch":
                await using (var batch = new PgBatch(Connection))
                {
                    batch.BatchCommands.Add(new PgBatchCommand("SELECT 1::int8"));
                    batch.BatchCommands.Add(new PgBatchCommand(Insert) { Parameters = { new PgParameter<Even>(value) } });
                    await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
                }
                break;
            case "pipeline":
                await using (var pipeline = Connection.CreatePipeline())
                {
                    var result = pipeline.AddNonQuery(new PgCommand(Insert, Connection) { Parameters = { new PgParameter<Even>(value) } });
                    await Mode.Run(() => result.GetResult(), () => result.GetResultAsync());
                }
                break;
            default:
                await using (var importer = await Mode.Run(
                    () => Connection.BeginBinaryImport("COPY evens FROM STDIN (FORMAT binary)"), () => Connection.BeginBinaryImportAsync("COPY evens FROM STDIN (FORMAT binary)")))
                {
                    await Mode.Run(importer.StartRow, () => importer.StartRowAsync());
                    await Mode.Run(() => importer.Write(value), () => importer.WriteAsync(value));
                    await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
                }
                break;
        }
    }

    // The type of the failing codec is left alone.
    private async Task AssertLong() => Assert.That(await Scalar<long>("SELECT 42::int8"), Is.EqualTo(42L));

    private readonly record struct Even(int Value);

    private sealed class NotEvenException(int value) : Exception
    {
        public int Value { get; } = value;
    }

    private sealed class EvenCodec : ValueCodec<Even>
    {
        public override Even Read(ReadOnlySpan<byte> value) => Checked(new(BinaryPrimitives.ReadInt32BigEndian(value)));

        // The bytes in front of the failure are taken back.
        public override void Write(MessageWriter writer, Even value)
        {
            writer.WriteInt32(value.Value);
            Checked(value);
        }

        private static Even Checked(Even even) => even.Value % 2 == 0 ? even : throw new NotEvenException(even.Value);
    }
}
