namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Statements that put a nearer table in front of the one that the prepared statements of another session read, although they define no
/// table by their own text.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class DefinitionsOfOthersTests(WaitMode mode) : ResetTest(mode)
{
    private const string Reading = "SELECT place FROM shadowed";

    private static readonly string[] Schemas = ["CREATE SCHEMA near", "CREATE TABLE public.shadowed AS SELECT 'far' AS place"];

    [Test]
    public async Task A_prepared_transaction_counts_when_it_is_committed()
    {
        var (one, other) = await OpenTwo();

        await Execute(one, "BEGIN; CREATE TABLE near.shadowed AS SELECT 'near' AS place; PREPARE TRANSACTION 'shadowing'");
        Assert.That(await Scalar(other, Reading), Is.EqualTo("far"));
        Assert.That(await Scalar(one, Reading), Is.EqualTo("far"));
        await Execute(one, "COMMIT PREPARED 'shadowing'");

        await AssertReadsNear(one, other);
        await CloseAll([one, other]);
    }

    [Test]
    public async Task A_table_of_another_server_counts_when_it_is_imported()
    {
        var (one, other) = await OpenTwo();
        var server = new PgConnectionStringBuilder(TestServer.Default.ConnectionString);
        await Execute(one, "CREATE SCHEMA remote; CREATE TABLE remote.shadowed AS SELECT 'near' AS place; CREATE EXTENSION postgres_fdw");
        await Execute(one, $"CREATE SERVER same FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{server.Host}', port '{server.Port}', dbname '{one.Database}')");
        await Execute(one, $"CREATE USER MAPPING FOR CURRENT_USER SERVER same OPTIONS (user '{server.Username}', password '{server.Password}', password_required 'false')");
        Assert.That(await Scalar(other, Reading), Is.EqualTo("far"));
        Assert.That(await Scalar(one, Reading), Is.EqualTo("far"));

        await Execute(one, "IMPORT FOREIGN SCHEMA remote LIMIT TO (shadowed) FROM SERVER same INTO near");

        await AssertReadsNear(one, other);
        await CloseAll([one, other]);
    }

    [Test]
    public async Task A_schema_counts_when_it_is_granted()
    {
        const string Role = "reads_what_is_granted";
        var (one, other) = await OpenTwo("CREATE TABLE near.shadowed AS SELECT 'near' AS place");
        await Execute(one, $"DROP ROLE IF EXISTS {Role}; CREATE ROLE {Role}; GRANT SELECT ON public.shadowed, near.shadowed TO {Role}");
        await Execute(other, $"SET ROLE {Role}");
        foreach (var _ in new int[2])
            Assert.That(await Scalar(other, Reading), Is.EqualTo("far"));

        await Execute(one, $"GRANT USAGE ON SCHEMA near TO {Role}");

        await AssertReadsNear(one, other);
        await Execute(other, "RESET ROLE");
        await Execute(one, $"DROP OWNED BY {Role}; DROP ROLE {Role}");
        await CloseAll([one, other]);
    }

    private async Task<(PgConnection One, PgConnection Other)> OpenTwo(params string[] more)
    {
        var database = Keep(await TestDatabase.Create([.. Schemas, .. more]));
        var source = Source("Maximum Pool Size=2;Auto Prepare Min Usages=1;Search Path=near,public", database.ConnectionString);
        var (one, other) = (await Rent(source), await Rent(source));
        if (more.Length == 0)
        {
            foreach (var connection in new[] { one, other, one, other })
                Assert.That(await Scalar(connection, Reading), Is.EqualTo("far"));
        }
        return (one, other);
    }

    private async Task AssertReadsNear(PgConnection one, PgConnection other)
    {
        Assert.That(await Scalar(other, Reading), Is.EqualTo("near"));
        Assert.That(await Scalar(one, Reading), Is.EqualTo("near"));
    }
}
