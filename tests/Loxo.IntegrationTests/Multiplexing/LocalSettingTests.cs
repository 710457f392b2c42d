using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>What a statement sets for its transaction, by itself or by a function, is not seen by others that are sent with it.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LocalSettingTests(WaitMode mode) : LaneTest(mode)
{
    private const int Callers = 32;
    private const int Rounds = 40;
    private const string Tenant = "SELECT coalesce(current_setting('app.tenant', true), '')";

    [Test]
    public async Task A_query_that_sets_for_its_transaction_sets_for_no_other() =>
        await AssertAlone(Source, "SELECT set_config('app.tenant', $1, true)", "a", Tenant);

    [Test]
    public async Task A_query_whose_function_sets_for_the_transaction_sets_for_no_other()
    {
        await using var database = await TestDatabase.Create(
            "CREATE FUNCTION become() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.tenant', 'a', true); RETURN 'a'; END $$",
            "CREATE VIEW own AS SELECT become() AS tenant");
        await using var source = await WithLanes(database);
        await AssertAlone(source, "SELECT tenant FROM own WHERE $1 = 'a'", "a", Tenant);
    }

    [Test]
    public async Task A_change_that_sets_for_its_transaction_sets_for_no_other()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (tenant text DEFAULT coalesce(current_setting('app.tenant', true), ''))");
        await using var source = await WithLanes(database);
        await AssertAlone(source, "INSERT INTO t SELECT set_config('app.tenant', $1, true) RETURNING tenant", "a", "INSERT INTO t DEFAULT VALUES RETURNING tenant");
    }

    [Test]
    public async Task A_change_whose_trigger_sets_for_the_transaction_sets_for_no_other()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (tenant text DEFAULT coalesce(current_setting('app.tenant', true), ''))",
            "CREATE TABLE own (tenant text)",
            "CREATE FUNCTION become() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN SET LOCAL app.tenant = 'a'; RETURN new; END $$",
            "CREATE TRIGGER become BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION become()");
        await using var source = await WithLanes(database);
        await AssertAlone(source, "INSERT INTO own VALUES ($1) RETURNING tenant", "a", "INSERT INTO t DEFAULT VALUES RETURNING tenant");
    }

    private async Task AssertAlone(PgDataSource source, string setting, string value, string reading)
    {
        // Until they are known to be fast, they share nothing.
        for (var i = 0; i < 10; i++)
        {
            await Run(source, setting, value);
            await Run(source, reading);
        }
        var before = source.GetLaneStatistics()!;
        var results = await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Call(async () =>
        {
            var seen = new List<object?>();
            for (var i = 0; i < Rounds; i++)
                seen.Add(caller % 4 == 0 ? await Run(source, setting, value) : await Run(source, reading));
            return seen;
        })));
        Assert.That(source.GetLaneStatistics()!.Commands - before.Commands, Is.GreaterThan(Callers), "commands in lanes");
        Assert.That(results.Where(static (_, caller) => caller % 4 == 0).SelectMany(static seen => seen), Is.All.EqualTo(value));
        Assert.That(results.Where(static (_, caller) => caller % 4 != 0).SelectMany(static seen => seen), Is.All.EqualTo(""));
    }

    private async Task<PgDataSource> WithLanes(TestDatabase database)
    {
        var builder = new PgDataSourceBuilder(database.ConnectionString + ";Session Reset=Auto");
        var source = builder.UseLanes(static lanes => lanes.GroupChanges = true).Build();
        await AwaitLane(source);
        return source;
    }
}
