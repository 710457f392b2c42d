namespace Loxo.IntegrationTests.Execution;

/// <summary>A prepared text reads the table that the same text would read unprepared, also when another one has come to stand nearer in the search path.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ShadowingTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _near = "";
    private PgDataSource _source = null!;

    [SetUp]
    public async Task CreateSchemas()
    {
        _near = "near_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE SCHEMA {_near}; CREATE SCHEMA {_near}_far; CREATE TABLE {_near}_far.shadowed AS SELECT 'far' AS place");
        _source = PgDataSource.Create(base.ConnectionString + $";Search Path={_near}, {_near}_far, public;Auto Prepare Min Usages=1");
    }

    [TearDown]
    public async Task DropSchemas()
    {
        await _source.DisposeAsync();
        await Execute($"DROP SCHEMA {_near}, {_near}_far CASCADE");
    }

    [TestCase("CREATE TABLE {0}.shadowed AS SELECT 'near' AS place")]
    [TestCase("CREATE VIEW {0}.shadowed AS SELECT 'near'::text AS place")]
    [TestCase("CREATE UNLOGGED TABLE {0}.shadowed AS SELECT 'near' AS place")]
    [TestCase("CREATE TABLE {0}.other AS SELECT 'near' AS place; ALTER TABLE {0}.other RENAME TO shadowed")]
    [TestCase("CREATE TABLE public.shadowed AS SELECT 'near' AS place; ALTER TABLE public.shadowed SET SCHEMA {0}")]
    [TestCase("BEGIN; CREATE TABLE {0}.shadowed AS SELECT 'near' AS place; COMMIT")]
    [TestCase("SELECT 'near' AS place INTO {0}.shadowed")]
    [TestCase("EXPLAIN ANALYZE CREATE TABLE {0}.shadowed AS SELECT 'near' AS place")]
    [TestCase("EXPLAIN (ANALYZE, COSTS off) SELECT 'near' AS place INTO {0}.shadowed")]
    [TestCase("DO $$ BEGIN CREATE TABLE {0}.shadowed AS SELECT 'near' AS place; END $$")]
    [TestCase("CREATE SCHEMA {0}_x CREATE TABLE shadowed (); DROP SCHEMA {0}_x CASCADE; CREATE TABLE {0}.shadowed (place text); INSERT INTO {0}.shadowed VALUES ('near')")]
    public async Task Definitions_of_one_connection_count_for_the_prepared_statements_of_all(string sql)
    {
        await using var one = await Open();
        await using var other = await Open();
        foreach (var connection in new[] { one, other, one, other })
            Assert.That(await Place(connection), Is.EqualTo("far"));

        await Mode.ExecuteNonQuery(new PgCommand(string.Format(System.Globalization.CultureInfo.InvariantCulture, sql, _near), one));

        Assert.That(await Place(other), Is.EqualTo("near"));
        Assert.That(await Place(one), Is.EqualTo("near"));
        await Mode.ExecuteNonQuery(new PgCommand($"DROP {(sql.Contains("VIEW", StringComparison.Ordinal) ? "VIEW" : "TABLE")} {_near}.shadowed", one));
        Assert.That(await Place(other), Is.EqualTo("far"));
    }

    [Test]
    public async Task Definitions_count_when_their_transaction_has_ended_and_not_when_it_was_rolled_back([Values] bool commits)
    {
        await using var one = await Open();
        await using var other = await Open();
        Assert.That(await Place(other), Is.EqualTo("far"));
        var transaction = await Mode.Run(() => one.BeginTransaction(), () => one.BeginTransactionAsync().AsTask());
        await Mode.ExecuteNonQuery(new PgCommand($"CREATE TABLE {_near}.shadowed AS SELECT 'near' AS place", one));
        Assert.That(await Place(one), Is.EqualTo("near"));
        Assert.That(await Place(other), Is.EqualTo("far"));
        Assert.That(await Place(other), Is.EqualTo("far"));
        if (commits)
            await Mode.Commit(transaction);
        else
            await Mode.Rollback(transaction);

        Assert.That(await Place(other), Is.EqualTo(commits ? "near" : "far"));
        Assert.That(await Place(one), Is.EqualTo(commits ? "near" : "far"));
    }

    [Test]
    public async Task Commands_and_batches_that_were_prepared_read_the_nearer_table([Values] bool isTemporary)
    {
        await Execute($"CREATE FUNCTION {_near}.shadow() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE shadowed AS SELECT 'near' AS place; END $$");
        await using var one = await Open();
        await using var other = await Open();
        await using var command = new PgCommand("SELECT place FROM shadowed", other);
        await using var batch = new PgBatch(other) { BatchCommands = { new PgBatchCommand("SELECT place FROM shadowed WHERE true") } };
        await Mode.Prepare(command);
        await Mode.Run(batch.Prepare, () => batch.PrepareAsync());
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("far"));
        Assert.That(await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()), Is.EqualTo("far"));

        // What a function makes counts for its own connection.
        await Mode.ExecuteNonQuery(isTemporary
            ? new PgCommand($"SELECT {_near}.shadow()", other)
            : new PgCommand($"CREATE TABLE {_near}.shadowed AS SELECT 'near' AS place", one));

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("near"));
        Assert.That(await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()), Is.EqualTo("near"));
    }

    private Task<PgConnection> Open() => Mode.Run(_source.OpenConnection, () => _source.OpenConnectionAsync().AsTask());

    private async Task<object?> Place(PgConnection connection)
    {
        await using var command = new PgCommand("SELECT place FROM shadowed", connection);
        return await Mode.ExecuteScalar(command);
    }
}
