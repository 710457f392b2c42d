using System.Data;
using System.Security.Cryptography;
using Loxo.IntegrationTests.Parameters;

namespace Loxo.IntegrationTests.Copy;

/// <summary>The resident memory of this process while much more than that is copied.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[NonParallelizable]
[Category("OneServer")]
public sealed class CopyMemoryTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Megabyte = 1024 * 1024;
    // What the runtime and the garbage collector take and give back meanwhile.
    private const int Unrelated = 48 * Megabyte;

    private string _table = "";
    private long _before;
    private long _peak;

    private sealed record Row(int Id, string Name, double Amount);

    [SetUp]
    public async Task CreateTable()
    {
        _table = "memory_" + Guid.NewGuid().ToString("N")[..10];
        await Execute($"CREATE UNLOGGED TABLE {_table} (id int, name text, amount float8, content bytea)");
        await Execute($"ALTER TABLE {_table} ALTER content SET STORAGE EXTERNAL");
        (_before, _peak) = (0, 0);
    }

    [TearDown]
    public async Task DropTable()
    {
        await Execute($"DROP TABLE {_table}");
        TestContext.Out.WriteLine($"{_before / Megabyte} MB resident at the start, {_peak / Megabyte} MB at most");
    }

    [TestCase(1_000_000, Category = "Slow"), TestCase(10_000_000, Category = "Long")]
    public async Task An_import_takes_the_same_for_any_number_of_rows(int count)
    {
        var sql = $"COPY {_table} (id, name, amount) FROM STDIN (FORMAT binary)";
        await using (var importer = await Mode.Run(() => Connection.BeginBinaryImport(sql), () => Connection.BeginBinaryImportAsync(sql)))
        {
            foreach (var row in Source(count))
            {
                await Mode.Run(importer.StartRow, () => importer.StartRowAsync());
                await Mode.Run(() => importer.Write(row.Id), () => importer.WriteAsync(row.Id));
                await Mode.Run(() => importer.Write(row.Name), () => importer.WriteAsync(row.Name));
                await Mode.Run(() => importer.Write(row.Amount), () => importer.WriteAsync(row.Amount));
            }
            Assert.That(await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask()), Is.EqualTo((ulong)count));
        }
        await AssertFlat(count);
    }

    [TestCase(1_000_000, Category = "Slow"), TestCase(10_000_000, Category = "Long")]
    public async Task A_bulk_copy_takes_the_same_for_any_number_of_rows(int count)
    {
        var bulk = new PgBulkCopy(Connection) { DestinationTableName = _table };
        await Mode.Run(() => bulk.WriteToServer(Source(count)), () => bulk.WriteToServerAsync(Source(count)));
        await AssertFlat(count);
    }

    [TestCase(64, Category = "Slow"), TestCase(1000, Category = "Long")]
    public async Task A_large_value_is_copied_in_pieces(int megabytes)
    {
        var length = (long)megabytes * Megabyte;
        var sql = $"COPY {_table} (content) FROM STDIN (FORMAT binary)";
        Look();
        await using var watch = new Timer(_ => Look(), null, 10, 10);
        await using (var importer = await Mode.Run(() => Connection.BeginBinaryImport(sql), () => Connection.BeginBinaryImportAsync(sql)))
        {
            var content = new PatternStream(length, canSeek: true, Mode);
            await Mode.Run(importer.StartRow, () => importer.StartRowAsync());
            await Mode.Run(() => importer.Write<Stream>(content), () => importer.WriteAsync<Stream>(content));
            await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
        }

        await using var command = Command($"SELECT content FROM {_table}");
        await using (var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess))
        {
            await Mode.Read(reader);
            await using var content = Mode == WaitMode.Blocking ? reader.GetStream(0) : await reader.GetStreamAsync(0);
            var hash = Mode == WaitMode.Blocking ? MD5.HashData(content) : await MD5.HashDataAsync(content);
            Assert.That(Convert.ToHexStringLower(hash), Is.EqualTo(PatternStream.HashOf(length)));
        }
        Assert.That(_peak - _before, Is.LessThan(Unrelated));
        await AssertUsable();
    }

    // The first tenth lets buffers and the heap grow to their size.
    private IEnumerable<Row> Source(int count)
    {
        for (var i = 0; i < count; i++)
        {
            if (i >= count / 10 && i % (count / 50) == 0)
                Look();
            yield return new Row(i, $"row {i}", i / 4.0);
        }
    }

    private void Look()
    {
        var resident = Environment.WorkingSet;
        _before = _before == 0 ? resident : _before;
        _peak = Math.Max(_peak, resident);
    }

    private async Task AssertFlat(int count)
    {
        Assert.That(_peak - _before, Is.LessThan(Unrelated));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(count));
        await AssertUsable();
    }
}
