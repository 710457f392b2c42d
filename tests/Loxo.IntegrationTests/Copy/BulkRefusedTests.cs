namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows of a bulk copy that the server refuses, and that are left out.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class BulkRefusedTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _table = "";

    public sealed record Item(long Id, string? Name, int Parent);

    [SetUp]
    public async Task CreateTable()
    {
        _table = "refused_" + Guid.NewGuid().ToString("N")[..10];
        await Execute($"CREATE TABLE {_table}_parent (id int PRIMARY KEY); INSERT INTO {_table}_parent VALUES (1), (2)");
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY CHECK (id <> 13), name text NOT NULL, parent int REFERENCES {_table}_parent)");
    }

    [TearDown]
    public Task DropTable() => Execute($"DROP TABLE {_table}, {_table}_parent");

    private PgBulkCopy Bulk(int batch = 20, int most = 100) =>
        new(Connection) { DestinationTableName = _table, BatchSize = batch, MaxRejectedRows = most };

    private Task<PgBulkCopyResult> Write(PgBulkCopy bulk, IEnumerable<Item> rows) =>
        Mode.Run(() => bulk.WriteToServer(rows), () => bulk.WriteToServerAsync(rows));

    private static Item Good(int id) => new(id, "x", 1);

    private async Task AssertRows(IEnumerable<long> ids)
    {
        Assert.That((await Rows($"SELECT id FROM {_table} ORDER BY id")).Select(row => (long)(int)row[0]!), Is.EqualTo(ids.Order()));
        await AssertUsable();
    }

    [TestCase(1), TestCase(3), TestCase(20), TestCase(1000)]
    public async Task Rows_that_the_server_refuses_are_left_out(int batch)
    {
        Item[] rows = [.. Enumerable.Range(0, 50).Select(Good)];
        rows[13] = rows[13] with { Name = "not checked" };
        rows[14] = rows[14] with { Name = null };
        rows[20] = rows[20] with { Id = long.MaxValue };
        rows[21] = rows[21] with { Id = 3 };
        rows[22] = rows[22] with { Parent = 9 };
        rows[49] = rows[49] with { Parent = 9 };

        var result = await Write(Bulk(batch), rows);

        Assert.That(result.RejectedRows.Select(row => (row.Index, (row.Error as PostgresException)?.SqlState)), Is.EqualTo(new (long, string?)[]
        {
            (13, SqlStates.CheckViolation), (14, SqlStates.NotNullViolation), (20, null), (21, SqlStates.UniqueViolation),
            (22, SqlStates.ForeignKeyViolation), (49, SqlStates.ForeignKeyViolation),
        }));
        Assert.That(result.RejectedRows.Select(row => (row.Error as PostgresException)?.FailedRow ?? row.Index), Is.EqualTo(result.RejectedRows.Select(row => row.Index)));
        Assert.That((result.RowsCopied, result.RowsInserted), Is.EqualTo((44L, 44L)));
        await AssertRows(Enumerable.Range(0, 49).Select(i => (long)i).Except([13, 14, 20, 21, 22]));
    }

    [TestCase(PgBulkCopyConflict.Ignore, 2), TestCase(PgBulkCopyConflict.Update, 1)]
    public async Task They_are_left_out_of_a_copy_with_conflicts(PgBulkCopyConflict conflict, int parent)
    {
        await Execute($"INSERT INTO {_table} VALUES (5, 'old', 2)");
        Item[] rows = [.. Enumerable.Range(0, 30).Select(Good)];
        rows[7] = rows[7] with { Name = null };
        rows[8] = rows[8] with { Parent = 9 };
        var bulk = Bulk();
        bulk.Conflict = conflict;

        var result = await Write(bulk, rows);

        Assert.That(result.RejectedRows.Select(row => row.Index), Is.EqualTo(new long[] { 7, 8, 13 }));
        Assert.That((result.RowsCopied, result.RowsInserted, result.RowsUpdated), Is.EqualTo((27L, 26L, conflict == PgBulkCopyConflict.Update ? 1L : 0L)));
        Assert.That(await Scalar<int>($"SELECT parent FROM {_table} WHERE id = 5"), Is.EqualTo(parent));
        await AssertRows(Enumerable.Range(0, 30).Select(i => (long)i).Except([7, 8, 13]));
    }

    [Test]
    public async Task One_row_too_many_ends_the_copy([Values] bool commitsEachBatch, [Values(8, 22)] int last)
    {
        Item[] rows = [.. Enumerable.Range(0, 50).Select(Good)];
        rows[last - 1] = rows[last - 1] with { Name = null };
        rows[last] = rows[last] with { Name = null };
        var bulk = Bulk(most: 1);
        bulk.CommitsEachBatch = commitsEachBatch;

        var error = await Catch<PostgresException>(() => Write(bulk, rows));

        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.NotNullViolation, last == 8 ? 8 : 21L)));
        await AssertRows(commitsEachBatch && last == 22 ? Enumerable.Range(0, 20).Select(i => (long)i).Except([13]) : []);
    }

    [Test]
    public async Task The_callers_transaction_stays_usable()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            var result = await Write(Bulk(), Enumerable.Range(0, 50).Select(Good).Append(Good(3)));
            Assert.That(result.RejectedRows.Select(row => row.Index), Is.EqualTo(new long[] { 13, 50 }));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(49));
            await Mode.Commit(transaction);
        }
        await AssertRows(Enumerable.Range(0, 50).Select(i => (long)i).Except([13]));
    }

    [Test]
    public async Task An_error_of_the_source_or_of_another_class_ends_the_copy()
    {
        await using var other = await OpenAnother();
        await using var query = new PgCommand("SELECT i AS id, 'x' AS name, 1 AS parent FROM generate_series(0, 100) i WHERE 1 / (50 - i) < 2", other);
        await using (var reader = await Mode.ExecuteReader(query))
        {
            var bulk = Bulk();
            var error = await Catch<PostgresException>(() => Mode.Run(() => bulk.WriteToServer(reader), () => bulk.WriteToServerAsync(reader)));
            Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        }
        await AssertRows([]);
        await Execute($"CREATE FUNCTION {_table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.id = 30 THEN RAISE 'no space' USING ERRCODE = '53100'; END IF; RETURN new; END $$");
        await Execute($"CREATE TRIGGER full_disk BEFORE INSERT ON {_table} FOR EACH ROW EXECUTE FUNCTION {_table}()");

        Assert.That((await Catch<PostgresException>(() => Write(Bulk(), Enumerable.Range(0, 50).Select(Good)))).SqlState, Is.EqualTo("53100"));

        await AssertRows([]);
        await Execute($"DROP FUNCTION {_table} CASCADE");
    }

    // The rows that are left are those that INSERT takes one by one.
    [Test]
    public async Task Generated_rows_are_left_out_that_an_insert_refuses([Range(0, 19)] int seed)
    {
        var random = new Random(seed);
        // A row that conflicts with one that is rejected later is rejected, too: rows with a wrong parent have a key of their own.
        Item[] rows = [.. Enumerable.Range(0, random.Next(1, 150)).Select(i => random.Next(12) switch
        {
            0 => new Item(1000 + i, null, 1),
            1 => new Item(1000 + i, "x", 9),
            2 => new Item(13, "x", 1),
            3 => new Item(long.MinValue + i, "x", 1),
            _ => new Item(random.Next(40), new string('x', random.Next(4) == 0 ? 30_000 : 1), 2),
        })];
        var bulk = Bulk(random.Next(1, 60), rows.Length);
        bulk.CommitsEachBatch = random.Next(2) == 0;
        var refused = new List<long>();
        for (var i = 0; i < rows.Length; i++)
        {
            try
            {
                await Execute($"INSERT INTO {_table} VALUES ($1, $2, $3)", rows[i].Id, rows[i].Name, rows[i].Parent);
            }
            catch (PostgresException)
            {
                refused.Add(i);
            }
        }
        var expected = await Rows($"SELECT id, length(name), parent FROM {_table} ORDER BY id");
        await Execute($"TRUNCATE {_table}");

        var result = await Write(bulk, rows);

        Assert.That(result.RejectedRows.Select(row => row.Index), Is.EqualTo(refused));
        Assert.That(await Rows($"SELECT id, length(name), parent FROM {_table} ORDER BY id"), Is.EqualTo(expected));
        Assert.That(result.RowsCopied, Is.EqualTo(rows.Length - refused.Count));
    }
}
