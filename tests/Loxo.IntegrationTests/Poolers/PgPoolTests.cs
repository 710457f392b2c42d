namespace Loxo.IntegrationTests.Poolers;

/// <summary>pgpool gives each connection a server process, and cleans it up for the next client.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class PgPoolTests(WaitMode mode) : PassedOnTest(mode)
{
    private PgPool _pooler = null!;

    private protected override PoolerProcess Pooler => _pooler;

    [OneTimeSetUp]
    public void StartPooler() => (_pooler = new PgPool()).Start();

    [OneTimeTearDown]
    public void StopPooler() => _pooler.Dispose();

    [Test]
    public async Task What_one_client_leaves_behind_the_next_one_does_not_meet()
    {
        for (var i = 0; i < 4; i++)
        {
            await using var connection = await OpenAnother();
            foreach (var sql in new[] { "SET work_mem = '8765kB'", "PREPARE left_behind AS SELECT 1", "SELECT pg_advisory_lock(816)" })
                await Mode.ExecuteNonQuery(new PgCommand(sql, connection));
            await Mode.Dispose(connection);
        }
        // They end up in any of pgpool's children: a client that waits for the lock has waited for all of them.
        await Execute("SELECT pg_advisory_xact_lock(816)");
        Assert.That(await Scalar<string>("SHOW work_mem"), Is.Not.EqualTo("8765kB"));
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_prepared_statements WHERE name = 'left_behind'"), Is.Zero);
    }
}
