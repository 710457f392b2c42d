namespace Loxo.IntegrationTests.Pool;

/// <summary>What functions of a database do to a session, and what is known of them, when the classifier alone could not tell.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class UnseenChangeTests(WaitMode mode) : ResetTest(mode)
{
    private const string LeakingView = "CREATE VIEW v AS SELECT set_config('work_mem', '77kB', false)";

    private const string Preparing = "Maximum Pool Size=1;Auto Prepare Min Usages=1;Application Name=reset";

    [Test]
    public async Task A_function_of_an_extension_that_is_called_like_a_column_is_reset()
    {
        var database = Keep(await TestDatabase.Create("CREATE EXTENSION pg_trgm", "CREATE TABLE t (name text, limits real)", "INSERT INTO t VALUES ('a', 0.7)"));
        var source = Source(OneSession, database.ConnectionString);
        await LookedThrough(source);
        Assert.That(await IsResetAfter(source, "SELECT t.name, t.limits FROM t"), Is.False);
        var connection = await Rent(source);
        var fresh = await State(connection);
        await Execute(connection, "SELECT (t.limits).set_limit FROM t");
        Assert.That(await State(connection), Is.Not.EqualTo(fresh), "it is a call");

        Assert.That(await IsResetByClose(connection), Is.True);

        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        await Mode.Close(next);
    }

    [Test]
    public async Task Names_that_were_found_while_a_session_was_rented_count_for_it()
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source("Maximum Pool Size=2;Max Auto Prepare=0;Application Name=reset", database.ConnectionString);
        await LookedThrough(source);
        var early = await Rent(source);
        await IsResetAfter(source, "CREATE EXTENSION pg_trgm");
        await LookedThrough(source);
        var fresh = await State(early);

        await Execute(early, "SELECT (0.7::real).set_limit");

        Assert.That(await IsResetByClose(early), Is.True);
        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_function_that_forgets_prepared_statements_does_not_mislead_the_next_user(
        [Values("DEALLOCATE ALL", "EXECUTE (SELECT 'DEALLOCATE ' || quote_ident(name) FROM pg_prepared_statements LIMIT 1)",
            "EXECUTE (SELECT 'DEALLOCATE ' || quote_ident(name) FROM pg_prepared_statements LIMIT 1); PREPARE other AS SELECT 1")] string statement,
        [Values(SessionReset.Auto, SessionReset.Always)] SessionReset reset)
    {
        var database = Keep(await TestDatabase.Create($"CREATE FUNCTION forget() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {statement}; RETURN 1; END $$"));
        var source = Source($"{Preparing};Session Reset={reset}", database.ConnectionString);
        for (var round = 0; round < 3; round++)
        {
            var first = await Rent(source);
            await Execute(first, "SELECT 77");
            await Execute(first, "SELECT 78");
            await Execute(first, "SELECT forget()");
            await Mode.Close(first);

            var next = await Rent(source);
            await using (var transaction = next.BeginTransaction())
            {
                Assert.That(await Scalar(next, "SELECT 77"), Is.EqualTo(77));
                Assert.That(await Scalar(next, "SELECT 78"), Is.EqualTo(78), "in the middle of a transaction");
                await Mode.Commit(transaction);
            }
            await Mode.Close(next);
        }
    }

    [Test]
    public async Task Statements_of_SQL_that_a_function_prepared_are_gone_for_the_next_user([Values] bool withOthers)
    {
        var database = Keep(await TestDatabase.Create("CREATE FUNCTION prepares() RETURNS int LANGUAGE plpgsql AS 'BEGIN PREPARE mine AS SELECT 1; RETURN 1; END'"));
        var source = Source(withOthers ? Preparing : OneSession, database.ConnectionString);
        var first = await Rent(source);
        await Execute(first, "SELECT prepares()");
        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT count(*) FROM pg_prepared_statements WHERE from_sql"), Is.EqualTo(0));
        await Mode.Close(next);
    }

    [Test]
    public async Task Statements_stay_prepared_where_no_function_has_forgotten_them(
        [Values("BEGIN RETURN 1; END", "BEGIN PERFORM set_config('work_mem', '77kB', false); RETURN 1; END", "BEGIN EXECUTE 'SELECT 1'; RETURN 1; END")] string body,
        [Values] bool isKnown, [Values(SessionReset.Auto, SessionReset.Always)] SessionReset reset)
    {
        var database = Keep(await TestDatabase.Create($"CREATE FUNCTION mine() RETURNS int LANGUAGE plpgsql AS $$ {body} $$"));
        var source = Source($"{Preparing};Session Reset={reset}", database.ConnectionString);
        if (isKnown)
            await Known(source);
        var first = await Rent(source);
        await Execute(first, "SELECT 77");
        await Execute(first, "SELECT mine()");
        var prepared = await PreparedAt(first);

        Assert.That(await IsResetByClose(first), Is.True);

        var next = await Rent(source);
        Assert.That(await PreparedAt(next), Is.EqualTo(prepared));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_change_whose_commit_was_not_confirmed_counts()
    {
        var database = Keep(await TestDatabase.Create());
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=2;Max Auto Prepare=0;Application Name=reset", proxy.ConnectionString(database.ConnectionString));
        await LookedThrough(source);
        var changing = await Rent(source);
        var link = await proxy.Link(0);
        await Execute(changing, "BEGIN");
        await Execute(changing, LeakingView);
        await Known(source);
        link.ToClient.GateAfterBytes(0);
        var committing = Start(() => Execute(changing, "COMMIT"));
        await Visible(database);

        link.Cut();

        await Error<PgException>(() => committing);
        await Mode.Close(changing);
        await AssertLeavesNothing(source);
    }

    [Test]
    public async Task A_change_that_the_server_may_yet_commit_counts()
    {
        var database = Keep(await TestDatabase.Create());
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=2;Max Auto Prepare=0;Application Name=reset", proxy.ConnectionString(database.ConnectionString));
        await LookedThrough(source);
        await using var holder = new PgConnection(database.ConnectionString + ";Pooling=false");
        await holder.OpenAsync();
        await Execute(holder, "SELECT pg_advisory_lock(77)");
        var changing = await Rent(source);
        var process = changing.ProcessID;
        var link = await proxy.Link(0);
        var committing = Start(() => Execute(changing, LeakingView + "; SELECT pg_advisory_xact_lock(77)"));
        await Until(holder, $"SELECT count(*) FROM pg_locks WHERE pid = {process} AND NOT granted");

        link.Cut();
        await Error<PgException>(() => committing);
        await Mode.Close(changing);

        for (var round = 0; round < 5; round++)
            Assert.That(await IsResetAfter(source, "SELECT 1"), Is.True, "the server process has not ended");
        await Execute(holder, "SELECT pg_advisory_unlock(77)");
        await Until(holder, $"SELECT 1 - count(*) FROM pg_stat_activity WHERE pid = {process}");
        await AssertLeavesNothing(source, isCommitted: await Scalar(holder, "SELECT to_regclass('v')::text") is string);
    }

    [Test]
    public async Task A_change_behind_the_answer_to_a_reset_counts_when_it_is_committed()
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source(OneSession, database.ConnectionString);
        await LookedThrough(source);
        Assert.That(await IsResetAfter(source, "SET work_mem = '78kB'"), Is.True);
        var connection = await Rent(source);
        var told = 0;
        connection.Session!.Context.Database.RoutinesMayChange = _ => told++;

        await Execute(connection, LeakingView);

        Assert.That(told, Is.EqualTo(2), "when it was sent, and when others can see it");
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_question_that_is_answered_before_the_commit_does_not_count()
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source("Maximum Pool Size=2;Max Auto Prepare=0;Application Name=reset", database.ConnectionString);
        await LookedThrough(source);
        await using var other = new PgConnection(database.ConnectionString);
        await Mode.Open(other);
        await Execute(other, "SELECT pg_advisory_lock(1)");
        var first = await Rent(source);
        await using var command = new PgCommand($"{LeakingView}; SELECT 1 FROM pg_advisory_xact_lock(1)", first);
        var executing = Mode == WaitMode.Async ? command.ExecuteReaderAsync() : Task.Run(command.ExecuteReader);
        await Until(other, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
        await Known(source);
        await Execute(other, "SELECT pg_advisory_unlock(1)");
        await using var reader = await executing;
        await Until(other, "SELECT count(*) FROM pg_class WHERE relname = 'v'");

        await AssertLeavesNothing(source);

        await Mode.Close(reader);
        await Mode.Close(first);
    }

    private async Task AssertLeavesNothing(PgDataSource source, bool isCommitted = true)
    {
        if (!isCommitted)
            return;
        var first = await Rent(source);
        await Scalar(first, "SELECT * FROM v");
        Assert.That(await Scalar(first, "SHOW work_mem"), Is.EqualTo("77kB"));

        Assert.That(await IsResetByClose(first), Is.True);

        var next = await Rent(source);
        Assert.That(await Scalar(next, "SHOW work_mem"), Is.Not.EqualTo("77kB"));
        await Mode.Close(next);
    }

    private static async Task Visible(TestDatabase database)
    {
        await using var direct = new PgConnection(database.ConnectionString + ";Pooling=false");
        await direct.OpenAsync();
        await Until(direct, "SELECT count(*) FROM pg_class WHERE relname = 'v'");
    }

    /// <summary>Waits until the query returns something else than 0.</summary>
    private static async Task Until(PgConnection connection, string query)
    {
        await using var command = new PgCommand(query, connection);
        while (await command.ExecuteScalarAsync() is 0L)
            await Task.Yield();
    }

    /// <summary>Rents and gives back until the database has answered.</summary>
    private async Task Known(PgDataSource source)
    {
        for (var round = 0; round < 10; round++)
            await IsResetAfter(source, "SELECT 1");
    }

    private async Task<object?> PreparedAt(PgConnection connection) =>
        await Scalar(connection, "SELECT min(prepare_time) FROM pg_prepared_statements WHERE statement = 'SELECT 77'");
}
