using System.Text;

namespace Loxo.IntegrationTests.Copy;

/// <summary>COPY in text and CSV format, and as a stream of bytes.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class TextCopyTests(WaitMode mode) : CopyTest(mode)
{
    private const string Csv = "COPY copied FROM STDIN (FORMAT csv)";

    [TestCase(0), TestCase(1), TestCase(50_000)]
    public async Task Text_is_written_and_read(int rows)
    {
        var writer = await BeginText(Csv);
        for (var i = 0; i < rows; i++)
            await WriteText(writer, $"{i},\"row \"\"ä\"\" {i}\"\n");
        await Mode.Dispose(writer);
        Assert.That(await Rows("SELECT count(*), count(*) FILTER (WHERE name = 'row \"ä\" ' || id) FROM copied"), Is.EqualTo(new[] { new object?[] { (long)rows, (long)rows } }));
        var reader = await BeginReading("COPY (SELECT * FROM copied ORDER BY id) TO STDOUT (FORMAT csv)");
        for (var i = 0; i < rows; i++)
            Assert.That(await Mode.Run(reader.ReadLine, () => reader.ReadLineAsync()), Is.EqualTo($"{i},\"row \"\"ä\"\" {i}\""));
        Assert.That(await Mode.Run(reader.ReadLine, () => reader.ReadLineAsync()), Is.Null);
        await Mode.Dispose(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Complete_tells_the_number_of_rows()
    {
        var writer = await BeginText(Csv);
        writer.CompletesOnDispose = false;
        await WriteText(writer, "1,one\n2,two\n");
        Assert.That(await Mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask()), Is.EqualTo(2));
        await Mode.Dispose(writer);
        Assert.That(await Count(), Is.EqualTo(2));
    }

    [TestCase(false), TestCase(true)]
    public async Task An_import_that_is_cancelled_or_not_completed_leaves_nothing(bool cancels)
    {
        var writer = await BeginText(Csv);
        writer.CompletesOnDispose = cancels;
        for (var i = 0; i < 20_000; i++)
            await WriteText(writer, $"{i},x\n");
        if (cancels)
            await Mode.Run(writer.Cancel, writer.CancelAsync);
        await Mode.Dispose(writer);
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task An_error_of_the_server_is_thrown_by_Dispose_and_leaves_nothing()
    {
        var writer = await BeginText(Csv);
        await WriteText(writer, "1,one\n2\n");
        var error = await Catch<PostgresException>(() => Mode.Dispose(writer));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.BadCopyFileFormat));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_text_that_has_no_UTF8_form_leaves_nothing()
    {
        var writer = await BeginText(Csv);
        await WriteText(writer, "1,one\n2,\ud800\n");
        await Catch<EncoderFallbackException>(() => Mode.Dispose(writer));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_reader_that_is_left_or_cancelled_leaves_the_connection_usable([Values] bool cancels)
    {
        var reader = await BeginReading("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT");
        Assert.That(await Mode.Run(reader.ReadLine, () => reader.ReadLineAsync()), Has.Length.EqualTo(1000));
        if (cancels)
            await Mode.Run(reader.Cancel, reader.CancelAsync);
        await Mode.Dispose(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Bytes_go_from_one_table_to_another_as_they_are()
    {
        await Execute("INSERT INTO copied SELECT i, repeat('y', i % 3000) FROM generate_series(1, 5000) i; CREATE TEMP TABLE target (id int, name text)");
        var bytes = new MemoryStream();
        var source = await BeginRaw("COPY copied TO STDOUT (FORMAT binary)");
        Assert.That((source.CanRead, source.CanWrite), Is.EqualTo((true, false)));
        await Mode.Run(() => source.CopyTo(bytes), () => source.CopyToAsync(bytes));
        await Mode.Dispose(source);
        bytes.Position = 0;
        var target = await BeginRaw("COPY target FROM STDIN (FORMAT binary)");
        await Mode.Run(() => bytes.CopyTo(target), () => bytes.CopyToAsync(target));
        await Mode.Run(target.Flush, target.FlushAsync);
        await Mode.Dispose(target);
        Assert.That(await Scalar<long>("SELECT count(*) FROM (SELECT * FROM copied INTERSECT SELECT * FROM target) both_"), Is.EqualTo(5000));
        await AssertUsable();
    }

    [Test]
    public async Task A_long_row_is_read_in_bounded_memory()
    {
        var source = await BeginRaw("COPY (SELECT repeat('z', 50000000)) TO STDOUT (FORMAT binary)");
        var (total, buffer) = (0L, new byte[8192]);
        while (await Mode.Run(() => source.Read(buffer), () => source.ReadAsync(buffer).AsTask()) is > 0 and var count)
            total += count;
        Assert.That(total, Is.EqualTo(50_000_000 + 19 + 2 + 4 + 2));
        await Mode.Dispose(source);
        Assert.That(Connection.Session!.Wire.Input.Buffer, Has.Length.LessThan(1_000_000));
        await AssertUsable();
    }

    [TestCase("SELECT 1"), TestCase("COPY copied FROM STDIN; COPY copied FROM STDIN"), TestCase("COPY copied FROM '/no/such/file' (FORMAT binary)")]
    [TestCase("COPY copied TO STDOUT (FORMAT binary)"), TestCase("COPY copied FROM STDIN"), TestCase("COPY copied FROM STDIN (FORMAT csv)"), TestCase("")]
    public async Task A_text_that_is_no_such_copy_is_refused(string sql)
    {
        await Catch<ArgumentException>(() => BeginImport(sql));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Other_formats_and_directions_are_refused()
    {
        await Catch<ArgumentException>(() => BeginExport("COPY copied TO STDOUT"));
        await Catch<ArgumentException>(() => BeginExport(Csv));
        await Catch<ArgumentException>(() => BeginText("COPY copied FROM STDIN (FORMAT binary)"));
        await Catch<ArgumentException>(() => BeginReading("COPY copied TO STDOUT (FORMAT binary)"));
        await Catch<ArgumentException>(() => BeginRaw("COPY copied TO STDOUT"));
        await Catch<ArgumentException>(() => BeginRaw("COPY copied FROM STDIN"));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Another_command_is_refused_while_a_copy_runs()
    {
        var importer = await BeginImport();
        await Catch<PgOperationInProgressException>(() => Execute("SELECT 1"));
        await Catch<PgOperationInProgressException>(() => BeginImport());
        await WriteRow(importer, 1, "one");
        Assert.That(await Complete(importer), Is.EqualTo(1));
        await AssertUsable();
    }

    private Task WriteText(PgCopyTextWriter writer, string text) => Mode.Run(() => writer.Write(text), () => writer.WriteAsync(text));
}
