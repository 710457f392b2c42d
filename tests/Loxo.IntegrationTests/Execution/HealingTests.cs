namespace Loxo.IntegrationTests.Execution;

/// <summary>What happens to prepared statements when the database changes under them, or the server forgets them.</summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false), TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
public class HealingTests(WaitMode mode, bool isExplicit) : DatabaseTest(mode)
{
    private string _table = "";

    protected override string ConnectionString => base.ConnectionString + ";Pooling=false";

    private string Select => $"SELECT * FROM {_table} ORDER BY 1";

    [SetUp]
    public async Task CreateTable()
    {
        _table = "healing_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int); INSERT INTO {_table} VALUES (1), (2)");
        await Run();
        await Run();
        await Run();
        if (isExplicit)
        {
            await using var command = Command(Select);
            await Mode.Prepare(command);
        }
    }

    [TearDown]
    public async Task DropTable()
    {
        await using var other = await OpenAnother();
        await new PgCommand($"DROP TABLE IF EXISTS {_table}", other).ExecuteNonQueryAsync();
    }

    [Test]
    public async Task A_table_altered_by_others_is_not_noticed()
    {
        await ByOthers($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");

        Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "x"], [2, "x"] }));
        Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "x"], [2, "x"] }));
    }

    [Test]
    public async Task A_column_of_another_type_is_never_read_as_what_it_was()
    {
        await ByOthers($"ALTER TABLE {_table} ALTER id TYPE float8");
        Assert.That(await Run(), Is.EqualTo(new object[][] { [1.0], [2.0] }));

        await ByOthers($"ALTER TABLE {_table} ALTER id TYPE text");
        Assert.That(await Run(), Is.EqualTo(new object[][] { ["1"], ["2"] }));
    }

    [Test]
    public async Task A_transaction_that_begins_with_the_outdated_statement_does_not_notice()
    {
        await ByOthers($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");
        await using var transaction = await Begin();

        Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "x"], [2, "x"] }));
        await Execute($"DELETE FROM {_table} WHERE id = 1");
        await Mode.Rollback(transaction);
        Assert.That(await Run(), Has.Count.EqualTo(2));
    }

    [Test]
    public async Task A_transaction_that_would_lose_something_fails_with_a_precise_error_and_the_next_works()
    {
        await using (var transaction = await Begin())
        {
            await Execute("SELECT 1");
            await ByOthers($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");

            var error = await Catch<PgException>(() => Run());

            Assert.That(error.Code, Is.EqualTo(PgErrorCode.StatementOutdated));
            Assert.That(error.InnerException, Is.InstanceOf<PostgresException>().With.Property(nameof(PostgresException.SqlState)).EqualTo("0A000"));
            Assert.That(error.Message, Does.Contain("roll back"));
            await Mode.Rollback(transaction);
        }
        await using (await Begin())
        {
            await Execute("SELECT 1");
            Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "x"], [2, "x"] }));
        }
    }

    [Test]
    public async Task Own_changes_never_fail_a_transaction()
    {
        await using var transaction = await Begin();
        await Run();
        await Execute($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");
        Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "x"], [2, "x"] }));

        await Mode.Rollback(transaction);

        await using var another = await Begin();
        await Execute("SELECT 1");
        Assert.That(await Run(), Is.EqualTo(new object[][] { [1], [2] }));
    }

    [Test]
    public async Task A_temporary_table_made_again_is_read_as_it_is_now()
    {
        await using var transaction = await Begin();
        foreach (var column in new[] { "1 AS a", "'x' AS a, 2 AS b", "true AS c" })
        {
            await Execute($"DROP TABLE IF EXISTS healing_temp");
            await Execute($"CREATE TEMP TABLE healing_temp AS SELECT {column}");
            for (var i = 0; i < 3; i++)
                Assert.That(await Rows("SELECT * FROM healing_temp"), Has.Count.EqualTo(1));
        }
    }

    [Test]
    public async Task A_search_path_of_ones_own_counts_at_once()
    {
        var schema = _table + "_s";
        await Execute($"CREATE SCHEMA {schema}; CREATE TABLE {schema}.{_table} (name text, more int); INSERT INTO {schema}.{_table} VALUES ('y', 3)");
        try
        {
            await using var transaction = await Begin();
            await Execute("SELECT 1");
            await Execute($"SET search_path = {schema}");
            Assert.That(await Run(), Is.EqualTo(new object[][] { ["y", 3] }));
            await Mode.Rollback(transaction);
            Assert.That(await Run(), Is.EqualTo(new object[][] { [1], [2] }));
        }
        finally
        {
            await ByOthers($"DROP SCHEMA {schema} CASCADE");
        }
    }

    [TestCase("DEALLOCATE ALL"), TestCase("DISCARD PLANS"), TestCase("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$")]
    public async Task Forgetting_by_own_command_is_not_noticed_even_in_a_transaction(string sql)
    {
        await using var transaction = await Begin();
        await Execute(sql);
        Assert.That(await Run(), Has.Count.EqualTo(2));
        await Execute("SELECT 1");
        await Execute(sql);
        Assert.That(await Run(), Has.Count.EqualTo(2));
    }

    [Test]
    public async Task DISCARD_ALL_is_not_noticed()
    {
        await Execute("DISCARD ALL");
        Assert.That(await Run(), Has.Count.EqualTo(2));
        Assert.That(await Run(), Has.Count.EqualTo(2));
    }

    [Test]
    public async Task A_server_that_has_forgotten_is_not_noticed()
    {
        // Through a function that nothing is known of: without a pool there is no audit.
        await ByOthers($"CREATE FUNCTION {_table}_f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN 1; END $$");
        try
        {
            await Execute($"SELECT {_table}_f()");
            Assert.That(await Run(), Has.Count.EqualTo(2));
            await using var transaction = await Begin();
            Assert.That(await Run(), Has.Count.EqualTo(2));
            await Execute($"SELECT {_table}_f()");
            Assert.That(await Run(), Has.Count.EqualTo(2));
            await Mode.Rollback(transaction);
            Assert.That(await Run(), Has.Count.EqualTo(2));
        }
        finally
        {
            await ByOthers($"DROP FUNCTION {_table}_f()");
        }
    }

    [Test]
    public async Task A_type_dropped_and_made_again_is_read_by_its_new_self()
    {
        var type = _table + "_t";
        await ByOthers($"CREATE TYPE {type} AS ENUM ('a', 'b'); ALTER TABLE {_table} ADD mood {type} DEFAULT 'a'");
        for (var i = 0; i < 3; i++)
            Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "a"], [2, "a"] }));

        await ByOthers($"DROP TYPE {type} CASCADE; CREATE TYPE {type} AS ENUM ('c'); ALTER TABLE {_table} ADD mood {type} DEFAULT 'c'");

        for (var i = 0; i < 3; i++)
            Assert.That(await Run(), Is.EqualTo(new object[][] { [1, "c"], [2, "c"] }));
        await ByOthers($"ALTER TABLE {_table} DROP mood; DROP TYPE {type}");
    }

    // The server finds out when it sends the columns, and functions may have run by then: that run fails.
    [Test]
    public async Task A_prepared_text_that_names_a_type_is_parsed_again_once_the_type_was_made_anew()
    {
        var type = _table + "_n";
        var sql = $"SELECT $1::bigint, 'a'::{type}";
        await ByOthers($"CREATE TYPE {type} AS ENUM ('a')");
        for (var i = 0; i < 6; i++)
            Assert.That(await Rows(sql, 7L), Is.EqualTo(new object[][] { [7L, "a"] }));

        for (var i = 0; i < 2; i++)
        {
            await ByOthers($"DROP TYPE {type}; CREATE TYPE {type} AS ENUM ('b', 'a')");
            try
            {
                await Rows(sql, 7L);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.InternalError)
            {
            }
            for (var n = 0; n < 6; n++)
                Assert.That(await Rows(sql, 7L), Is.EqualTo(new object[][] { [7L, "a"] }));
        }
        await ByOthers($"DROP TYPE {type}");
    }

    [Test]
    public async Task A_batch_whose_first_statement_is_outdated_is_repeated_whole()
    {
        await ByOthers($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");
        await using var batch = new PgBatch(Connection);
        batch.BatchCommands.Add(new PgBatchCommand(Select));
        batch.BatchCommands.Add(new PgBatchCommand($"INSERT INTO {_table} VALUES (3)"));

        await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());

        Assert.That(await Run(), Has.Count.EqualTo(3), "the insert was done once");
    }

    [Test]
    public async Task A_batch_that_has_run_in_part_is_not_repeated_and_says_so()
    {
        await ByOthers($"ALTER TABLE {_table} ADD name text DEFAULT 'x'");
        await using var batch = new PgBatch(Connection);
        batch.BatchCommands.Add(new PgBatchCommand($"INSERT INTO {_table} VALUES (3)"));
        batch.BatchCommands.Add(new PgBatchCommand(Select));

        var error = await Catch<PgException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.StatementOutdated));
        Assert.That(await Run(), Has.Count.EqualTo(2), "the server has undone the insert");
        await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());
        Assert.That(await Run(), Has.Count.EqualTo(3));
    }

    [Test]
    public async Task A_prepared_command_whose_parameters_change_runs_with_them_as_they_are([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        await using var command = Command("SELECT pg_typeof($1)::text");
        for (var i = 0; i < 60; i++)
        {
            var (value, type) = random.Next(4) switch
            {
                0 => ((object)1, "integer"),
                1 => (2L, "bigint"),
                2 => ("x", "text"),
                _ => (1.5, "double precision"),
            };
            command.Parameters.Clear();
            command.Parameters.Add(new PgParameter { Value = value });
            if (isExplicit && random.Next(5) == 0)
                await Mode.Prepare(command);
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(type));
        }
    }

    private Task<List<object?[]>> Run() => Rows(Select);

    private async Task<PgTransaction> Begin() =>
        await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());

    // Another data source, whose definitions this one does not hear of.
    private async Task ByOthers(string sql)
    {
        await using var other = new PgConnection(ConnectionString + ";Application Name=another program");
        await Mode.Open(other);
        await new PgCommand(sql, other).ExecuteNonQueryAsync();
    }
}
