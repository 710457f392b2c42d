namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Functions that put a nearer table in front of the one that prepared statements read. The server goes on reading the former one: it
/// plans a statement anew when the search path changes, not when a table appears in it.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ChangedNamesTests(WaitMode mode) : ChangedNamesTest(mode)
{
    [TestCase("", "SELECT shadows()")]
    [TestCase("", "SELECT Shadows ( )")]
    [TestCase("", "SELECT public.shadows()")]
    [TestCase("", "SELECT \"public\".\"shadows\"()")]
    [TestCase("", "SELECT U&\"sh!0061dows\" UESCAPE '!' ()")]
    [TestCase("", "SELECT * FROM shadows() AS s (x)")]
    [TestCase("", "EXPLAIN ANALYZE SELECT shadows()")]
    [TestCase("", "SELECT query_to_xml('SELECT shadows()', true, true, '')")]
    [TestCase("", "DO 'BEGIN PERFORM shadows(); END'")]
    [TestCase("CREATE FUNCTION \"Shad Ows\"() RETURNS int LANGUAGE sql AS 'SELECT shadows()'", "SELECT \"Shad Ows\"()")]
    [TestCase("CREATE FUNCTION \"Shad Ows\"() RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE FUNCTION calls() RETURNS int LANGUAGE sql AS 'SELECT \"Shad Ows\"()'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS int LANGUAGE sql AS 'SELECT shadows()'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN PUBLIC.SHADOWS(); END'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT shadows(); END", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls(a int DEFAULT shadows()) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN a; END'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION c1() RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE FUNCTION c2() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT c1(); END;"
        + "CREATE FUNCTION c3() RETURNS int LANGUAGE sql AS 'SELECT c2()'; CREATE FUNCTION c4() RETURNS int LANGUAGE sql AS 'SELECT c3()';"
        + "CREATE FUNCTION calls() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN c4(); END'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls(int, int) RETURNS int LANGUAGE sql AS 'SELECT shadows()'; CREATE AGGREGATE total(int) (SFUNC = calls, STYPE = int)",
        "SELECT total(x) FROM generate_series(1, 1) x")]
    [TestCase("CREATE PROCEDURE calls() LANGUAGE sql AS 'SELECT shadows()'", "CALL calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE ''SELECT sha''||''dows()''; RETURN 1; END'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS int LANGUAGE sql AS 'SELECT U&\"sh\\0061dows\"()'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS void LANGUAGE sql AS 'SELECT 2 AS a INTO TEMP t'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS void LANGUAGE sql AS 'CREATE TEMP VIEW t AS SELECT 2 AS a'", "SELECT calls()")]
    [TestCase("CREATE FUNCTION calls() RETURNS void LANGUAGE plpgsql AS 'BEGIN ALTER TABLE nearer RENAME TO t; END'", "SELECT calls()")]
    public async Task A_function_that_shadows_a_table_makes_statements_be_parsed_again(string made, string call)
    {
        var source = await Audited(Shadows, made);

        await AssertReadsNearerTable(source, call);
    }

    [TestCase("SELECT (1).shadows_it")]
    [TestCase("SELECT x.shadows_it FROM t x")]
    [TestCase("SELECT x.\"shadows_it\" FROM t x")]
    public async Task A_function_that_is_called_like_a_column_counts(string call)
    {
        var source = await Audited(Shadows, "CREATE FUNCTION shadows_it(t) RETURNS int LANGUAGE sql AS 'SELECT shadows()'",
            "CREATE FUNCTION shadows_it(int) RETURNS int LANGUAGE sql AS 'SELECT shadows()'");

        await AssertReadsNearerTable(source, call);
    }

    [TestCase("SELECT shadows()")]
    [TestCase("SELECT public.shadows()")]
    [TestCase("SELECT \"shadows\"()")]
    public async Task As_long_as_the_database_has_not_answered_any_function_may_do_it(string call)
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows]));

        await AssertReadsNearerTable(Source(Preparing, database.ConnectionString), call);
    }

    [TestCase("Session Reset=Never", "SELECT shadows()")]
    [TestCase("Session Reset=Never", "SELECT \"public\".\"shadows\"()")]
    [TestCase("Pooling=false", "SELECT shadows()")]
    [TestCase("Pooling=false", "SELECT \"public\".\"shadows\"()")]
    public async Task Where_nothing_is_reset_a_function_counts_too(string settings, string call)
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows]));
        var connection = await Rent(Source($"{Preparing};{settings}", database.ConnectionString));

        await AssertReadsNearerTable(connection, call);

        await Mode.Close(connection);
    }

    [Test]
    public async Task Where_nothing_is_reset_or_prepared_the_database_is_not_asked()
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows]));
        var source = Source("Maximum Pool Size=1;Max Auto Prepare=0;Application Name=reset;Session Reset=Never", database.ConnectionString);

        Assert.That(await IsResetAfter(source, Reading), Is.False);
        Assert.That(await IsResetAfter(source, "SELECT shadows()"), Is.False);
    }

    [Test]
    public async Task Where_nothing_is_reset_the_database_is_asked_when_a_statement_was_prepared()
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows, "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"]));
        var source = Source($"{Preparing};Session Reset=Never", database.ConnectionString);
        Assert.That(await IsResetAfter(source, "SELECT 1"), Is.True, "the question is on its way");
        Assert.That(await IsResetAfter(source, "SELECT mine()"), Is.False);
        var connection = await Rent(source);
        await Execute(connection, Reading);
        var prepared = await PreparedAt(connection);

        await Execute(connection, "SELECT mine()");
        await Execute(connection, Reading);

        Assert.That(await PreparedAt(connection), Is.EqualTo(prepared));
        await AssertReadsNearerTable(connection, "SELECT shadows()");
        await Mode.Close(connection);
    }

    [Test]
    public async Task Pools_of_the_program_know_what_a_connection_without_a_pool_has_made()
    {
        var source = await Audited();
        var connection = await Rent(source);
        await Execute(connection, "CREATE TEMP TABLE other (a int)");
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));
        var unpooled = await Rent(Source("Pooling=false", connection.ConnectionString));
        await Execute(unpooled, Shadows);
        await Mode.Close(unpooled);

        await Execute(connection, "SELECT shadows()");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_command_in_a_lane_reads_no_table_of_another_session()
    {
        var database = Keep(await TestDatabase.Create([.. Tables, Shadows]));
        // Under Auto a database with such a function has no lanes.
        var source = Source("Maximum Pool Size=4;Auto Prepare Min Usages=1;Multiplexing=true;Session Reset=Never", database.ConnectionString);
        while (source.Lanes!.Count == 0)
        {
            await using var command = source.CreateCommand("SELECT 1");
            await Mode.ExecuteScalar(command);
            await Task.Yield();
        }
        var (one, other) = (await Rent(source), await Rent(source));
        foreach (var connection in new[] { one, other, one, other })
            Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(one, "CREATE TEMP TABLE nearer AS SELECT 2 AS a");
        Assert.That(await Scalar(one, Reading), Is.EqualTo(1));
        await Execute(one, "SELECT shadows()");

        Assert.That(await Scalar(one, Reading), Is.EqualTo(2));
        Assert.That(await Scalar(other, Reading), Is.EqualTo(1));
        await Mode.Close(one);
        await Mode.Close(other);
    }

    [Test]
    public async Task A_function_that_the_same_connection_has_made_counts([Values("public", "pg_temp")] string schema, [Values] bool inTransaction)
    {
        var source = await Audited();
        var connection = await Rent(source);
        await Execute(connection, "CREATE TEMP TABLE other (a int)");
        await using var transaction = inTransaction ? connection.BeginTransaction() : null;
        await Execute(connection, Shadows.Replace("shadows()", schema + ".shadows()", StringComparison.Ordinal));
        await LookedAtByAnother(connection.ConnectionString);
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, $"SELECT {schema}.shadows()");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        transaction?.Rollback();
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_function_that_another_connection_has_made_counts_in_an_open_one()
    {
        var source = await Audited();
        var connection = await Rent(source);
        await Execute(connection, "CREATE TEMP TABLE other (a int)");
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));
        await LookedAtByAnother(connection.ConnectionString, Shadows);

        await Execute(connection, "SELECT shadows()");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
        await Mode.Close(connection);
    }

    [TestCase("PERFORM set_config('search_path', 'near, public', false)")]
    [TestCase("PERFORM set_config('search_path', 'near, public', true)")]
    [TestCase("PERFORM set_config(lower('SEARCH_PATH'), 'near, public', true)")]
    [TestCase("SET search_path = near, public")]
    [TestCase("SET LOCAL search_path TO near, public; CREATE TEMP TABLE x (a int)")]
    public async Task A_function_that_sets_the_search_path_fails_no_transaction(string body)
    {
        var source = await Audited("CREATE SCHEMA near", "CREATE TABLE near.t (a text)", "INSERT INTO near.t VALUES ('near')",
            $"CREATE FUNCTION sets() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN 1; END $$", Shadows);
        var connection = await Rent(source);
        await using var transaction = connection.BeginTransaction();
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, "SELECT sets()");

        Assert.That(await Scalar(connection, Reading), Is.EqualTo("near"));
        await Mode.Rollback(transaction);
        await Mode.Close(connection);
    }

    [TestCase("SELECT 1", "sql")]
    [TestCase("SELECT sum(a)::int FROM t", "sql")]
    [TestCase("DECLARE r int; BEGIN SELECT a INTO r FROM t; RETURN r; END", "plpgsql")]
    [TestCase("BEGIN UPDATE t SET a = a; INSERT INTO t SELECT 1 WHERE false; DELETE FROM t WHERE a > 9; RETURN 1; END", "plpgsql")]
    [TestCase("BEGIN PERFORM set_config('app.tenant', 'x', true); PERFORM set_config('app.user', 'y', false); RETURN 1; END", "plpgsql")]
    [TestCase("BEGIN SET LOCAL work_mem = '1MB'; SET app.x TO 'search_path'; RETURN 1; END", "plpgsql")]
    [TestCase("BEGIN PERFORM pg_advisory_xact_lock(1), pg_advisory_lock(2), other(); RETURN 1; END", "plpgsql")]
    public async Task A_function_that_changes_no_names_causes_no_new_parse(string body, string language)
    {
        foreach (var others in new[] { "SELECT 1", Shadows })
        {
            var source = await Audited($"CREATE FUNCTION mine() RETURNS int LANGUAGE {language} SET search_path = public AS $$ {body} $$",
                "CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1'", others);
            var connection = await Rent(source);
            await Execute(connection, Reading);
            var prepared = await PreparedAt(connection);

            for (var round = 0; round < 3; round++)
            {
                await Execute(connection, "SELECT mine()");
                await Execute(connection, Reading);
                if (round == 1)
                {
                    await Mode.Close(connection);
                    connection = await Rent(source);
                }
            }

            Assert.That(await PreparedAt(connection), Is.EqualTo(prepared));
            await Mode.Close(connection);
        }
    }

    [Test]
    public async Task A_function_causes_no_lookup_of_the_types_that_all_sessions_know()
    {
        var source = await Audited("CREATE TYPE c AS (a int)", Shadows);
        var connection = await Rent(source);
        var types = connection.Session!.Context.Database.Types;
        await Execute(connection, "SELECT ROW(1)::c");

        await Execute(connection, "SELECT shadows()");

        Assert.That(connection.Session!.Context.Database.Types, Is.SameAs(types));
        await Mode.Close(connection);
    }

    [Test]
    public async Task Behind_a_function_a_type_is_found_by_its_name([Values] bool hasSettings, [Values] bool isKnown)
    {
        string[] objects = ["CREATE DOMAIN d AS int", Shadows];
        var source = isKnown ? await Audited(objects) : Source(Preparing, Keep(await TestDatabase.Create(objects)).ConnectionString);
        var connection = await Rent(source);
        if (hasSettings)
            await Execute(connection, "SET work_mem = '1MB'");
        await using var batch = connection.CreateBatch();
        batch.BatchCommands.Add(new PgBatchCommand("SELECT shadows()"));
        batch.BatchCommands.Add(new PgBatchCommand("SELECT $1") { Parameters = { new PgParameter { Value = 7, DataTypeName = "d" } } });

        await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());

        await Mode.Close(connection);
    }

    [TestCase("ROLLBACK"), TestCase("/* back */ ROLLBACK"), TestCase("ABORT"), TestCase("ROLLBACK TO s"), TestCase("COMMIT")]
    public async Task A_statement_behind_a_rollback_on_its_way_means_what_it_meant_before(string end)
    {
        var database = Keep(await TestDatabase.Create([.. Tables, "CREATE FUNCTION drops() RETURNS void LANGUAGE plpgsql AS 'BEGIN DROP TABLE pg_temp.t; END'"]));
        var source = Source(Preparing + ";Session Reset=Never", database.ConnectionString);
        var connection = await Rent(source);
        await Execute(connection, "CREATE TEMP TABLE t AS SELECT 2 AS a");
        await Execute(connection, "BEGIN");
        await Execute(connection, "SAVEPOINT s");
        await Execute(connection, "SELECT drops()");
        Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));
        if (end == "COMMIT")
            await Error<PostgresException>(() => Execute(connection, "SELECT 1 / 0"));

        // In groups of their own: a failed statement of the same group would undo the others.
        await using var batch = new PgBatch(connection) { EnableErrorBarriers = true, BatchCommands = { new PgBatchCommand(end), new PgBatchCommand(Reading) } };
        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
        await Mode.Close(connection);
    }
}
