namespace Loxo.IntegrationTests.Copy;

/// <summary>Only the last row, or the last byte, is the end of an export: one that was ended otherwise says so.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class EndedCopyTests(WaitMode mode) : CopyTest(mode)
{
    private const string Query = "SELECT i AS id, repeat('x', 100) AS name FROM generate_series(1, 2000) i";

    [Test]
    public async Task An_export_that_was_ended_does_not_look_complete([Values] End end)
    {
        var exporter = await BeginExport($"COPY ({Query}) TO STDOUT (FORMAT binary)");
        await StartRow(exporter);
        await Finish(end, exporter, exporter.Cancel, exporter.CancelAsync);

        await Catch<ObjectDisposedException>(() => StartRow(exporter));
        await Catch<ObjectDisposedException>(() => ReadRows(exporter));
        await Catch<InvalidOperationException>(() => Read<int>(exporter));
        Assert.That(() => exporter.IsNull, Throws.InstanceOf<InvalidOperationException>());
    }

    [Test]
    public async Task An_export_that_was_read_to_its_end_says_so_until_it_is_disposed()
    {
        var exporter = await BeginExport("COPY (SELECT 1) TO STDOUT (FORMAT binary)");
        await StartRow(exporter);
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        await AssertUsable();
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        await Mode.Dispose(exporter);
        await Catch<ObjectDisposedException>(() => StartRow(exporter));
    }

    [Test]
    public async Task A_raw_export_that_was_ended_does_not_look_complete([Values] End end)
    {
        var stream = await BeginRaw($"COPY ({Query}) TO STDOUT (FORMAT binary)");
        Assert.That(await Read(stream), Is.Positive);
        await Finish(end, stream, stream.Cancel, stream.CancelAsync);

        await Catch<ObjectDisposedException>(() => Read(stream));
        await Catch<ObjectDisposedException>(() => Mode.Run(() => stream.CopyTo(Stream.Null), () => stream.CopyToAsync(Stream.Null)));
        Assert.That(stream.ReadByte, Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task A_raw_export_that_was_read_to_its_end_says_so_until_it_is_disposed()
    {
        var stream = await BeginRaw("COPY (SELECT 1) TO STDOUT (FORMAT binary)");
        while (await Read(stream) > 0)
        {
        }
        Assert.That(await Read(stream), Is.Zero);
        await Mode.Dispose(stream);
        await Catch<ObjectDisposedException>(() => Read(stream));
    }

    [Test]
    public async Task A_text_export_that_was_ended_does_not_look_complete([Values] End end)
    {
        var reader = await BeginReading($"COPY ({Query}) TO STDOUT");
        Assert.That(await Line(reader), Does.StartWith("1\t"));
        await Finish(end, reader, reader.Cancel, reader.CancelAsync);

        await Catch<ObjectDisposedException>(async () =>
        {
            while (await Line(reader) is not null)
            {
            }
        });
        await Catch<ObjectDisposedException>(() => Mode.Run(reader.ReadToEnd, reader.ReadToEndAsync));
        Assert.That(() => reader.EndOfStream, Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task An_import_that_was_ended_takes_nothing_more([Values] End end)
    {
        var importer = await BeginImport();
        await StartRow(importer);
        await Finish(end, importer, importer.Close, () => importer.CloseAsync().AsTask());

        await Catch<ObjectDisposedException>(() => StartRow(importer));
        await Catch<ObjectDisposedException>(() => Write(importer, 1));
        await Catch<ObjectDisposedException>(() => WriteRow(importer, 1, "a"));
        await Catch<ObjectDisposedException>(() => Complete(importer));
    }

    [Test]
    public async Task A_raw_import_that_was_ended_takes_nothing_more([Values] End end)
    {
        var stream = await BeginRaw("COPY copied FROM STDIN (FORMAT binary)");
        stream.CompletesOnDispose = false;
        await Finish(end, stream, stream.Cancel, stream.CancelAsync);

        await Catch<ObjectDisposedException>(() => Mode.Run(() => stream.Write(new byte[1]), () => stream.WriteAsync(new byte[1]).AsTask()));
        await Catch<ObjectDisposedException>(() => Mode.Run(stream.Complete, () => stream.CompleteAsync().AsTask()));
    }

    [Test]
    public async Task A_text_import_that_was_ended_takes_nothing_more([Values] End end)
    {
        var writer = await BeginText("COPY copied FROM STDIN");
        writer.CompletesOnDispose = false;
        await Finish(end, writer, writer.Cancel, writer.CancelAsync);

        await Catch<ObjectDisposedException>(() => Mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask()));
    }

    /// <summary>How a copy ends before its data do.</summary>
    public enum End
    {
        Dispose,
        Cancel,
        CloseConnection,
        ReopenConnection,
    }

    private async Task Finish<T>(End end, T copy, Action cancel, Func<Task> cancelAsync)
        where T : IDisposable, IAsyncDisposable
    {
        if (end == End.Dispose)
            await Mode.Dispose(copy);
        else if (end == End.Cancel)
            await Mode.Run(cancel, cancelAsync);
        else
            await Mode.Close(Connection);
        if (end == End.ReopenConnection)
            await Mode.Open(Connection);
    }

    private Task<int> Read(PgRawCopyStream stream)
    {
        var buffer = new byte[1000];
        return Mode.Run(() => stream.Read(buffer), () => stream.ReadAsync(buffer).AsTask());
    }

    private Task<string?> Line(PgCopyTextReader reader) => Mode.Run(reader.ReadLine, () => reader.ReadLineAsync());

    private Task ReadRows(PgBinaryExporter exporter) => Mode.Run(
        () =>
        {
            foreach (var _ in exporter.ReadRows(static row => row.Read<int>()))
            {
            }
        },
        async () =>
        {
            await foreach (var _ in exporter.ReadRowsAsync(static row => row.Read<int>()))
            {
            }
        });
}
