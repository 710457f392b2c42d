namespace Loxo.IntegrationTests.Copy;

/// <summary>A test of COPY, in one of the two wait modes, with a temporary table.</summary>
public abstract class CopyTest(WaitMode mode) : DatabaseTest(mode)
{
    protected const string Import = "COPY copied (id, name) FROM STDIN (FORMAT binary)";
    protected const string Export = "COPY (SELECT id, name FROM copied ORDER BY id) TO STDOUT (FORMAT binary)";

    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE copied (id int, name text)");

    protected Task<PgBinaryImporter> BeginImport(string sql = Import, PgConnection? connection = null, CancellationToken token = default) => Mode.Run(
        () => (connection ?? Connection).BeginBinaryImport(sql), () => (connection ?? Connection).BeginBinaryImportAsync(sql, token));

    protected Task<PgBinaryExporter> BeginExport(string sql = Export, CancellationToken token = default) => Mode.Run(
        () => Connection.BeginBinaryExport(sql), () => Connection.BeginBinaryExportAsync(sql, token));

    protected Task<PgCopyTextWriter> BeginText(string sql) =>
        Mode.Run(() => Connection.BeginTextImport(sql), () => Connection.BeginTextImportAsync(sql));

    protected Task<PgCopyTextReader> BeginReading(string sql) =>
        Mode.Run(() => Connection.BeginTextExport(sql), () => Connection.BeginTextExportAsync(sql));

    protected Task<PgRawCopyStream> BeginRaw(string sql) =>
        Mode.Run(() => Connection.BeginRawBinaryCopy(sql), () => Connection.BeginRawBinaryCopyAsync(sql));

    protected Task StartRow(PgBinaryImporter importer) => Mode.Run(importer.StartRow, () => importer.StartRowAsync());

    protected Task Write<T>(PgBinaryImporter importer, T value) => Mode.Run(() => importer.Write(value), () => importer.WriteAsync(value));

    protected Task WriteRow(PgBinaryImporter importer, params object?[] values) =>
        Mode.Run(() => importer.WriteRow(values), () => importer.WriteRowAsync(default, values));

    protected Task<ulong> Complete(PgBinaryImporter importer, CancellationToken token = default) =>
        Mode.Run(importer.Complete, () => importer.CompleteAsync(token).AsTask());

    protected Task<int> StartRow(PgBinaryExporter exporter) => Mode.Run(exporter.StartRow, () => exporter.StartRowAsync().AsTask());

    protected Task<T> Read<T>(PgBinaryExporter exporter) => Mode.Run(exporter.Read<T>, () => exporter.ReadAsync<T>().AsTask());

    /// <summary>Imports rows of a whole number and its text.</summary>
    protected async Task<ulong> ImportRows(int count, string sql = Import)
    {
        var importer = await BeginImport(sql);
        for (var i = 0; i < count; i++)
        {
            await StartRow(importer);
            await Write(importer, i);
            await Write(importer, $"row {i}");
        }
        var rows = await Complete(importer);
        await Mode.Dispose(importer);
        return rows;
    }

    protected Task<long> Count() => Scalar<long>("SELECT count(*) FROM copied");

    protected async Task AssertEmptyAndUsable()
    {
        Assert.That(await Count(), Is.Zero);
        await AssertUsable();
    }
}
