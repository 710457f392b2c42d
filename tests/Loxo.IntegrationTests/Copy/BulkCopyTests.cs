using System.Data;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows of every kind of source copied into a table.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class BulkCopyTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _table = "";

    public sealed record Product(int Id, string? ProductName, decimal Price, DateTime MadeAt);

    [SetUp]
    public async Task CreateTable()
    {
        _table = "bulk_" + Guid.NewGuid().ToString("N")[..10];
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY, product_name text, price numeric(10,2), made_at timestamptz DEFAULT '2020-01-01Z', extra text DEFAULT 'x')");
    }

    [TearDown]
    public Task DropTable() => Execute($"DROP TABLE {_table}");

    private static IEnumerable<Product> Products(int count, int from = 0) =>
        Enumerable.Range(from, count).Select(i => new Product(i, i % 10 == 3 ? null : $"product {i}", i / 4m, DateTime.UnixEpoch.AddMinutes(i)));

    private PgBulkCopy Bulk() => new(Connection) { DestinationTableName = _table };

    private Task<PgBulkCopyResult> Write<T>(PgBulkCopy bulk, IEnumerable<T> rows) =>
        Mode.Run(() => bulk.WriteToServer(rows), () => bulk.WriteToServerAsync(rows));

    private async Task AssertProducts(int count)
    {
        Assert.That(await Rows($"SELECT count(*), coalesce(sum(id), 0), count(*) FILTER (WHERE product_name IS NOT DISTINCT FROM CASE WHEN id % 10 <> 3 THEN 'product ' || id END "
            + $"AND price = round(id / 4.0, 2) AND made_at = '1970-01-01Z'::timestamptz + id * interval '1 minute' AND extra = 'x') FROM {_table}"),
            Is.EqualTo(new[] { new object?[] { (long)count, (long)count * (count - 1) / 2, (long)count } }));
        await AssertUsable();
    }

    [TestCase(0), TestCase(1), TestCase(20_000)]
    public async Task Objects_are_copied_by_the_names_of_their_members(int count)
    {
        var result = await Write(Bulk(), Products(count));
        Assert.That((result.RowsCopied, result.RowsInserted, result.RowsUpdated, result.RowsIgnored, result.Batches), Is.EqualTo(((long)count, (long)count, 0L, 0L, count == 0 ? 0 : 1)));
        Assert.That(result.Duration, Is.GreaterThanOrEqualTo(result.CompletionDuration));
        await AssertProducts(count);
    }

    [Test]
    public async Task Objects_are_copied_in_one_line()
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await Mode.Run(() => source.BulkCopy(_table, Products(100)), () => source.BulkCopyAsync(_table, Products(100)));
        await AssertProducts(100);
    }

    [Test]
    public async Task Objects_that_are_awaited_are_copied()
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await source.BulkCopyAsync(_table, Awaited(1000));
        await AssertProducts(1000);
        await Catch<PostgresException>(() => source.BulkCopyAsync(_table, Awaited(1000)));
        await AssertProducts(1000);
    }

    [Test]
    public async Task Columns_can_be_given_as_functions_or_as_arrays()
    {
        var columns = new PgBulkCopyColumns<int>().Add("id", i => i).Add("product_name", i => i % 10 == 3 ? null : $"product {i}")
            .Add("price", i => i / 4m).Add("made_at", i => DateTime.UnixEpoch.AddMinutes(i));
        await Mode.Run(() => Bulk().WriteToServer(Enumerable.Range(0, 50), columns), () => Bulk().WriteToServerAsync(Enumerable.Range(0, 50), columns));
        await AssertProducts(50);
        await Execute($"TRUNCATE {_table}");
        var products = Products(50).ToArray();
        PgBulkCopyColumn[] arrays =
        [
            PgBulkCopyColumn.Of("Id", Array.ConvertAll(products, p => p.Id)), PgBulkCopyColumn.Of("ProductName", Array.ConvertAll(products, p => p.ProductName)),
            PgBulkCopyColumn.Of("Price", Array.ConvertAll(products, p => (decimal?)p.Price)), PgBulkCopyColumn.Of("MadeAt", Array.ConvertAll(products, p => p.MadeAt)),
        ];
        await Mode.Run(() => Bulk().WriteToServer(arrays), () => Bulk().WriteToServerAsync(arrays));
        await AssertProducts(50);
        PgBulkCopyColumn[] unequal = [PgBulkCopyColumn.Of<int>("id", [1, 2]), PgBulkCopyColumn.Of<string>("product_name", ["x"])];
        await Catch<ArgumentException>(() => Mode.Run(() => Bulk().WriteToServer(unequal), () => Bulk().WriteToServerAsync(unequal)));
        await AssertProducts(50);
    }

    [Test]
    public async Task Tables_and_rows_of_tables_are_copied()
    {
        using var table = new DataTable();
        foreach (var (name, type) in new[] { ("ID", typeof(int)), ("Product_Name", typeof(string)), ("price", typeof(decimal)), ("made_at", typeof(DateTime)) })
            table.Columns.Add(name, type);
        table.Columns["made_at"]!.DateTimeMode = DataSetDateTime.Utc;
        foreach (var product in Products(30))
            table.Rows.Add(product.Id, (object?)product.ProductName ?? DBNull.Value, product.Price, product.MadeAt);
        table.Rows.Add(1000, "deleted", 1m, DateTime.UnixEpoch);
        table.AcceptChanges();
        table.Rows[30].Delete();
        var result = await Mode.Run(() => Bulk().WriteToServer(table), () => Bulk().WriteToServerAsync(table));
        Assert.That(result.RowsCopied, Is.EqualTo(30));
        await AssertProducts(30);
        await Execute($"TRUNCATE {_table}");
        var rows = table.Rows.Cast<DataRow>().Take(20).ToArray();
        await Mode.Run(() => Bulk().WriteToServer(rows), () => Bulk().WriteToServerAsync(rows));
        await AssertProducts(20);
    }

    [TestCase(false), TestCase(true)]
    public async Task A_reader_of_another_connection_or_provider_is_copied(bool ofNpgsql)
    {
        const string Query = "SELECT i AS id, CASE WHEN i % 10 <> 3 THEN 'product ' || i END AS product_name, i / 4.0 AS price, '1970-01-01Z'::timestamptz + i * interval '1 minute' AS made_at FROM generate_series(0, 999) i";
        await using System.Data.Common.DbConnection other = ofNpgsql ? new Npgsql.NpgsqlConnection(TestServer.Default.ConnectionString) : await OpenAnother();
        if (ofNpgsql)
            await other.OpenAsync();
        await using var command = other.CreateCommand();
        command.CommandText = Query;
        await using var reader = await command.ExecuteReaderAsync();
        await Mode.Run(() => Bulk().WriteToServer(reader), () => Bulk().WriteToServerAsync(reader));
        await AssertProducts(1000);
    }

    [Test]
    public async Task Mappings_say_which_column_goes_where_and_wrong_ones_are_errors()
    {
        var rows = new[] { (Key: 7, Label: "seven", Unused: 1.5) };
        var bulk = Bulk();
        bulk.ColumnMappings.Add(new("Item1", "id"));
        bulk.ColumnMappings.Add(new("Item2", "extra"));
        await Write(bulk, rows);
        Assert.That(await Rows($"SELECT id, extra, product_name FROM {_table}"), Is.EqualTo(new[] { new object?[] { 7, "seven", null } }));
        bulk.ColumnMappings.Add(new("Nothing", "price"));
        Assert.That((await Catch<InvalidOperationException>(() => Write(bulk, rows))).Message, Does.Contain("'Nothing'").And.Contain("Item3"));
        bulk.ColumnMappings[2] = new("Item3", "nowhere");
        Assert.That((await Catch<InvalidOperationException>(() => Write(bulk, rows))).Message, Does.Contain("'nowhere'"));
        bulk.ColumnMappings[2] = new("Item3", "id");
        await Catch<InvalidOperationException>(() => Write(bulk, rows));
        Assert.That((await Catch<InvalidOperationException>(() => Write(Bulk(), new[] { new { Id = 1, Weight = 2 } }))).Message, Does.Contain("'Weight'").And.Contain("made_at"));
        var lenient = Bulk();
        lenient.SkipUnmatchedColumns = true;
        await Write(lenient, new[] { new { Id = 1, Weight = 2 } });
        lenient.DestinationTableName = "no_such_table";
        await Catch<ArgumentException>(() => Write(lenient, new[] { new { Id = 1 } }));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(2));
    }

    [Test]
    public async Task Identity_columns_are_left_to_the_server_unless_their_values_are_wanted()
    {
        await Execute($"DROP TABLE {_table}; CREATE TABLE {_table} (id int GENERATED ALWAYS AS IDENTITY (START 100), n int, twice int GENERATED ALWAYS AS (n * 2) STORED)");
        var rows = new[] { new { Id = 5, N = 1, Twice = 99 } };
        await Write(Bulk(), rows);
        var keeping = Bulk();
        keeping.KeepIdentity = true;
        await Write(keeping, rows);
        Assert.That(await Rows($"SELECT * FROM {_table} ORDER BY id"), Is.EqualTo(new[] { new object?[] { 5, 1, 2 }, [100, 1, 2] }));
    }

    // A partition may have its columns at other places than the table.
    [Test]
    public async Task Rows_whose_key_is_there_are_ignored_or_replace_the_others(
        [Values(PgBulkCopyConflict.Ignore, PgBulkCopyConflict.Update)] PgBulkCopyConflict conflict, [Values(0, 7)] int batchSize, [Values] bool partitioned)
    {
        if (partitioned)
            await Execute($"ALTER TABLE {_table} RENAME TO {_table}_a; CREATE TABLE {_table} (LIKE {_table}_a INCLUDING ALL) PARTITION BY RANGE (id); "
                + $"ALTER TABLE {_table} ATTACH PARTITION {_table}_a FOR VALUES FROM (0) TO (8); "
                + $"CREATE TABLE {_table}_b (extra text DEFAULT 'x', made_at timestamptz, gone int, price numeric(10,2), product_name text, id int PRIMARY KEY); "
                + $"ALTER TABLE {_table}_b DROP COLUMN gone; ALTER TABLE {_table} ATTACH PARTITION {_table}_b FOR VALUES FROM (8) TO (1000)");
        await Execute($"INSERT INTO {_table} (id, product_name) SELECT i, 'old' FROM generate_series(0, 9) i");
        var bulk = Bulk();
        (bulk.Conflict, bulk.BatchSize) = (conflict, batchSize);
        var result = await Write(bulk, Products(20).Append(new Product(15, "again", 1, DateTime.UnixEpoch)));
        var updates = conflict == PgBulkCopyConflict.Update;
        Assert.That((result.RowsCopied, result.RowsInserted), Is.EqualTo((21L, 10L)));
        Assert.That(result.RowsUpdated, updates ? Is.EqualTo(10) : Is.Zero);
        Assert.That(await Rows($"SELECT count(*), count(*) FILTER (WHERE product_name = 'old'), (SELECT product_name FROM {_table} WHERE id = 15) FROM {_table}"),
            Is.EqualTo(new[] { new object?[] { 20L, updates ? 0L : 10L, updates ? "again" : "product 15" } }));
        await AssertUsable();
    }

    [Test]
    public async Task Conflicts_need_a_key_that_is_copied()
    {
        var bulk = Bulk();
        bulk.Conflict = PgBulkCopyConflict.Update;
        await Catch<InvalidOperationException>(() => Write(bulk, new[] { new { Price = 1m } }));
        await Execute($"ALTER TABLE {_table} DROP CONSTRAINT {_table}_pkey");
        await Catch<InvalidOperationException>(() => Write(bulk, Products(1)));
        await Execute($"ALTER TABLE {_table} ADD UNIQUE (product_name)");
        bulk.KeyColumns.Add("ProductName");
        Assert.That((await Write(bulk, Products(2))).RowsInserted, Is.EqualTo(2));
        Assert.That((await Write(bulk, Products(2))).RowsUpdated, Is.EqualTo(2));
    }

    [TestCase(false), TestCase(true)]
    public async Task Batches_are_undone_together_unless_each_is_committed(bool commitsEachBatch)
    {
        var bulk = Bulk();
        (bulk.BatchSize, bulk.CommitsEachBatch) = (10, commitsEachBatch);
        var error = await Catch<PostgresException>(() => Write(bulk, Products(35).Append(new Product(5, "again", 1, DateTime.UnixEpoch))));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.UniqueViolation, (long?)35)));
        await AssertProducts(commitsEachBatch ? 30 : 0);
    }

    [Test]
    public async Task The_callers_transaction_decides()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            var bulk = Bulk();
            (bulk.BatchSize, bulk.CommitsEachBatch, bulk.Conflict) = (10, true, PgBulkCopyConflict.Update);
            await Write(bulk, Products(35));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(35));
            await Mode.Rollback(transaction);
        }
        await AssertProducts(0);
    }

    [Test]
    public async Task A_value_that_does_not_fit_is_reported_with_its_row_or_the_row_is_rejected()
    {
        var rows = Enumerable.Range(0, 5000).Select(i => (Id: i % 1000 == 7 ? int.MaxValue + (long)i : i, ProductName: i == 4008 ? "\0" : "x")).Select(row => new { row.Id, row.ProductName }).ToArray();
        var error = await Catch<PgBulkCopyException>(() => Write(Bulk(), rows));
        Assert.That(error.RowIndex, Is.EqualTo(7));
        Assert.That(error.InnerException, Is.InstanceOf<OverflowException>());
        Assert.That(error.Message, Does.Contain("Row 8, column 1 \"id\""));
        await AssertProducts(0);
        var bulk = Bulk();
        (bulk.MaxRejectedRows, bulk.BatchSize) = (5, 999);
        Assert.That((await Catch<PgBulkCopyException>(() => Write(bulk, rows))).RowIndex, Is.EqualTo(4008));
        await AssertProducts(0);
        bulk.MaxRejectedRows = 6;
        var result = await Write(bulk, rows);
        Assert.That((result.RowsCopied, result.RejectedRows.Select(row => row.Index)), Is.EqualTo((4994L, new long[] { 7, 1007, 2007, 3007, 4007, 4008 })));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(4994));
        // A row behind rejected ones that the server refuses is named by its place in the source.
        await Execute($"DELETE FROM {_table} WHERE id <> 2010");
        bulk.BatchSize = 0;
        Assert.That((await Catch<PostgresException>(() => Write(bulk, rows))).FailedRow, Is.EqualTo(2010));
    }

    [Test]
    public async Task A_source_that_throws_leaves_nothing()
    {
        var thrown = new FormatException("broken source");
        Assert.That(await Catch<FormatException>(() => Write(Bulk(), Products(30_000).Select(p => p.Id == 25_000 ? throw thrown : p))), Is.SameAs(thrown));
        await AssertProducts(0);
        if (Mode == WaitMode.Async)
        {
            using var stop = new CancellationTokenSource();
            await Catch<OperationCanceledException>(() => Bulk().WriteToServerAsync(Products(30_000).Select(p =>
            {
                if (p.Id == 25_000)
                    stop.Cancel();
                return p;
            }), stop.Token));
            await AssertProducts(0);
        }
    }

    [Test]
    public async Task Progress_is_told_and_a_handler_can_abort()
    {
        var bulk = Bulk();
        var told = new List<long>();
        (bulk.NotifyAfter, bulk.BatchSize) = (30, 50);
        bulk.RowsCopied += (_, e) => told.Add(e.RowsCopied);
        await Write(bulk, Products(100));
        Assert.That(told, Is.EqualTo(new long[] { 30, 50, 60, 90, 100 }));
        await AssertProducts(100);
        bulk.RowsCopied += (_, e) => e.Abort = e.RowsCopied == 60;
        await Catch<OperationCanceledException>(() => Write(bulk, Products(100, from: 100)));
        await AssertProducts(100);
    }

    private static async IAsyncEnumerable<Product> Awaited(int count)
    {
        foreach (var product in Products(count))
        {
            if (product.Id % 100 == 0)
                await Task.Yield();
            yield return product;
        }
    }
}
