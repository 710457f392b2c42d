using System.Text;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows copied into a table in binary format.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ImportTests(WaitMode mode) : CopyTest(mode)
{
    [TestCase(0)]
    [TestCase(1)]
    [TestCase(2)]
    [TestCase(100_000)]
    public async Task Every_row_arrives_once(int count)
    {
        Assert.That(await ImportRows(count), Is.EqualTo((ulong)count));
        Assert.That(await Rows("SELECT count(*), count(DISTINCT id), coalesce(max(id), -1), count(*) FILTER (WHERE name <> 'row ' || id) FROM copied"),
            Is.EqualTo(new[] { new object?[] { (long)count, (long)count, count - 1, 0L } }));
        await AssertUsable();
    }

    [Test]
    public async Task A_second_import_into_the_same_table_finds_it_changed()
    {
        await ImportRows(3);
        await Execute("ALTER TABLE copied ALTER id TYPE numeric");
        await ImportRows(3);
        await using (var other = await OpenAnother())
        {
            await Execute("DROP TABLE copied");
            await using var create = new PgCommand("DROP TABLE IF EXISTS copied_elsewhere; CREATE TABLE copied_elsewhere (id int, name text)", other);
            await Mode.ExecuteNonQuery(create);
            const string ElsewhereImport = "COPY copied_elsewhere FROM STDIN (FORMAT binary)";
            try
            {
                await ImportRows(2, ElsewhereImport);
                create.CommandText = "ALTER TABLE copied_elsewhere ALTER id TYPE bigint";
                await Mode.ExecuteNonQuery(create);
                await ImportRows(2, ElsewhereImport);
                Assert.That(await Rows("SELECT sum(id)::text FROM copied_elsewhere"), Is.EqualTo(new[] { new object?[] { "2" } }));
            }
            finally
            {
                create.CommandText = "DROP TABLE copied_elsewhere";
                await Mode.ExecuteNonQuery(create);
            }
        }
    }

    [Test]
    public async Task Values_are_encoded_for_the_column()
    {
        await Execute("CREATE TEMP TABLE typed (a bigint, b numeric, c smallint, d double precision, e varchar(10), f date, g timestamptz, h jsonb, i real)");
        var importer = await BeginImport("COPY typed FROM STDIN (FORMAT binary)");
        await StartRow(importer);
        await Write(importer, 1);
        await Write(importer, 2);
        await Write(importer, 3L);
        await Write(importer, 4.5f);
        await Write(importer, "five");
        await Write(importer, new DateTime(2026, 6, 6));
        await Write(importer, new DateTimeOffset(2026, 7, 7, 7, 7, 7, TimeSpan.Zero));
        await Write(importer, "{\"h\": 8}");
        await Write(importer, 9.5);
        Assert.That(await Complete(importer), Is.EqualTo(1));
        Assert.That(await Rows("SELECT typed::text FROM typed"), Is.EqualTo(new[] { new object?[] { await Scalar<string>(
            "SELECT ROW(1::bigint, 2::numeric, 3::smallint, 4.5::float8, 'five'::varchar, '2026-06-06'::date, '2026-07-07 07:07:07+00'::timestamptz, '{\"h\": 8}'::jsonb, 9.5::real)::text") } }));
    }

    [Test]
    public async Task A_value_that_does_not_fit_names_row_column_and_types_and_another_takes_its_place()
    {
        var importer = await BeginImport();
        await WriteRow(importer, 1, "one");
        await StartRow(importer);
        var wrong = await Catch<InvalidCastException>(() => Write(importer, "two"));
        Assert.That(wrong.Message, Does.Contain("Row 2").And.Contain("column 1 \"id\"").And.Contain("integer").And.Contain("string"));
        var large = await Catch<OverflowException>(() => Write(importer, long.MaxValue));
        Assert.That(large.Message, Does.Contain("Row 2").And.Contain("column 1 \"id\"").And.Contain("integer").And.Contain("long"));
        await Write(importer, 2);
        var nul = await Catch<ArgumentException>(() => Write(importer, "t\0wo"));
        Assert.That(nul.Message, Does.Contain("Row 2").And.Contain("column 2 \"name\"").And.Contain("NUL"));
        await Write(importer, (string?)null);
        await WriteRow(importer, DBNull.Value, "three");
        Assert.That(await Complete(importer), Is.EqualTo(3));
        Assert.That(await Rows("SELECT id, name FROM copied ORDER BY id"), Is.EqualTo(new[] { new object?[] { 1, "one" }, [2, null], [null, "three"] }));
    }

    [Test]
    public async Task A_row_that_cannot_be_written_leaves_nothing_and_the_next_one_follows()
    {
        var importer = await BeginImport();
        for (var i = 0; i < 20_000; i++)
        {
            if (i % 1000 == 7)
                await Catch<InvalidCastException>(() => WriteRow(importer, i, 12));
            if (i % 1000 == 8)
                await Catch<ArgumentException>(() => WriteRow(importer, i));
            if (i % 1000 == 9)
                await Catch<ArgumentException>(() => WriteRow(importer, i, "x", "y"));
            await WriteRow(importer, i, $"row {i}");
        }
        Assert.That(await Complete(importer), Is.EqualTo(20_000));
        Assert.That(await Rows("SELECT count(DISTINCT id), min(id), max(id) FROM copied"), Is.EqualTo(new[] { new object?[] { 20_000L, 0, 19_999 } }));
    }

    [Test]
    public async Task Too_many_values_and_too_few_are_errors_that_leave_the_import_usable()
    {
        var importer = await BeginImport();
        await Catch<InvalidOperationException>(() => Write(importer, 1));
        await StartRow(importer);
        await Write(importer, 1);
        await Catch<InvalidOperationException>(() => StartRow(importer));
        await Write(importer, "one");
        await Catch<InvalidOperationException>(() => Write(importer, 2));
        Assert.That(await Complete(importer), Is.EqualTo(1));
        await AssertUsable();
    }

    [Test]
    public async Task Completing_within_a_row_cancels()
    {
        var importer = await BeginImport();
        await WriteRow(importer, 1, "one");
        await StartRow(importer);
        await Write(importer, 2);
        await Catch<InvalidOperationException>(() => Complete(importer));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Every_call_behind_the_end_is_an_error()
    {
        var importer = await BeginImport();
        await WriteRow(importer, 1, "one");
        await Complete(importer);
        await Catch<ObjectDisposedException>(() => Complete(importer));
        await Catch<ObjectDisposedException>(() => StartRow(importer));
        await Catch<ObjectDisposedException>(() => Write(importer, 1));
        await Catch<ObjectDisposedException>(() => WriteRow(importer, 1, "one"));
        await Mode.Dispose(importer);
        await Mode.Dispose(importer);
        Assert.That(await Count(), Is.EqualTo(1));
        await AssertUsable();
    }

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(50_000)]
    public async Task Without_Complete_nothing_stays(int rows)
    {
        var importer = await BeginImport();
        for (var i = 0; i < rows; i++)
            await WriteRow(importer, i, "x");
        await Mode.Dispose(importer);
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Closing_the_connection_cancels_and_the_session_goes_back_to_its_pool()
    {
        await using var source = new PgDataSourceBuilder(ConnectionString + ";Maximum Pool Size=1").Build();
        for (var i = 0; i < 3; i++)
        {
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            var pid = connection.ProcessID;
            await using var create = new PgCommand("CREATE TEMP TABLE gone (id int)", connection);
            await Mode.ExecuteNonQuery(create);
            var importer = await BeginImport("COPY gone FROM STDIN (FORMAT binary)", connection);
            await WriteRow(importer, 1);
            await Mode.Close(connection);
            await Catch<ObjectDisposedException>(() => StartRow(importer));
            await Mode.Open(connection);
            Assert.That(connection.ProcessID, Is.EqualTo(pid));
        }
    }

    [Test]
    public async Task An_error_of_the_server_tells_the_row_and_leaves_nothing()
    {
        await Execute("ALTER TABLE copied ADD CHECK (id <> 70000)");
        var importer = await BeginImport();
        var error = await Catch<PostgresException>(async () =>
        {
            for (var i = 0; i < 100_000; i++)
                await WriteRow(importer, i, "x");
            await Complete(importer);
        });
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.CheckViolation, (long?)70_000)));
        await Mode.Dispose(importer);
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task In_a_transaction_the_rows_are_as_lasting_as_the_transaction()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            Assert.That(await ImportRows(10), Is.EqualTo(10));
            await ImportRows(5);
            Assert.That(await Count(), Is.EqualTo(15));
            await Mode.Rollback(transaction);
        }
        Assert.That(await Count(), Is.Zero);
        await using (var transaction = Connection.BeginTransaction())
        {
            await ImportRows(10);
            await Mode.Commit(transaction);
        }
        Assert.That(await Count(), Is.EqualTo(10));
    }

    [Test]
    public async Task A_copy_that_is_refused_leaves_the_transaction_to_its_caller()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            var error = await Catch<PostgresException>(() => BeginImport("  COPY no_such_table FROM STDIN (FORMAT binary)"));
            Assert.That(error.SqlState, Is.EqualTo(SqlStates.UndefinedTable));
            Assert.That((await Catch<PostgresException>(() => Execute("SELECT 1"))).SqlState, Is.EqualTo(SqlStates.InFailedSqlTransaction));
            await Mode.Rollback(transaction);
        }
        var syntax = await Catch<PostgresException>(() => BeginImport("  COPY copied FROM STDIN (FORMAT binary, nonsense)"));
        Assert.That(syntax.Position, Is.EqualTo(42));
        await AssertUsable();
    }

    [Test]
    public async Task Types_of_the_database_are_looked_up()
    {
        var type = "copied_mood_" + Guid.NewGuid().ToString("N")[..8];
        await Execute($"CREATE TYPE {type} AS ENUM ('sad', 'happy'); CREATE TEMP TABLE moods (mood {type}, moods {type}[])");
        try
        {
            for (var i = 0; i < 2; i++)
            {
                await using var importer = await BeginImport("COPY moods FROM STDIN (FORMAT binary)");
                await WriteRow(importer, "happy", new[] { "sad", "happy" });
                Assert.That(await Complete(importer), Is.EqualTo(1));
            }
            Assert.That(await Rows("SELECT DISTINCT (m.*)::text FROM moods m"), Is.EqualTo(new[] { new object?[] { "(happy,\"{sad,happy}\")" } }));
        }
        finally
        {
            await Execute($"DROP TABLE moods; DROP TYPE {type}");
        }
    }

    [Test]
    public async Task Generated_columns_are_left_out_and_quoted_names_are_found()
    {
        await Execute("CREATE TEMP TABLE \"Odd Table\" (\"The \"\"Id\" bigint GENERATED ALWAYS AS IDENTITY, twice int GENERATED ALWAYS AS (n * 2) STORED, n int, \"from\" text)");
        var importer = await BeginImport("COPY \"Odd Table\" FROM STDIN WITH (FORMAT binary)");
        await WriteRow(importer, 7, 21, "a");
        await Complete(importer);
        importer = await BeginImport("copy pg_temp.\"Odd Table\" (\"from\", \"The \"\"Id\") from stdin (format binary);");
        await WriteRow(importer, "b", 8);
        await Complete(importer);
        Assert.That(await Rows("SELECT * FROM \"Odd Table\" ORDER BY 1"), Is.EqualTo(new[] { new object?[] { 7L, 42, 21, "a" }, [8L, null, null, "b"] }));
    }

    [Test]
    public async Task Large_values_are_sent_in_pieces()
    {
        await Execute("CREATE TEMP TABLE large (a bytea, b text, c jsonb)");
        var bytes = new byte[3_000_000];
        new Random(1).NextBytes(bytes);
        var text = string.Concat(Enumerable.Repeat("äöü\U0001F600x", 100_000));
        var importer = await BeginImport("COPY large FROM STDIN (FORMAT binary)");
        for (var i = 0; i < 3; i++)
        {
            await StartRow(importer);
            if (i == 0)
                await Write(importer, bytes);
            else
                await Write<Stream>(importer, i == 1 ? new MemoryStream(bytes) : new Unmeasured(bytes));
            await Write(importer, text);
            await Write<object>(importer, "\"" + text + "\"");
        }
        Assert.That(await Complete(importer), Is.EqualTo(3));
        Assert.That(await Rows("SELECT DISTINCT md5(a), md5(b), md5(c::text) FROM large"), Is.EqualTo(new[]
        {
            new object?[] { Md5(bytes), Md5(Encoding.UTF8.GetBytes(text)), Md5(Encoding.UTF8.GetBytes("\"" + text + "\"")) },
        }));
    }

    [Test]
    public async Task A_stream_that_fails_or_ends_early_cancels_the_import()
    {
        await Execute("CREATE TEMP TABLE large (a bytea)");
        foreach (var stream in new Stream[] { new Failing(200_000, 100_000, fails: true), new Failing(200_000, 100_000, fails: false) })
        {
            var importer = await BeginImport("COPY large FROM STDIN (FORMAT binary)");
            await StartRow(importer);
            var error = await Catch<PgException>(() => Write(importer, stream));
            Assert.That(error.Message, Does.Contain("Row 1, column 1 \"a\"").And.Contain("100000 of 200000 bytes"));
            await Mode.Dispose(importer);
            Assert.That(await Scalar<long>("SELECT count(*) FROM large"), Is.Zero);
        }
    }

    [Test]
    public async Task A_row_takes_no_memory()
    {
        if (Mode == WaitMode.Async)
            Assert.Ignore("A test of allocations that continues on other threads would count theirs.");
        await Execute("CREATE TEMP TABLE four (a bigint, b text, c timestamptz, d double precision)");
        using var importer = Connection.BeginBinaryImport("COPY four FROM STDIN (FORMAT binary)");
        Fill(importer, 20_000);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Fill(importer, 20_000);
        // Less than a byte a row: something small for each of the thirty sends.
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(10_000));
        Assert.That(importer.Complete(), Is.EqualTo(40_000));
    }

    private static void Fill(PgBinaryImporter importer, int rows)
    {
        var time = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        for (var i = 0; i < rows; i++)
        {
            importer.StartRow();
            importer.Write((long)i);
            importer.Write("sixteen letters.");
            importer.Write(time);
            importer.Write(i * 0.5);
        }
    }

    private static string Md5(byte[] bytes) => Convert.ToHexStringLower(System.Security.Cryptography.MD5.HashData(bytes));

    private sealed class Unmeasured(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }

    private sealed class Failing(long length, int good, bool fails) : MemoryStream
    {
        private int _left = good;

        public override long Length => length;

        public override int Read(Span<byte> buffer)
        {
            if (_left == 0 && fails)
                throw new IOException("the disk is gone");
            var count = Math.Min(buffer.Length, _left);
            _left -= count;
            return count;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));
    }
}
