using Loxo.Protocol;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Hazard P6: whatever a renter leaves in the session, the next one does not find it, unless resetting was switched off.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SessionResetTests(WaitMode mode) : ResetTest(mode)
{
    private const string Role = "pool_reset_role";

    private static readonly Leak[] Leaks =
    [
        new("a setting", "SET work_mem = '77kB'"),
        new("search_path", "SET search_path = pg_temp, information_schema"),
        new("TimeZone", "SET TimeZone = 'Asia/Kathmandu'"),
        new("a setting of all transactions", "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
        new("a setting by set_config", "SELECT set_config('work_mem', '77kB', false)"),
        new("a setting by UPDATE pg_settings", "UPDATE pg_settings SET setting = '77' WHERE name = 'work_mem'"),
        new("a setting by DO", "DO $$ BEGIN PERFORM set_config('work_mem', '77kB', false); END $$"),
        new("a setting of a committed transaction", "BEGIN", "SET work_mem = '77kB'", "COMMIT"),
        new("a setting in several statements", "SELECT 1; SET work_mem = '77kB'; SELECT 2"),
        new("session authorization", $"SET SESSION AUTHORIZATION {Role}"),
        new("a role", $"SET ROLE {Role}"),
        new("a temporary table", "CREATE TEMPORARY TABLE leaked (i int)"),
        new("a temporary table by SELECT INTO", "SELECT 1 AS i INTO TEMP leaked"),
        new("a temporary view", "CREATE TEMPORARY VIEW leaked AS SELECT 1"),
        new("a session lock", "SELECT pg_advisory_lock(1)"),
        new("a session lock of a failed statement", "SELECT pg_advisory_lock(i), 1 / (i - 2) FROM generate_series(1, 2) i") { Fails = true },
        new("a session lock of a rolled back transaction", "BEGIN", "SELECT pg_advisory_lock(1)", "ROLLBACK"),
        new("a listener", "LISTEN leaked"),
        new("a cursor", "DECLARE leaked CURSOR WITH HOLD FOR SELECT 1"),
        new("a prepared statement", "PREPARE leaked AS SELECT 1"),
    ];

    private static TestDatabase _database = null!;

    [OneTimeSetUp]
    public static async Task CreateDatabase()
    {
        _database = await TestDatabase.Create("CREATE TABLE entries (id int)", "CREATE SEQUENCE numbers", $"CREATE ROLE {Role}");
    }

    [OneTimeTearDown]
    public static async Task DropDatabase()
    {
        await _database.DisposeAsync();
        await Aside(TestServer.Default.ConnectionString, $"DROP ROLE {Role}");
    }

    [Test]
    public async Task The_next_renter_does_not_find(
        [Values(SessionReset.Auto, SessionReset.Always)] SessionReset reset, [ValueSource(nameof(Leaks))] Leak leak)
    {
        var source = Create(reset);
        if (reset == SessionReset.Auto)
            await LookedThrough(source);
        var first = await Rent(source);
        var process = first.ProcessID;
        var fresh = await State(first);
        await Run(first, leak);
        Assert.That(await State(first), Is.Not.EqualTo(fresh), "nothing was leaked: the test tests nothing");

        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.EqualTo(process));
        Assert.That(await State(next), Is.EqualTo(fresh));
        Assert.That(next.Session!.TransactionStatus, Is.EqualTo(TransactionStatus.Idle));
        Assert.That(next.Timezone, Is.EqualTo((string)(await Scalar(next, "SHOW TimeZone"))!), "what the driver believes is what the server says");
        await Mode.Close(next);
    }

    [Test]
    public async Task Without_resets_the_next_renter_finds([ValueSource(nameof(Leaks))] Leak leak)
    {
        var source = Create(SessionReset.Never);
        var first = await Rent(source);
        var process = first.ProcessID;
        await Run(first, leak);
        var left = await State(first);

        // The audit may be asked for with the close: the names that a prepared statement means may have changed.
        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.EqualTo(process));
        Assert.That(await State(next), Is.EqualTo(left));
        await Mode.Close(next);
    }

    [Test]
    public async Task No_Reset_On_Close_is_Never()
    {
        var source = Source(OneSession + ";No Reset On Close=true", _database.ConnectionString);

        await IsResetAfter(source, "SET work_mem = '77kB'");

        var next = await Rent(source);
        Assert.That(await Scalar(next, "SHOW work_mem"), Is.EqualTo("77kB"));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_sequence_number_is_not_the_next_renters([Values(SessionReset.Auto, SessionReset.Always)] SessionReset reset)
    {
        var source = Create(reset);
        if (reset == SessionReset.Auto)
            await LookedThrough(source);
        var first = await Rent(source);
        await Scalar(first, "SELECT nextval('numbers')");
        Assert.That(await Scalar(first, "SELECT lastval()"), Is.Not.Null);

        await Mode.Close(first);

        var next = await Rent(source);
        Assert.That((await Error<PostgresException>(() => Scalar(next, "SELECT lastval()"))).SqlState, Is.EqualTo("55000"));
        await Mode.Close(next);
    }

    [Test]
    public async Task An_open_transaction_is_rolled_back([Values] SessionReset reset, [Values] bool failed, [Values] bool byText)
    {
        var source = Create(reset);
        var first = await Rent(source);
        if (byText)
            await Execute(first, "BEGIN");
        else
            first.BeginTransaction();
        await Execute(first, "INSERT INTO entries VALUES (4711)");
        if (failed)
            await Error<PostgresException>(() => Scalar(first, "SELECT 1 / 0"));

        await Mode.Close(first);

        await AssertNoTransaction(source);
    }

    [Test]
    public async Task A_BEGIN_that_was_not_sent_never_is([Values] SessionReset reset)
    {
        var source = Create(reset);
        var first = await Rent(source);
        first.BeginTransaction();

        await Mode.Close(first);

        await AssertNoTransaction(source);
    }

    [Test]
    public async Task A_transaction_disposed_just_before_is_over([Values] SessionReset reset)
    {
        var source = Create(reset);
        var first = await Rent(source);
        var transaction = first.BeginTransaction();
        await Execute(first, "INSERT INTO entries VALUES (4711)");
        await Mode.Dispose(transaction);

        await Mode.Close(first);

        await AssertNoTransaction(source);
    }

    [Test]
    public async Task The_ended_users_transaction_object_cannot_touch_the_next_users_transaction()
    {
        var source = Create(SessionReset.Auto);
        var first = await Rent(source);
        var stale = first.BeginTransaction();
        await Execute(first, "SELECT 1");
        await Mode.Close(first);

        var next = await Rent(source);
        await using var transaction = next.BeginTransaction();
        await Execute(next, "SELECT 1");
        await Error<InvalidOperationException>(() => Mode.Rollback(stale));
        await Mode.Dispose(stale);

        Assert.That(next.Session!.TransactionStatus, Is.EqualTo(TransactionStatus.InTransaction));
        await Mode.Commit(transaction);
        await Mode.Close(next);
    }

    [Test]
    public async Task Locks_and_temporary_tables_do_not_live_on_in_an_idle_session([Values(SessionReset.Auto, SessionReset.Always)] SessionReset reset)
    {
        var source = Create(reset);
        var first = await Rent(source);
        await Execute(first, "SELECT pg_advisory_lock(4712)");

        await Mode.Close(first);

        // Waits until the lock is free; nobody rents meanwhile.
        await Finish(Aside(_database.ConnectionString, "SELECT pg_advisory_xact_lock(4712)"));
    }

    private PgDataSource Create(SessionReset reset) => Source($"{OneSession};Session Reset={reset}", _database.ConnectionString);

    private async Task Run(PgConnection connection, Leak leak)
    {
        foreach (var sql in leak.Statements)
        {
            if (leak.Fails)
                await Error<PostgresException>(() => Execute(connection, sql));
            else
                await Execute(connection, sql);
        }
    }

    private async Task AssertNoTransaction(PgDataSource source)
    {
        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT count(*) FROM entries"), Is.EqualTo(0L));
        Assert.That(next.Session!.TransactionStatus, Is.EqualTo(TransactionStatus.Idle));
        await using (var transaction = next.BeginTransaction())
        {
            await Execute(next, "SELECT 1");
            await Mode.Commit(transaction);
        }
        Assert.That(Statistics(source).Opened, Is.EqualTo(1));
        await Mode.Close(next);
    }

    /// <summary>Statements that leave something.</summary>
    public sealed record Leak(string What, params string[] Statements)
    {
        internal bool Fails { get; init; }

        public override string ToString() => What;
    }
}
