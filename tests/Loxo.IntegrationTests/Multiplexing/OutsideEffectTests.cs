using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// Code of a database that acts outside of its transaction, behind texts that do not show it: no command of such a database runs a second
/// time, though the server has undone the first. The counter is a file of the server's.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class OutsideEffectTests(WaitMode mode) : LaneTest(mode)
{
    private const int Calls = 60;

    private string _file = "";

    private string Counts => $"COPY (SELECT 1) TO PROGRAM 'cat >> {_file}'";

    [SetUp]
    public void NameFile() => _file = "outside_" + Guid.NewGuid().ToString("N")[..12];

    [Test]
    public async Task A_query_that_turns_out_to_write_runs_once()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE flag (writes bool)", "INSERT INTO flag VALUES (false)", "CREATE TABLE t (i int)",
            $"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF (SELECT writes FROM flag) THEN {Counts}; INSERT INTO t VALUES (1); END IF; RETURN 1; END $$",
            "CREATE VIEW v AS SELECT f()");
        await using var source = await WithLanes(database);
        for (var i = 0; i < 30; i++)
            Assert.That(await Run(source, "SELECT * FROM v"), Is.EqualTo(1));
        await Run(source, "UPDATE flag SET writes = true");

        Assert.That(await Run(source, "SELECT * FROM v"), Is.EqualTo(1));

        Assert.That(await Run(source, "SELECT count(*) FROM t"), Is.EqualTo(1));
        await AssertCounted(source, 1);
    }

    [Test]
    public async Task A_query_that_fails_as_one_of_a_group_might_runs_once([Values("40001", "40P01")] string state)
    {
        await using var database = await TestDatabase.Create("CREATE TABLE flag (fails bool)", "INSERT INTO flag VALUES (false)",
            $"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF (SELECT fails FROM flag) THEN {Counts}; RAISE SQLSTATE '{state}'; END IF; RETURN 1; END $$",
            "CREATE VIEW v AS SELECT f()");
        await using var source = await WithLanes(database);
        for (var i = 0; i < 30; i++)
        {
            await Run(source, "SELECT * FROM v");
            await Run(source, "SELECT 2");
        }
        await Run(source, "UPDATE flag SET fails = true");

        var states = await Task.WhenAll(Enumerable.Range(0, 2 * Calls).Select(i => Call(() => StateOf(source, i % 2 == 0 ? "SELECT * FROM v" : "SELECT 2"))));

        Assert.That(states.Where(static (_, i) => i % 2 == 0), Is.All.EqualTo(state));
        Assert.That(states.Where(static (_, i) => i % 2 == 1), Is.All.Null);
        await AssertCounted(source, Calls);
    }

    [Test]
    public async Task A_change_whose_group_fails_runs_once()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int CHECK (i >= 0))", "CREATE TABLE plain (i int CHECK (i >= 0))",
            $"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.i > 0 THEN {Counts}; END IF; RETURN new; END $$",
            "CREATE TRIGGER f BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()");
        await using var source = await WithLanes(database);
        for (var i = 0; i < 30; i++)
        {
            await Run(source, "INSERT INTO t VALUES ($1)", 0);
            await Run(source, "INSERT INTO plain VALUES ($1)", 0);
        }

        var states = await Task.WhenAll(Enumerable.Range(0, 10 * Calls)
            .Select(i => Call(() => i % 2 == 0 ? StateOf(source, "INSERT INTO t VALUES ($1)", 1) : StateOf(source, "INSERT INTO plain VALUES ($1)", -1))));

        Assert.That(states.Where(static (_, i) => i % 2 == 0), Is.All.Null);
        Assert.That(states.Where(static (_, i) => i % 2 == 1), Is.All.EqualTo("23514"));
        await AssertCounted(source, 5 * Calls);
    }

    // A read-only transaction lets it pass. The server drops it with a group that fails.
    [Test]
    public async Task A_query_that_notifies_does_so_once()
    {
        await using var database = await TestDatabase.Create(
            "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('heard', gen_random_uuid()::text); RETURN 1; END $$",
            "CREATE VIEW v AS SELECT f()");
        await using var listener = new PgConnection(database.ConnectionString + ";Pooling=false");
        await listener.OpenAsync();
        var heard = 0;
        listener.Notification += (_, _) => heard++;
        await Mode.ExecuteNonQuery(new PgCommand("LISTEN heard", listener));
        await using var source = await WithLanes(database);
        for (var i = 0; i < 30; i++)
        {
            await Run(source, "SELECT * FROM v");
            await Run(source, "SELECT 1 / $1", 1);
        }

        var states = await Task.WhenAll(Enumerable.Range(0, 2 * Calls)
            .Select(i => Call(() => i % 2 == 0 ? StateOf(source, "SELECT * FROM v") : StateOf(source, "SELECT 1 / $1", 0))));

        Assert.That(states.Where(static (_, i) => i % 2 == 0), Is.All.Null);
        Assert.That(states.Where(static (_, i) => i % 2 == 1), Is.All.EqualTo("22012"));
        // All have been sent by the end of what the listener runs next.
        await Mode.ExecuteScalar(new PgCommand("SELECT 1", listener));
        Assert.That(heard, Is.EqualTo(30 + Calls));
    }

    // A read-only transaction refuses the change, and the query succeeds without it.
    [Test]
    public async Task A_query_that_goes_on_without_its_change_is_not_sent_to_a_lane_that_only_reads()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int)",
            "CREATE FUNCTION writes() RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO t VALUES (1) RETURNING i $$",
            "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN writes(); EXCEPTION WHEN OTHERS THEN RETURN 1; END $$",
            "CREATE VIEW v AS SELECT f()");
        await using var source = await WithLanes(database);

        for (var i = 0; i < 30; i++)
            Assert.That(await Run(source, "SELECT * FROM v"), Is.EqualTo(1));

        Assert.That(await Run(source, "SELECT count(*) FROM t"), Is.EqualTo(30));
        Assert.That(source.Lanes!.GetStatistics().Commands, Is.GreaterThan(20), "commands in lanes");
    }

    private async Task AssertCounted(PgDataSource source, int expected)
    {
        Assert.That(source.Lanes!.GetStatistics().Commands, Is.GreaterThan(30), "commands in lanes");
        Assert.That(await Run(source, $"SELECT length(replace(pg_read_file('{_file}'), chr(10), ''))"), Is.EqualTo(expected));
    }

    private async Task<PgDataSource> WithLanes(TestDatabase database)
    {
        var builder = new PgDataSourceBuilder(database.ConnectionString + ";Session Reset=Auto");
        var source = builder.UseLanes(static lanes => lanes.GroupChanges = true).Build();
        await AwaitLane(source);
        return source;
    }

    private async Task<string?> StateOf(PgDataSource source, string sql, params object[] values)
    {
        try
        {
            await Run(source, sql, values);
            return null;
        }
        catch (PostgresException e)
        {
            return e.SqlState;
        }
    }
}
