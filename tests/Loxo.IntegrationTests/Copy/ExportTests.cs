using Loxo.IntegrationTests.Types;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows copied from a table or query in binary format.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ExportTests(WaitMode mode) : CopyTest(mode)
{
    [TestCase(0)]
    [TestCase(1)]
    [TestCase(100_000)]
    public async Task Every_row_is_read_once(int count)
    {
        var exporter = await BeginExport($"COPY (SELECT i, 'row ' || i, nullif(i % 3, 0) FROM generate_series(0, {count - 1}) i) TO STDOUT (FORMAT binary)");
        for (var i = 0; i < count; i++)
        {
            Assert.That(await StartRow(exporter), Is.EqualTo(3));
            if (i % 5 == 0)
                continue;
            Assert.That(await Read<int>(exporter), Is.EqualTo(i));
            Assert.That(await Read<string>(exporter), Is.EqualTo($"row {i}"));
            Assert.That(exporter.IsNull, Is.EqualTo(i % 3 == 0));
            Assert.That(await Read<int?>(exporter), Is.EqualTo(i % 3 == 0 ? null : i % 3));
        }
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        await AssertUsable();
        await Mode.Dispose(exporter);
        await AssertUsable();
    }

    [Test]
    public async Task A_table_is_read_by_the_types_of_its_columns()
    {
        await Execute("CREATE TEMP TABLE exported (a bigint, b numeric, g int GENERATED ALWAYS AS (1) STORED, c jsonb, d int[]); INSERT INTO exported VALUES (1, 2.5, DEFAULT, '{\"a\":1}', '{1,2}')");
        var exporter = await BeginExport("COPY exported TO STDOUT (FORMAT binary)");
        Assert.That(await StartRow(exporter), Is.EqualTo(4));
        Assert.That(await Read<int>(exporter), Is.EqualTo(1));
        var error = await Catch<InvalidCastException>(() => Read<DateTime>(exporter));
        Assert.That(error.Message, Does.Contain("Column 2 \"b\"").And.Contain("numeric").And.Contain("DateTime"));
        Assert.That(await Read<double>(exporter), Is.EqualTo(2.5));
        Assert.That(await Read<string>(exporter), Is.EqualTo("{\"a\": 1}"));
        Assert.That(await Read<object>(exporter), Is.EqualTo(new[] { 1, 2 }));
        await Catch<InvalidOperationException>(() => Read<int>(exporter));
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        await Catch<InvalidOperationException>(() => Read<int>(exporter));
    }

    [Test]
    public async Task NULL_is_an_error_for_a_type_that_cannot_hold_it()
    {
        var exporter = await BeginExport("COPY (SELECT NULL::int, NULL::text) TO STDOUT (FORMAT binary)");
        await StartRow(exporter);
        await Catch<InvalidCastException>(() => Read<int>(exporter));
        Assert.That(await Read<object>(exporter), Is.EqualTo(DBNull.Value));
        await Catch<InvalidCastException>(() => Read<string>(exporter));
        await Mode.Run(exporter.Skip, () => exporter.SkipAsync());
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
    }

    [TestCase(0, false), TestCase(3, false), TestCase(3, true)]
    public async Task An_export_that_is_left_early_leaves_the_connection_usable(int rows, bool inTransaction)
    {
        await using var transaction = inTransaction ? Connection.BeginTransaction() : null;
        var exporter = await BeginExport("COPY (SELECT i, repeat('x', 1000) FROM generate_series(1, 100000) i) TO STDOUT (FORMAT binary)");
        for (var i = 0; i < rows; i++)
            await StartRow(exporter);
        await Mode.Dispose(exporter);
        await AssertUsable();
    }

    [Test]
    public async Task An_export_is_cancelled()
    {
        var exporter = await BeginExport("COPY (SELECT i, repeat('x', 1000) || pg_sleep(CASE WHEN i > 100 THEN 600 ELSE 0 END) FROM generate_series(1, 1000) i) TO STDOUT (FORMAT binary)");
        Assert.That(await StartRow(exporter), Is.EqualTo(2));
        await Mode.Run(exporter.Cancel, exporter.CancelAsync);
        await Catch<ObjectDisposedException>(() => StartRow(exporter));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_in_the_middle_is_thrown_and_leaves_the_connection_usable()
    {
        var exporter = await BeginExport("COPY (SELECT 10 / (5000 - i) FROM generate_series(1, 10000) i) TO STDOUT (FORMAT binary)");
        var read = 0;
        var error = await Catch<PostgresException>(async () =>
        {
            while (await StartRow(exporter) >= 0)
                read++;
        });
        Assert.That((error.SqlState, read), Is.EqualTo((SqlStates.DivisionByZero, 4999)));
        await AssertUsable();
    }

    [TestCaseSource(typeof(TypeCorpus), nameof(TypeCorpus.Types))]
    public async Task Every_type_comes_back_as_it_was_imported(string type)
    {
        foreach (var sample in TypeCorpus.Of(type))
        {
            await Execute($"CREATE TEMP TABLE typed (inserted {sample.Type}, imported {sample.Type})");
            if (!await TryInsert(sample))
                continue;
            var importer = await BeginImport("COPY typed (imported) FROM STDIN (FORMAT binary)");
            await WriteRow(importer, sample.Value);
            await StartRow(importer);
            await sample.Accept(new Typed(this, importer));
            Assert.That(await Complete(importer), Is.EqualTo(2));
            Assert.That(await Rows("SELECT i.imported::text FROM typed i WHERE imported IS NOT NULL AND i.imported::text IS DISTINCT FROM (SELECT inserted::text FROM typed WHERE imported IS NULL)"),
                Is.Empty, sample.ToString());
            var exporter = await BeginExport("COPY (SELECT imported FROM typed WHERE imported IS NOT NULL) TO STDOUT (FORMAT binary)");
            for (var i = 0; i < 2; i++)
            {
                Assert.That(await StartRow(exporter), Is.EqualTo(1));
                Assert.That(await sample.Accept(new Exported(this, exporter)), Is.EqualTo(sample.Value), sample.ToString());
            }
            await Mode.Dispose(exporter);
            await Execute("DROP TABLE typed");
        }
    }

    // Some types are never moved out of a row, which then does not fit into a page.
    private async Task<bool> TryInsert(TypeSample sample)
    {
        try
        {
            await Execute($"INSERT INTO typed (inserted) VALUES ({sample.Sql})");
            return true;
        }
        catch (PostgresException e) when (e.SqlState == SqlStates.ProgramLimitExceeded)
        {
            await Execute("DROP TABLE typed");
            return false;
        }
    }

    private sealed class Typed(ExportTests test, PgBinaryImporter importer) : ISampleVisitor
    {
        public async Task<object?> Visit<T>(T value)
        {
            await test.Write(importer, value);
            return value;
        }
    }

    private sealed class Exported(ExportTests test, PgBinaryExporter exporter) : ISampleVisitor
    {
        public async Task<object?> Visit<T>(T value) => await test.Read<T>(exporter);
    }
}
