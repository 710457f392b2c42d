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
    public async Task Bytes_of_a_text_are_copied_without_decoding()
    {
        await Execute("INSERT INTO copied SELECT i, 'zwölf 😀, ' || i FROM generate_series(1, 20000) i");
        using var bytes = new MemoryStream();
        var reader = await BeginReading("COPY (SELECT * FROM copied ORDER BY id) TO STDOUT (FORMAT csv)");
        await Mode.Run(() => reader.BaseStream.CopyTo(bytes), () => reader.BaseStream.CopyToAsync(bytes));
        Assert.That(await Mode.Run(reader.ReadToEnd, reader.ReadToEndAsync), Is.Empty);
        await Mode.Dispose(reader);
        var expected = string.Concat(Enumerable.Range(1, 20_000).Select(i => $"{i},\"zwölf 😀, {i}\"\n"));
        Assert.That(Encoding.UTF8.GetString(bytes.ToArray()), Is.EqualTo(expected));

        await Execute("TRUNCATE copied");
        bytes.Position = 0;
        var writer = await BeginText(Csv);
        await WriteText(writer, "0,first\n");
        await Mode.Run(writer.Flush, writer.FlushAsync);
        await Mode.Run(() => bytes.CopyTo(writer.BaseStream), () => bytes.CopyToAsync(writer.BaseStream));
        await WriteText(writer, "20001,last\n");
        Assert.That(await Mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask()), Is.EqualTo(20_002));
        await Mode.Dispose(writer);
        Assert.That(await Rows("SELECT count(*), count(*) FILTER (WHERE name = 'zwölf 😀, ' || id) FROM copied"), Is.EqualTo(new[] { new object?[] { 20_002L, 20_000L } }));
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

    // The base classes run their asynchronous members as blocking ones on a thread of the thread pool.
    [TestCase(typeof(PgCopyTextReader)), TestCase(typeof(PgCopyTextWriter))]
    public void No_asynchronous_call_is_left_to_the_base_class(Type type)
    {
        var inherited = type.GetMethods().Where(method => method.IsVirtual && typeof(TextReader).Assembly == method.DeclaringType!.Assembly
            && (method.Name.EndsWith("Async", StringComparison.Ordinal) || typeof(Task).IsAssignableFrom(method.ReturnType)));
        Assert.That(inherited, Is.Empty);
    }

    [Test]
    public async Task Each_overload_writes_what_a_StringWriter_writes()
    {
        await Execute("CREATE TEMP TABLE lines (number serial, line text)");
        const string Sql = "COPY lines (line) FROM STDIN";
        await using var expected = new StringWriter { NewLine = "\n" };
        await WriteAll(expected);
        var writer = await BeginText(Sql);
        writer.NewLine = "\n";
        await WriteAll(writer);
        await Mode.Dispose(writer);

        var written = string.Concat((await Rows("SELECT line FROM lines ORDER BY number")).Select(row => row[0] + "\n"));
        Assert.That(written, Is.EqualTo(expected.ToString()));

        async Task WriteAll(TextWriter to)
        {
            to.Write(1.5);
            to.Write("{0}-{1}", 2, 'x');
            to.Write(['a', 'b', 'c'], 1, 2);
            to.Write("span".AsSpan());
            to.Write(new StringBuilder("builder"));
            to.WriteLine();
            to.WriteLine(true);
            to.WriteLine('c');
            to.WriteLine("line".AsSpan());
            to.WriteLine(['a', 'b']);
            await to.WriteAsync('d');
            await to.WriteAsync(['a', 'b', 'c'], 1, 2);
            await to.WriteAsync(new StringBuilder("builder"));
            await to.WriteAsync("memory".AsMemory());
            await to.WriteLineAsync();
            await to.WriteLineAsync('e');
            await to.WriteLineAsync("string");
            await to.WriteLineAsync(['a', 'b', 'c'], 0, 2);
            await to.WriteLineAsync(new StringBuilder("builder"));
            await to.WriteLineAsync("memory".AsMemory());
            await to.FlushAsync();
        }
    }

    [Test]
    public async Task Each_overload_reads_what_a_StringReader_reads()
    {
        const string Sql = "COPY (SELECT repeat(chr(96 + i), i) || 'ä' FROM generate_series(1, 20) i) TO STDOUT";
        var text = string.Concat(Enumerable.Range(1, 20).Select(i => new string((char)(96 + i), i) + "ä\n"));
        using var expected = new StringReader(text);
        var reader = await BeginReading(Sql);
        Assert.That(await ReadAll(reader), Is.EqualTo(await ReadAll(expected)));
        Assert.That(reader.EndOfStream, Is.True);
        await Mode.Dispose(reader);

        static async Task<List<string?>> ReadAll(TextReader from)
        {
            var buffer = new char[10];
            return
            [
                from.ReadLine(),
                ((char)from.Read()).ToString(),
                ((char)from.Peek()).ToString(),
                new string(buffer, 0, from.ReadBlock(buffer, 0, 3)),
                new string(buffer, 0, from.ReadBlock(buffer.AsSpan(0, 4))),
                await from.ReadLineAsync(),
                await from.ReadLineAsync(CancellationToken.None),
                new string(buffer, 0, await from.ReadBlockAsync(buffer, 0, 5)),
                new string(buffer, 0, await from.ReadBlockAsync(buffer.AsMemory(0, 6))),
                await from.ReadToEndAsync(),
                await from.ReadToEndAsync(CancellationToken.None),
                from.ReadLine(),
                from.ReadToEnd(),
            ];
        }
    }

    private Task WriteText(PgCopyTextWriter writer, string text) => Mode.Run(() => writer.Write(text), () => writer.WriteAsync(text));
}
