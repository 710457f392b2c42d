namespace Loxo.IntegrationTests.Pool;

/// <summary>What the program does to a database under another name of its server, or to its name, ends the trust in it.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class AuditedByNameTests(WaitMode mode) : ResetTest(mode)
{
    private const string Locking = "CREATE VIEW v AS SELECT pg_try_advisory_lock(77) AS x";

    [Test]
    public async Task A_database_that_is_replaced_counts_at_once([Values] bool byRename)
    {
        var template = Keep(await TestDatabase.Create(Locking));
        var database = Keep(await TestDatabase.Create());
        var source = Source(OneSession, database.ConnectionString);
        await LookedThrough(source);

        await Maintain($"DROP DATABASE {database.Name} WITH (FORCE)");
        if (byRename)
            await Maintain($"ALTER DATABASE {template.Name} RENAME TO \"{database.Name}\"");
        else
            await Maintain($"CREATE DATABASE {database.Name} TEMPLATE {template.Name}");

        await AssertLeavesNothing(source);
    }

    [Test]
    public async Task A_view_that_is_made_under_another_name_of_the_server_counts_at_once([Values] bool bySocket)
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source(OneSession, With(database.ConnectionString, "127.0.0.1"));
        await LookedThrough(source);

        await Run(With(database.ConnectionString, bySocket ? TestServer.Default.SocketDirectory : "localhost"), Locking);

        await AssertLeavesNothing(source);
    }

    private async Task AssertLeavesNothing(PgDataSource source)
    {
        var first = await Rent(source);
        var fresh = await State(first);
        await Scalar(first, "SELECT * FROM v");
        Assert.That(await State(first), Is.Not.EqualTo(fresh), "nothing was leaked: the test tests nothing");
        Assert.That(await IsResetByClose(first), Is.True);

        var next = await Rent(source);
        Assert.That(await State(next), Is.EqualTo(fresh));
        await Mode.Close(next);
    }

    private static string With(string connectionString, string host) =>
        new PgConnectionStringBuilder(connectionString) { Host = host, Port = TestServer.Default.Port }.ConnectionString;

    private Task Maintain(string sql) => Run(TestServer.Default.ConnectionString, sql);

    private async Task Run(string connectionString, string sql)
    {
        var connection = await Rent(Source("Pooling=false", connectionString));
        await Execute(connection, sql);
        await Mode.Close(connection);
    }
}
