using System.Diagnostics;

namespace Loxo.IntegrationTests.Execution;

/// <summary>One command that runs for many rows of parameters.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ExecuteManyTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Insert = "INSERT INTO many VALUES ($1)";


    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE many (id int)");

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(2)]
    [TestCase(100_000)]
    public async Task Each_row_runs_the_command_once(int count)
    {
        Assert.That(await Run(Insert, Enumerable.Range(0, count)), Is.EqualTo(count));
        Assert.That(await Rows("SELECT count(*), count(DISTINCT id), coalesce(max(id), -1) FROM many"),
            Is.EqualTo(new[] { new object?[] { (long)count, (long)count, count - 1 } }));
    }

    [Test]
    public async Task Rows_may_come_asynchronously()
    {
        await using var command = Command(Insert, new PgParameter<int>());
        Assert.That(await command.ExecuteManyAsync(Awaited(10_000), SetTyped), Is.EqualTo(10_000));
        Assert.That(await Scalar<long>("SELECT sum(id) FROM many"), Is.EqualTo(10_000L * 9_999 / 2));
    }

    [Test]
    public async Task The_changed_rows_are_added_up()
    {
        await Run(Insert, Enumerable.Range(0, 100));
        Assert.That(await Run("UPDATE many SET id = id WHERE id < $1", [10, 20, 0]), Is.EqualTo(30));
        Assert.That(await Run("DELETE FROM many WHERE id < $1", [10, 20, 0]), Is.EqualTo(20));
        Assert.That(await Run("SELECT $1", [1, 2]), Is.EqualTo(-1));
        Assert.That(await Run("-- $1 nothing", []), Is.Zero);
    }

    [TestCase(1, 0)]
    [TestCase(30_000, 0)]
    [TestCase(30_000, 15_000)]
    [TestCase(30_000, 29_999)]
    public async Task An_error_undoes_all_rows_and_tells_which_one_failed(int count, int failing)
    {
        await Execute("ALTER TABLE many ADD CHECK (id <> -1)");
        var error = await Catch<PostgresException>(() => Run(Insert, Enumerable.Range(0, count).Select(i => i == failing ? -1 : i)));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.CheckViolation, (long?)failing)));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_text_that_is_wrong_fails_with_the_first_row()
    {
        var error = await Catch<PostgresException>(() => Run("INSERT INTO nowhere VALUES ($1)", Enumerable.Range(0, 100_000)));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.UndefinedTable, 0L)));
        var missing = await Catch<PgException>(() => Run("INSERT INTO many VALUES ($1, $2)", [1]));
        Assert.That(missing.Code, Is.EqualTo(PgErrorCode.ParameterMissing).Or.EqualTo(PgErrorCode.ServerError));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_deferred_constraint_fails_at_no_row_and_undoes_all_of_them()
    {
        await Execute("ALTER TABLE many ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED");
        var error = await Catch<PostgresException>(() => Run(Insert, [1, 2, 1, 3]));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.UniqueViolation, (long?)null)));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Types_may_change_from_row_to_row()
    {
        object?[] values = [null, 1, null, 2L, (short)3, null, "4", 5m];
        await using var command = Command("INSERT INTO many VALUES ($1::text::int)", 0);
        await Run(command, values, static (row, parameters) => parameters[0].Value = row ?? DBNull.Value);
        Assert.That(await Rows("SELECT sum(id), count(*) FROM many"), Is.EqualTo(new[] { new object?[] { 15L, 8L } }));
    }

    [Test]
    public async Task A_null_in_front_of_values_is_no_obstacle()
    {
        await using var command = Command(Insert, 0);
        var values = Enumerable.Range(0, 5_000).Select(i => i % 7 == 0 ? null : (int?)i);
        await Run(command, values, static (row, parameters) => parameters[0].Value = row is { } value ? value : DBNull.Value);
        Assert.That(await Rows("SELECT count(*), count(id) FROM many"), Is.EqualTo(new[] { new object?[] { 5_000L, 4_285L } }));
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task A_type_of_the_database_is_looked_up_before_or_between_rows(bool later)
    {
        var type = "mood_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE TYPE {type} AS ENUM ('Sad', 'Happy')");
        try
        {
            await Execute($"ALTER TABLE many ADD COLUMN mood {type}");
            await using var command = Command($"INSERT INTO many (mood) VALUES ($1::{type})", "Sad");
            await Run(command, Enumerable.Range(0, 10), (row, parameters) =>
            {
                if (row == (later ? 5 : 0))
                    parameters[0].DataTypeName = type;
                parameters[0].Value = row % 2 == 0 ? "Happy" : "Sad";
            });
            Assert.That(await Rows("SELECT mood::text, count(*) FROM many GROUP BY 1 ORDER BY 1"),
                Is.EqualTo(new[] { new object?[] { "Happy", 5L }, ["Sad", 5L] }));
        }
        finally
        {
            await Execute($"DROP TABLE many; DROP TYPE {type}");
        }
    }

    [Test]
    public async Task A_type_that_the_open_transaction_has_made_is_found()
    {
        await using var transaction = Connection.BeginTransaction();
        await Execute("CREATE TYPE pg_temp.mood_of_transaction AS ENUM ('Sad')");
        await using var command = Command("SELECT $1", new PgParameter { DataTypeName = "pg_temp.mood_of_transaction" });
        Assert.That(await Run(command, ["Sad"], static (row, parameters) => parameters[0].Value = row), Is.EqualTo(-1));
        await Mode.Rollback(transaction);
    }

    [Test]
    public async Task A_type_that_does_not_exist_is_an_error_and_undoes_the_rows()
    {
        await using var command = Command("INSERT INTO many VALUES ($1::text::int)", "1");
        var error = await Catch<PgException>(() => Run(command, Enumerable.Range(0, 10), static (row, parameters) =>
        {
            if (row == 5)
                parameters[0].DataTypeName = "no_such_type";
            parameters[0].Value = "1";
        }));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        await AssertEmptyAndUsable();
    }

    [TestCase(10, 5)]
    [TestCase(50_000, 49_999)]
    public async Task What_the_enumerator_or_the_delegate_throws_undoes_all_rows_and_is_thrown(int count, int failing)
    {
        var thrown = new FormatException();
        Assert.That(await Catch<FormatException>(() => Run(Insert, Enumerable.Range(0, count).Select(i => i == failing ? throw thrown : i))),
            Is.SameAs(thrown));
        await AssertEmptyAndUsable();
        await using var command = Command(Insert, new PgParameter<int>());
        Assert.That(await Catch<FormatException>(() => Run(command, Enumerable.Range(0, count), (row, parameters) =>
        {
            if (row == failing)
                throw thrown;
            SetTyped(row, parameters);
        })), Is.SameAs(thrown));
        await AssertEmptyAndUsable();
    }

    [TestCase(10, 5)]
    [TestCase(50_000, 49_999)]
    public async Task A_value_that_cannot_be_written_undoes_all_rows(int count, int failing)
    {
        await using var command = Command("INSERT INTO many VALUES (length($1))", new PgParameter<string>());
        await Catch<PgException>(() => Run(command, Enumerable.Range(0, count),
            (row, parameters) => ((PgParameter<string>)parameters[0]).TypedValue = row == failing ? "\ud800" : "text"));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task An_enumerator_that_throws_when_it_is_disposed_of_undoes_all_rows()
    {
        await Catch<FormatException>(() => Run(Insert, ThrowingAtItsEnd(20_000)));
        await AssertEmptyAndUsable();
    }

    [TestCase(10)]
    [TestCase(50_000)]
    public async Task Cancel_stops_rows_and_undoes_them(int cancelling)
    {
        await using var command = Command(Insert, new PgParameter<int>());
        await Catch<OperationCanceledException>(() => Run(command, Enumerable.Range(0, 1_000_000), (row, parameters) =>
        {
            if (row == cancelling)
                command.Cancel();
            SetTyped(row, parameters);
        }));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_token_stops_rows_that_sleep()
    {
        using var source = new CancellationTokenSource();
        await using var command = Command("INSERT INTO many SELECT $1 FROM pg_sleep(10)", new PgParameter<int>());
        source.CancelAfter(300);
        if (Mode == WaitMode.Async)
        {
            var error = await Catch<OperationCanceledException>(() => command.ExecuteManyAsync(Enumerable.Range(0, 1_000), SetTyped, source.Token));
            Assert.That(error.CancellationToken, Is.EqualTo(source.Token));
        }
        else
        {
            await using var registration = source.Token.Register(command.Cancel);
            await Catch<OperationCanceledException>(() => Run(command, Enumerable.Range(0, 1_000), SetTyped));
        }
        await AssertEmptyAndUsable();
    }

    [TestCase(3)]
    [TestCase(1_000_000)]
    public async Task A_wait_that_takes_too_long_stops_the_rows(int count)
    {
        await using var command = Command("INSERT INTO many SELECT $1 FROM pg_sleep(CASE WHEN $1 = 2 THEN 60 ELSE 0 END)", new PgParameter<int>());
        command.CommandTimeout = 1;
        var time = Stopwatch.StartNew();
        var error = await Catch<PgException>(() => Run(command, Enumerable.Range(0, count), SetTyped));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(time.Elapsed.TotalSeconds, Is.LessThan(50));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task Each_wait_has_its_own_time()
    {
        await using var command = Command("INSERT INTO many SELECT $1 FROM pg_sleep(0.4), repeat('x', length($2))",
            new PgParameter<int>(), new PgParameter<string>(new string('x', 100_000)));
        command.CommandTimeout = 10;
        Assert.That(await Run(command, [1, 2, 3, 4], SetTyped), Is.EqualTo(4));
    }

    [Test]
    public async Task Large_rows_and_large_results_flow_in_both_directions()
    {
        await Execute("ALTER TABLE many ADD COLUMN text text");
        var texts = Enumerable.Range(0, 4).Select(i => new string((char)('a' + i), 1_000_000)).ToArray();
        await using var command = Command("INSERT INTO many VALUES ($1, $2) RETURNING text, text || 'x'",
            new PgParameter<int>(), new PgParameter<string>());
        Assert.That(await Run(command, Enumerable.Range(0, 40), (row, parameters) =>
        {
            SetTyped(row, parameters);
            ((PgParameter<string>)parameters[1]).TypedValue = texts[row % 4];
        }), Is.EqualTo(40));
        Assert.That(await Scalar<long>("SELECT sum(length(text)) FROM many"), Is.EqualTo(40_000_000));
        await AssertUsable();
    }

    [Test]
    public async Task Many_rows_of_results_are_skipped() =>
        Assert.That(await Run("SELECT generate_series(1, 20), repeat('x', 1000) WHERE $1 >= 0", Enumerable.Range(0, 5_000)), Is.EqualTo(-1));

    [TestCase(true)]
    [TestCase(false)]
    public async Task Rows_belong_to_the_open_transaction(bool commit)
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            Assert.That(await Run(Insert, []), Is.Zero);
            Assert.That(await Run(Insert, Enumerable.Range(0, 1_000)), Is.EqualTo(1_000));
            await Execute("INSERT INTO many VALUES (1000)");
            Assert.That(await Run(Insert, [1001, 1002]), Is.EqualTo(2));
            if (commit)
                await Mode.Commit(transaction);
            else
                await Mode.Rollback(transaction);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM many"), Is.EqualTo(commit ? 1_003 : 0));
    }

    [TestCase(10)]
    [TestCase(50_000)]
    public async Task In_a_transaction_rows_that_fail_are_a_failed_statement(int count)
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            await Execute("INSERT INTO many VALUES (-5)");
            await transaction.SaveAsync("before");
            await Catch<FormatException>(() => Run(Insert, Enumerable.Range(0, count).Select(i => i == count - 1 ? throw new FormatException() : i)));
            if (count == 50_000)
                Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1"))).SqlState, Is.EqualTo(SqlStates.InFailedSqlTransaction));
            await transaction.RollbackAsync("before");
            await Mode.Commit(transaction);
        }
        Assert.That(await Rows("SELECT id FROM many"), Is.EqualTo(new[] { new object?[] { -5 } }));
    }

    [Test]
    public async Task A_transaction_that_begins_with_the_rows_fails_with_them()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            var error = await Catch<PostgresException>(() => Run("INSERT INTO many VALUES (1 / $1)", [1, 2, 0, 3]));
            Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.DivisionByZero, 2L)));
            await Mode.Rollback(transaction);
        }
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_session_that_ends_is_an_error_and_the_connection_is_broken()
    {
        await using var other = await OpenAnother();
        var process = Connection.ProcessID;
        var error = await Catch<PgException>(() => Run(Insert, Enumerable.Range(0, 1_000_000).Select(i =>
        {
            if (i == 20_000)
                new PgCommand($"SELECT pg_terminate_backend({process}, 5000)", other).ExecuteScalar();
            return i;
        })));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ServerError).Or.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That((error as PostgresException)?.FailedRow, Is.Null);
        Assert.That(Connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }

    [Test]
    public async Task A_row_allocates_nothing()
    {
        await using var command = Command(Insert, new PgParameter<int>());
        var rows = Enumerable.Range(0, 100_000);
#if DEBUG
        const int Boxes = 100_000 * 5 * 24; // code that is not optimized boxes a value to compare it with null
#else
        const int Boxes = 0;
#endif
        const int Limit = Boxes + 300_000;
        // The runtime optimizes the code when it finds the time, and boxes until then.
        var allocated = long.MaxValue;
        for (var run = 0; run < 10 && allocated >= Limit; run++)
        {
            // An awaiting caller goes on on several threads.
            var before = GC.GetTotalAllocatedBytes(precise: true);
            await Run(command, rows, SetTyped);
            allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
        }
        TestContext.Out.WriteLine($"{allocated - Boxes} bytes");
        Assert.That(allocated, Is.LessThan(Limit));
    }

    [Test, Category("Slow"), Category("OneServer")]
    public async Task A_million_rows_need_no_more_memory_than_a_hundred_thousand()
    {
        await Execute("DROP TABLE IF EXISTS many_unlogged");
        await Execute("CREATE UNLOGGED TABLE many_unlogged (id int)");
        try
        {
            await using var command = Command("INSERT INTO many_unlogged VALUES ($1)", new PgParameter<int>());
            await Peak(command, 100_000);
            var few = await Peak(command, 100_000);
            var many = await Peak(command, 1_000_000);
            TestContext.Out.WriteLine($"{few} and {many} bytes at most");
            Assert.That(many, Is.LessThan(few + 256 * 1024));
            Assert.That(await Scalar<long>("SELECT count(*) FROM many_unlogged"), Is.EqualTo(1_200_000));
        }
        finally
        {
            await Execute("DROP TABLE many_unlogged");
        }
    }

    // The most memory that is in use at any of twenty moments of a run, beyond what was in use before.
    private async Task<long> Peak(PgCommand command, int count)
    {
        var (before, peak) = (GC.GetTotalMemory(forceFullCollection: true), 0L);
        var rows = Enumerable.Range(0, count).Select(i =>
        {
            if (i % (count / 20) == count / 40)
                peak = Math.Max(peak, GC.GetTotalMemory(forceFullCollection: true) - before);
            return i;
        });
        Assert.That(await Run(command, rows, SetTyped), Is.EqualTo(count));
        return peak;
    }

    [Test]
    public async Task The_result_is_that_of_a_loop()
    {
        var random = new Random(20261122);
        await Execute("CREATE TEMP TABLE loop (a int, b text, c float8, d bytea, e timestamptz); CREATE TEMP TABLE rows (LIKE loop)");
        var rows = Enumerable.Range(0, 2_000).Select(_ => new object?[]
        {
            random.Next(3) == 0 ? null : random.Next(),
            random.Next(3) == 0 ? null : new string((char)random.Next('a', 'z'), random.Next(random.Next(20_000))),
            random.NextDouble(),
            random.Next(3) == 0 ? null : RandomBytes(random),
            DateTime.UnixEpoch.AddSeconds(random.Next()),
        }).ToList();
        await using var one = Command("INSERT INTO loop VALUES ($1, $2, $3, $4, $5)", null, null, null, null, null);
        foreach (var row in rows)
        {
            SetAll(row, one.Parameters);
            await Mode.ExecuteNonQuery(one);
        }
        await using var many = Command("INSERT INTO rows VALUES ($1, $2, $3, $4, $5)", null, null, null, null, null);
        Assert.That(await Run(many, rows, SetAll), Is.EqualTo(2_000));
        Assert.That(await Scalar<long>("SELECT count(*) FROM (SELECT * FROM loop EXCEPT ALL SELECT * FROM rows) AS missing"), Is.Zero);
        Assert.That(await Scalar<long>("SELECT count(*) FROM (SELECT * FROM rows EXCEPT ALL SELECT * FROM loop) AS added"), Is.Zero);
    }

    [Test]
    public async Task A_command_of_a_data_source_runs_on_a_connection_of_its_own()
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await using var command = source.CreateCommand("SELECT $1");
        command.Parameters.Add(new PgParameter<int>());
        Assert.That(await Run(command, Enumerable.Range(0, 10), SetTyped), Is.EqualTo(-1));
        var error = await Catch<FormatException>(() => Run(command, Enumerable.Range(0, 10), static (_, _) => throw new FormatException()));
        Assert.That(error, Is.Not.Null);
        Assert.That(await Run(command, Enumerable.Range(0, 10), SetTyped), Is.EqualTo(-1));
    }

    [Test]
    public async Task Rows_may_not_come_from_the_same_connection()
    {
        await using var command = Command(Insert, new PgParameter<int>());
        await Catch<PgOperationInProgressException>(() => Run(command, [1], (_, _) => Command("SELECT 1").ExecuteScalar()));
        await AssertEmptyAndUsable();
    }

    [Test]
    public async Task A_statement_that_is_outdated_is_reported_and_runs_the_next_time()
    {
        var table = "many_" + Guid.NewGuid().ToString("N")[..12];
        var returning = $"INSERT INTO {table} VALUES ($1) RETURNING *";
        await Execute($"CREATE TABLE {table} (id int)");
        try
        {
            await Run(returning, [1]);
            // A data source of its own: the one of this connection learns nothing of it.
            await using (var source = PgDataSource.Create(ConnectionString + ";Application Name=elsewhere"))
            await using (var alter = source.CreateCommand($"ALTER TABLE {table} ADD COLUMN more int"))
                await alter.ExecuteNonQueryAsync();
            var error = await Catch<PgException>(() => Run(returning, [2, 3]));
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.StatementOutdated));
            Assert.That(await Run(returning, [2, 3]), Is.EqualTo(2));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {table}"), Is.EqualTo(3));
        }
        finally
        {
            await Execute($"DROP TABLE {table}");
        }
    }

    private static byte[] RandomBytes(Random random)
    {
        var bytes = new byte[random.Next(2_000)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static IEnumerable<int> ThrowingAtItsEnd(int count)
    {
        try
        {
            for (var i = 0; i < count; i++)
                yield return i;
        }
        finally
        {
            throw new FormatException();
        }
    }

    private static async IAsyncEnumerable<int> Awaited(int count)
    {
        for (var i = 0; i < count; i++)
        {
            if (i % 1_000 == 0)
                await Task.Yield();
            yield return i;
        }
    }

    private static void SetTyped(int row, PgParameterCollection parameters) => ((PgParameter<int>)parameters[0]).TypedValue = row;

    private static void SetAll(object?[] row, PgParameterCollection parameters)
    {
        for (var i = 0; i < row.Length; i++)
            parameters[i].Value = row[i] ?? DBNull.Value;
    }

    private async Task<long> Run(string sql, IEnumerable<int> rows)
    {
        await using var command = Command(sql, new PgParameter<int>());
        return await Run(command, rows, SetTyped);
    }

    private Task<long> Run<T>(PgCommand command, IEnumerable<T> rows, Action<T, PgParameterCollection> bind) =>
        Mode.Run(() => command.ExecuteMany(rows, bind), () => command.ExecuteManyAsync(rows, bind));

    private async Task AssertEmptyAndUsable()
    {
        Assert.That(await Scalar<long>("SELECT count(*) FROM many"), Is.Zero);
        await AssertUsable();
    }
}
