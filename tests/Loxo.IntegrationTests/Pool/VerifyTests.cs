using System.Collections.Concurrent;
using System.Data;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Session Reset=Verify: a session that Auto would have handed on although it was changed is reported, and reset.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class VerifyTests(WaitMode mode) : ResetTest(mode)
{
    // The audit believes the functions of known extensions: one that is made a part of PL/pgSQL is hidden from it.
    private static readonly string[] Hidden =
    [
        "CREATE TABLE entries (id int)",
        """
        CREATE FUNCTION leak(kind text) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN
            CASE kind
                WHEN 'setting' THEN PERFORM set_config('work_mem', '77kB', false);
                WHEN 'custom' THEN PERFORM set_config('app.tenant', '7', false);
                WHEN 'lock' THEN PERFORM pg_advisory_lock(4711);
                WHEN 'table' THEN CREATE TEMP TABLE left_behind (id int);
                WHEN 'channel' THEN LISTEN left_behind;
                WHEN 'statement' THEN PREPARE left_behind AS SELECT 1;
                WHEN 'statements' THEN DEALLOCATE ALL;
                WHEN 'cursor' THEN EXECUTE 'DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1';
                ELSE NULL;
            END CASE;
            RETURN 1;
        END $$
        """,
        "ALTER EXTENSION plpgsql ADD FUNCTION leak(text)",
        "CREATE VIEW kinds AS SELECT 1 AS one",
        .. Kinds.Select(kind => $"CREATE VIEW leak_{kind} AS SELECT leak('{kind}') FROM kinds"),
    ];

    private static string[] Kinds => ["setting", "custom", "lock", "table", "channel", "statement", "statements", "cursor", "nothing"];

    private readonly ConcurrentQueue<PgSessionLeakEventArgs> _leaks = [];
    private string _database = "";

    [TearDown]
    public void Unlisten() => PgDataSource.SessionLeaked -= Leaked;

    [TestCase("setting", "setting: work_mem = 77 by session")]
    [TestCase("lock", "lock: ExclusiveLock advisory 0 4711 1")]
    [TestCase("table", "temporary object: table left_behind")]
    [TestCase("channel", "listening channel: left_behind")]
    [TestCase("cursor", "cursor: left_behind: DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1")]
    public async Task A_session_that_hidden_code_has_changed_is_reported_with_its_statements(string kind, params string[] differences)
    {
        var source = await Verified();
        var connection = await Rent(source);
        await Execute(connection, "INSERT INTO entries VALUES (1)");
        await Scalar(connection, $"SELECT * FROM leak_{kind}");

        await Mode.Close(connection);

        await AssertFresh(source);
        var leak = _leaks.Single();
        Assert.That(leak.Differences, Is.EqualTo(differences));
        Assert.That(leak.Statements, Is.EqualTo(new[] { "INSERT INTO entries VALUES (1)", $"SELECT * FROM leak_{kind}" }));
        var entry = (await Logged(2007)).Single();
        Assert.That(entry.Level, Is.EqualTo(LogLevel.Warning));
        Assert.That(entry.Text, Does.Contain(differences[0]).And.Contains($"SELECT * FROM leak_{kind}").And.Contains(_database));
    }

    [Test]
    public async Task A_custom_setting_that_a_statement_names_is_reported()
    {
        var source = await Verified();
        await Use(source, "SELECT current_setting('app.tenant', true) FROM leak_custom");

        await Use(source, "SELECT 1");

        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "custom setting: app.tenant = 7" }));
    }

    [Test]
    public async Task A_statement_that_code_has_prepared_is_reported_once_and_stays()
    {
        var source = await Verified();
        await Use(source, "SELECT * FROM leak_statement");
        await Use(source, "SELECT 1");
        await Use(source, "SELECT 1");

        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "prepared statement: left_behind: PREPARE left_behind AS SELECT 1" }));
    }

    [Test]
    public async Task Prepared_statements_of_the_driver_that_code_has_forgotten_are_reported()
    {
        var source = await Verified("Max Auto Prepare=10;Auto Prepare Min Usages=1");
        var connection = await Rent(source);
        await Execute(connection, "SELECT 2");
        await Scalar(connection, "SELECT * FROM leak_statements");
        await Mode.Close(connection);

        await Use(source, "SELECT 1");

        Assert.That(_leaks.Single().Differences, Is.Not.Empty.And.All.StartsWith("no more driver's prepared statement: loxo_"));
    }

    [Test]
    public async Task A_session_is_compared_after_the_rollback_of_a_failed_transaction()
    {
        var source = await Verified();
        var connection = await Rent(source);
        await Execute(connection, "BEGIN");
        await Scalar(connection, "SELECT * FROM leak_setting");
        await Scalar(connection, "SELECT * FROM leak_lock");
        await Error<PostgresException>(() => Execute(connection, "SELECT 1 / 0"));
        await Mode.Close(connection);

        await Use(source, "SELECT 1");

        // The setting went with the transaction; a lock of the session does not.
        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "lock: ExclusiveLock advisory 0 4711 1" }));
    }

    [Test]
    public async Task Clean_sessions_are_not_reported()
    {
        var source = await Verified("Max Auto Prepare=10");
        for (var i = 0; i < 3; i++)
        {
            var connection = await Rent(source);
            await using (var transaction = connection.BeginTransaction())
            {
                await Execute(connection, "INSERT INTO entries VALUES (1)");
                await Scalar(connection, "SELECT set_config('app.tenant', '7', true), pg_advisory_xact_lock(1), nextval('numbers')");
                await Mode.Commit(transaction);
            }
            await Scalar(connection, "SELECT * FROM leak_nothing");
            await Error<PostgresException>(() => Execute(connection, "SELECT 1 / 0"));
            await Execute(connection, "BEGIN; SET LOCAL work_mem = '77kB'; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1");
            await Mode.Close(connection);
        }

        await Use(source, "SELECT 1");

        Assert.That(_leaks, Is.Empty);
        Assert.That(Log.Of(2007).Concat(Log.Of(2008)), Is.Empty);
    }

    [Test]
    public async Task Predicate_locks_that_outlive_their_transaction_are_not_reported()
    {
        var source = await Verified("Maximum Pool Size=2");
        var (overlapping, connection) = (await Rent(source), await Rent(source));
        await using (var other = overlapping.BeginTransaction(IsolationLevel.Serializable))
        {
            await Scalar(overlapping, "SELECT count(*) FROM entries");
            await using (var transaction = connection.BeginTransaction(IsolationLevel.Serializable))
            {
                await Scalar(connection, "SELECT count(*) FROM entries");
                await Mode.Commit(transaction);
            }
            // The server keeps them, under the process that took them, until the overlapping transaction has ended.
            var process = connection.ProcessID;
            await Mode.Close(connection);
            Assert.That(await Scalar(overlapping, $"SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND pid = {process}"), Is.GreaterThan(0));

            await Use(source, "SELECT 1");
        }
        await Mode.Close(overlapping);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task Statements_after_which_Auto_resets_are_not_reported()
    {
        var source = await Verified();
        await Use(source, "SET work_mem = '77kB'");
        await Use(source, "SELECT pg_advisory_lock(1)");
        await Use(source, "CREATE TEMP TABLE t (id int)");

        await AssertFresh(source);

        Assert.That(_leaks, Is.Empty);
    }

    [Test]
    public async Task A_database_that_is_known_to_hide_something_is_not_reported()
    {
        var source = await Verified();
        await Use(source, "CREATE FUNCTION found() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('work_mem', '77kB', false); RETURN 1; END $$");
        await Use(source, "SELECT * FROM leak_lock");

        await AssertFresh(source);

        Assert.That(_leaks, Is.Empty);
        await Logged(2005);
    }

    [Test]
    public async Task Roles_without_rights_can_verify()
    {
        var source = await Verified();
        var role = $"verify_{Environment.ProcessId}_{(int)Mode}";
        await Aside(TestServer.Default.ConnectionString, $"CREATE ROLE {role} LOGIN");
        Keep(new Cleanup(() => Aside(TestServer.Default.ConnectionString, $"DROP ROLE {role}")));
        await Aside(Settings(source).ConnectionString, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC", "CREATE EXTENSION dblink");
        var humble = await LookedThroughOnce(Source($"{OneSession};Session Reset=Verify;Username={role}", Settings(source).ConnectionString));

        await Use(humble, "SELECT * FROM leak_lock");
        await Use(humble, "SELECT 1");

        Assert.That(_leaks.Single().Differences, Is.EqualTo(new[] { "lock: ExclusiveLock advisory 0 4711 1" }));
        Assert.That(Log.Of(2008), Is.Empty);
    }

    private static PgConnectionStringBuilder Settings(PgDataSource source) => new(source.ConnectionString) { SessionReset = SessionReset.Auto };

    private async Task<PgDataSource> Verified(string settings = "")
    {
        var database = Keep(await TestDatabase.Create([.. Hidden, "CREATE SEQUENCE numbers"]));
        _database = database.Name;
        LeakGuard.Expect(_database, "its functions change the session unseen, and the test looks for the report");
        PgDataSource.SessionLeaked += Leaked;
        return await LookedThroughOnce(Source($"{OneSession};Session Reset=Verify;{settings}", database.ConnectionString));
    }

    // Until the database has been looked through Auto would reset every session. The first return asks, and the second use reads the answer.
    private async Task<PgDataSource> LookedThroughOnce(PgDataSource source)
    {
        await Use(source, "SELECT 1");
        await Use(source, "SELECT 1");
        return source;
    }

    private async Task Use(PgDataSource source, string sql)
    {
        var connection = await Rent(source);
        await Scalar(connection, sql);
        await Mode.Close(connection);
    }

    private async Task AssertFresh(PgDataSource source)
    {
        var connection = await Rent(source);
        Assert.That(await State(connection), Does.StartWith("locks 0 | listens 0 | prepared 0 | cursors 0 | temporary 0 | users false false"));
        await Mode.Close(connection);
    }

    private void Leaked(object? sender, PgSessionLeakEventArgs leak)
    {
        if (leak.Database == _database)
            _leaks.Enqueue(leak);
    }

    private sealed class Cleanup(Func<Task> action) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await action();
    }
}
