namespace Loxo.IntegrationTests.Poolers;

/// <summary>What would stay behind in a server process that others use next is refused, and what goes with its transaction is not.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RefusedByPoolerTests(WaitMode mode) : PoolerTest(mode, PgBouncer.Aware, Pooler.Transaction)
{
    private static readonly object[] Lasting =
    [
        new[] { "SET work_mem = '8MB'", "SET LOCAL" },
        new[] { "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET LOCAL" },
        new[] { "SELECT set_config('work_mem', '8MB', false)", "SET LOCAL" },
        new[] { "LISTEN news", "past the pooler" },
        new[] { "CREATE TEMP TABLE left_behind (id int)", "ON COMMIT DROP" },
        new[] { "SELECT 1 AS one INTO TEMP left_behind", "ON COMMIT DROP" },
        new[] { "CREATE FUNCTION pg_temp.left_behind() RETURNS int LANGUAGE sql AS 'SELECT 1'", "pg_temp" },
        new[] { "CREATE TYPE pg_temp.left_behind AS ENUM ('a')", "pg_temp" },
        new[] { "SELECT pg_advisory_lock(815)", "pg_advisory_xact_lock" },
        new[] { "SELECT pg_try_advisory_lock(815)", "pg_advisory_xact_lock" },
        new[] { "PREPARE left_behind AS SELECT 1", "TransactionPrepared" },
        new[] { "DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1", "without WITH HOLD" },
        new[] { "LOAD 'plpgsql'", "session_preload_libraries" },
    ];

    private static readonly string[] Passing =
    [
        "SET LOCAL work_mem = '8MB'",
        "SET TRANSACTION READ ONLY",
        "SELECT set_config('work_mem', '8MB', true)",
        "CREATE TEMP TABLE passing (id int) ON COMMIT DROP",
        "SELECT pg_advisory_xact_lock(815)",
        "DECLARE passing CURSOR FOR SELECT 1",
        "SAVEPOINT passing",
    ];

    [SetUp]
    public Task StartServers() => StartAll();

    [TearDown]
    public async Task Nothing_is_left_behind() => Assert.That(await Leftovers(), Is.Empty);

    [TestCaseSource(nameof(Lasting))]
    public async Task What_lasts_is_refused_with_what_to_do_instead(string sql, string instead)
    {
        var error = await Catch<PgException>(() => Execute(sql));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("Pooler=Transaction").And.Contain(instead).And.Contain("Nothing was sent"));
        await AssertUsable();
    }

    [TestCaseSource(nameof(Lasting))]
    public async Task In_a_transaction_it_is_refused_too_and_the_transaction_goes_on(string sql, string instead)
    {
        await using var transaction = await Begin();
        var process = await Scalar<int>("SELECT pg_backend_pid()");

        var error = await Catch<PgException>(() => Execute($"SELECT 1; {sql}"));

        Assert.That(error.Message, Does.Contain(instead));
        Assert.That(await Scalar<int>("SELECT pg_backend_pid()"), Is.EqualTo(process));
        await Mode.Commit(transaction);
        await AssertUsable();
    }

    [TestCaseSource(nameof(Lasting))]
    public async Task In_a_transaction_that_has_not_begun_yet_it_is_refused_too_and_the_transaction_begins_later(string sql, string instead)
    {
        await using var transaction = await Begin();

        var error = await Catch<PgException>(() => Execute(sql));

        Assert.That(error.Message, Does.Contain(instead));
        Assert.That(await Scalar<int>("SELECT pg_backend_pid()"), Is.EqualTo(await Scalar<int>("SELECT pg_backend_pid()")));
        await Mode.Commit(transaction);
    }

    [TestCaseSource(nameof(Passing))]
    public async Task What_goes_with_its_transaction_is_allowed(string sql)
    {
        for (var i = 0; i < 2 * PgBouncer.Servers; i++)
        {
            await using var transaction = await Begin();
            await Execute(sql);
            await Mode.Commit(transaction);
        }
    }

    [Test]
    public async Task Prepare_is_refused_and_says_which_keyword_allows_it()
    {
        await using var command = Command("SELECT $1", 1);

        var error = await Catch<PgException>(() => Mode.Prepare(command));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("Pooler=TransactionPrepared").And.Contain("pgbouncer"));
        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task Prepare_of_a_batch_is_refused_too()
    {
        await using var batch = new PgBatch(Connection) { BatchCommands = { new PgBatchCommand("SELECT 1") } };

        var error = await Catch<PgException>(() => Mode.Run(batch.Prepare, () => batch.PrepareAsync()));

        Assert.That(error.Message, Does.Contain("Pooler=TransactionPrepared"));
        await AssertUsable();
    }
}
