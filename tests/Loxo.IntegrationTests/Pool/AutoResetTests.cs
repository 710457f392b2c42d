using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Session Reset=Auto: nothing is sent where nothing can have been left, and everything where that is not proven.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class AutoResetTests(WaitMode mode) : ResetTest(mode)
{
    private const string LeakingFunction =
        "CREATE FUNCTION leak() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('work_mem', '77kB', false); RETURN 1; END $$";

    private static readonly Hidden[] AllHidden =
    [
        new("function", "SELECT leak()", LeakingFunction),
        new("view", "SELECT * FROM v", LeakingFunction, "CREATE VIEW v AS SELECT leak()"),
        new("view without a function of its own", "SELECT * FROM v", "CREATE VIEW v AS SELECT set_config('work_mem', '77kB', false)"),
        new("default", "INSERT INTO t DEFAULT VALUES", LeakingFunction, "CREATE TABLE t (i int DEFAULT leak())"),
        new("trigger", "INSERT INTO t VALUES (1)", "CREATE TABLE t (i int)",
            "CREATE FUNCTION leaks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN SET work_mem = '77kB'; RETURN NEW; END $$",
            "CREATE TRIGGER leaks BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION leaks()"),
        new("rule", "INSERT INTO t VALUES (1)", LeakingFunction, "CREATE TABLE t (i int)", "CREATE RULE leaks AS ON INSERT TO t DO ALSO SELECT leak()"),
        new("operator", "SELECT 1 ### 2",
            "CREATE FUNCTION leak(int, int) RETURNS int LANGUAGE sql AS $$ SELECT set_config('work_mem', '77kB', false); SELECT 1 $$",
            "CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = leak)"),
        new("cast", "SELECT CAST(p AS int) FROM pairs p", "CREATE TABLE pairs (a int)", "INSERT INTO pairs VALUES (1)",
            "CREATE FUNCTION leak(pairs) RETURNS int LANGUAGE sql AS $$ SELECT set_config('work_mem', '77kB', false); SELECT 1 $$",
            "CREATE CAST (pairs AS int) WITH FUNCTION leak(pairs)"),
        new("domain check", "SELECT CAST(1 AS d)", LeakingFunction, "CREATE DOMAIN d AS int CHECK (leak() = VALUE)"),
        new("overload of a built-in", "SELECT lower(1)",
            "CREATE FUNCTION lower(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('work_mem', '77kB', false); RETURN 1; END $$"),
        new("row.function", "SELECT t.f FROM t", "CREATE TABLE t (i int)", "INSERT INTO t VALUES (1)",
            "CREATE FUNCTION f(t) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('work_mem', '77kB', false); RETURN 1; END $$"),
        new("policy", "SELECT * FROM t", LeakingFunction, "CREATE TABLE t (i int)", "INSERT INTO t VALUES (1)", "GRANT ALL ON t TO PUBLIC",
            "ALTER TABLE t ENABLE ROW LEVEL SECURITY", "CREATE POLICY leaks ON t USING (leak() = i)") { NeedsRole = true },
    ];

    private static readonly string[] PlainStatements =
    [
        "SELECT 1", "VALUES (1)", "TABLE entries", "SELECT now(), random(), lower('A'), count(*) FROM entries",
        "WITH added AS (INSERT INTO entries VALUES (1) RETURNING id) SELECT * FROM added",
        "INSERT INTO entries VALUES (1)", "UPDATE entries SET id = id + 1", "DELETE FROM entries WHERE id = 1",
        "MERGE INTO entries USING (SELECT 1 AS id) s ON entries.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id)",
        "NOTIFY somebody", "SELECT pg_advisory_xact_lock(1)", "SELECT set_config('work_mem', '77kB', true)",
        "BEGIN; SET LOCAL work_mem = '77kB'; SAVEPOINT s; SELECT 1; ROLLBACK TO s; COMMIT", "SELECT 1; SELECT 2; SELECT 3",
    ];

    [Test]
    public async Task Plain_statements_are_followed_by_no_reset()
    {
        var source = await Clean();

        foreach (var sql in PlainStatements)
            Assert.That(await IsResetAfter(source, sql), Is.False, sql);
    }

    [Test]
    public async Task Plain_statements_that_fail_are_followed_by_no_reset()
    {
        var source = await Clean();
        var connection = await Rent(source);
        await Error<PostgresException>(() => Execute(connection, "SELECT 1 / 0"));

        Assert.That(await IsResetByClose(connection), Is.False);
    }

    [Test]
    public async Task Ended_transactions_batches_and_prepared_commands_are_followed_by_no_reset()
    {
        var source = await Clean();
        var connection = await Rent(source);
        await using (var transaction = connection.BeginTransaction())
        {
            await Execute(connection, "INSERT INTO entries VALUES (1)");
            await Mode.Commit(transaction);
        }
        await using (var batch = new PgBatch(connection) { BatchCommands = { new PgBatchCommand("SELECT 1"), new PgBatchCommand("SELECT 2") } })
            await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());
        await using (var prepared = new PgCommand("SELECT 3", connection))
        {
            await Mode.Prepare(prepared);
            await Mode.ExecuteScalar(prepared);
        }

        Assert.That(await IsResetByClose(connection), Is.False);
    }

    [Test]
    public async Task Not_a_byte_is_sent_between_two_users_of_a_session()
    {
        var database = Keep(await TestDatabase.Create());
        var proxy = Proxy();
        var source = Source(OneSession, proxy.ConnectionString(database.ConnectionString));
        await LookedThrough(source);
        var link = await proxy.Link(0);
        await IsResetAfter(source, "SELECT 1");
        var before = link.ToServer.Passed;
        await IsResetAfter(source, "SELECT 1");
        var withReturn = link.ToServer.Passed - before;

        var connection = await Rent(source);
        before = link.ToServer.Passed;
        await Execute(connection, "SELECT 1");
        var without = link.ToServer.Passed - before;
        await Mode.Close(connection);

        Assert.That(withReturn, Is.EqualTo(without));
        Assert.That(without, Is.GreaterThan(0));
    }

    [Test]
    public async Task A_reset_is_one_message()
    {
        var proxy = Proxy();
        var source = Source(OneSession + ";Session Reset=Always", proxy.ConnectionString(TestServer.Default.ConnectionString));
        await IsResetAfter(source, "SELECT 1"); // with the question about the database, which is asked once in a while
        var connection = await Rent(source);
        await Execute(connection, "SELECT 1");
        var link = await proxy.Link(0);
        var (first, second) = (link.ToServer.Saw('Q'), link.ToServer.Saw('Q', 2));

        await Mode.Close(connection);

        await Finish(first);
        await Mode.Run(connection.Open, () => connection.OpenAsync());
        await Execute(connection, "SELECT 1");
        Assert.That(second.IsCompleted, Is.False);
        await Mode.Close(connection);
    }

    [Test]
    public async Task What_a_plain_statement_reaches_unseen_is_not_left_by([ValueSource(nameof(AllHidden))] Hidden hidden)
    {
        var database = Keep(await TestDatabase.Create(hidden.Statements));
        var user = hidden.NeedsRole ? await CreateRole() : null;
        var source = Source(OneSession + (user is null ? "" : $";Username={user}"), database.ConnectionString);
        await FoundOffending(source);
        var first = await Rent(source);
        var fresh = await State(first);
        await Scalar(first, hidden.Leak);
        Assert.That(await State(first), Is.Not.EqualTo(fresh), "nothing was leaked: the test tests nothing");

        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        Assert.That(Statistics(source).Opened, Is.EqualTo(1));
        await Mode.Close(next);
    }

    // A pool that was disposed before it had read the answer used to keep all others from asking for half a minute.
    [Test]
    public async Task A_pool_that_ends_before_the_answer_leaves_the_question_to_another()
    {
        var database = Keep(await TestDatabase.Create());
        var first = Source(OneSession, database.ConnectionString);
        Assert.That(await IsResetAfter(first, "SELECT 1"), Is.True, "the question is on its way");
        await Mode.Run(first.Dispose, () => first.DisposeAsync().AsTask());

        await LookedThrough(Source(OneSession, database.ConnectionString));
    }

    [Test]
    public async Task Before_the_database_has_been_looked_through_everything_is_reset()
    {
        var database = Keep(await TestDatabase.Create(LeakingFunction, "CREATE VIEW v AS SELECT leak()"));
        var source = Source(OneSession, database.ConnectionString);
        var first = await Rent(source);
        var fresh = await State(first);
        await Scalar(first, "SELECT * FROM v");

        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        await Mode.Close(next);
    }

    [Test]
    public async Task What_was_found_is_logged_once_by_name()
    {
        var database = Keep(await TestDatabase.Create("CREATE SCHEMA app", LeakingFunction.Replace("leak()", "app.leak()", StringComparison.Ordinal)));
        var source = Source(OneSession, database.ConnectionString);
        await FoundOffending(source);

        for (var i = 0; i < 5; i++)
            Assert.That(await IsResetAfter(source, "SELECT 1"), Is.True);

        var entry = (await Logged(2005)).Single();
        Assert.That(entry.Level, Is.EqualTo(LogLevel.Warning));
        Assert.That(entry.Text, Does.Contain("Always").And.Contains(database.Name).And.Contains("app.leak()").And.Contains("set_config"));
        Assert.That(Log.Of(2006), Is.Empty);
    }

    [Test]
    public async Task Auto_recovers_when_what_was_found_is_dropped()
    {
        var database = Keep(await TestDatabase.Create(LeakingFunction));
        var source = Source(OneSession, database.ConnectionString);
        await FoundOffending(source);

        await IsResetAfter(source, "DROP FUNCTION leak()");

        await LookedThrough(source);
        Assert.That(await IsResetAfter(source, "SELECT 1"), Is.False);
    }

    [Test]
    public async Task A_function_that_is_created_counts_at_once([Values] bool inTransaction)
    {
        var source = await Clean();
        var creator = await Rent(source);
        string[] statements = inTransaction ? ["BEGIN", LeakingFunction, "CREATE VIEW v AS SELECT leak()", "COMMIT"] : [LeakingFunction, "CREATE VIEW v AS SELECT leak()"];
        foreach (var sql in statements)
            await Execute(creator, sql);
        await Mode.Close(creator);

        var first = await Rent(source);
        var fresh = await State(first);
        await Scalar(first, "SELECT * FROM v");
        Assert.That(await IsResetByClose(first), Is.True);

        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        await Mode.Close(next);
        await Logged(2005);
    }

    [Test]
    public async Task What_the_driver_knows_of_a_setting_is_reset_with_it()
    {
        var source = await Clean();
        var connection = await Rent(source);
        await Execute(connection, "SET application_name = 'other'");
        Assert.That(connection.PostgresParameters["application_name"], Is.EqualTo("other"));

        Assert.That(await IsResetByClose(connection), Is.True);

        var next = await Rent(source);
        Assert.That(next.PostgresParameters["application_name"], Is.EqualTo("reset"), "before the first command");
        Assert.That(await Scalar(next, "SHOW application_name"), Is.EqualTo("reset"));
        await Mode.Close(next);
    }

    private async Task<PgDataSource> Clean()
    {
        var database = Keep(await TestDatabase.Create("CREATE TABLE entries (id int)"));
        var source = Source(OneSession, database.ConnectionString);
        await LookedThrough(source);
        return source;
    }

    private async Task<string> CreateRole()
    {
        var name = $"pool_policy_{Environment.ProcessId}_{(int)Mode}";
        await Aside(TestServer.Default.ConnectionString, $"CREATE ROLE {name} LOGIN");
        Keep(new Cleanup(() => Aside(TestServer.Default.ConnectionString, $"DROP ROLE {name}")));
        return name;
    }

    /// <summary>Something in a database that changes the session, and the innocent statement that reaches it.</summary>
    public sealed record Hidden(string What, string Leak, params string[] Statements)
    {
        internal bool NeedsRole { get; init; }

        public override string ToString() => What;
    }

    private sealed class Cleanup(Func<Task> action) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await action();
    }
}
