namespace Loxo.IntegrationTests.Pool;

/// <summary>A test of sessions that have prepared a text, and in which code of the database puts a nearer table in front of the one that it reads.</summary>
public abstract class ChangedNamesTest(WaitMode mode) : ResetTest(mode)
{
    protected const string Preparing = "Maximum Pool Size=1;Auto Prepare Min Usages=1;Application Name=reset";

    protected const string Shadows = "CREATE FUNCTION shadows() RETURNS int LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE t AS SELECT 2 AS a; RETURN 1; END $$";

    protected const string Reading = "SELECT a FROM t";

    protected static readonly string[] Tables = ["CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)"];

    protected async Task AssertReadsNearerTable(PgConnection connection, string call)
    {
        // With a schema for temporary tables the search path stays the same when one is made.
        await Execute(connection, "CREATE TEMP TABLE nearer AS SELECT 2 AS a");
        for (var round = 0; round < 2; round++)
            Assert.That(await Scalar(connection, Reading), Is.EqualTo(1));

        await Execute(connection, call);

        Assert.That(await Scalar(connection, Reading), Is.EqualTo(2));
    }

    protected async Task AssertReadsNearerTable(PgDataSource source, string call)
    {
        var connection = await Rent(source);
        await AssertReadsNearerTable(connection, call);
        await Mode.Close(connection);
        var next = await Rent(source);
        Assert.That(await Scalar(next, Reading), Is.EqualTo(1), "the reset drops the nearer one");
        await Mode.Close(next);
    }

    /// <summary>A pool whose database has these objects and has said which of its functions change names.</summary>
    protected async Task<PgDataSource> Audited(params string[] objects)
    {
        var database = Keep(await TestDatabase.Create([.. Tables, .. objects.Where(text => text.Length > 0)]));
        var source = Source(Preparing, database.ConnectionString);
        for (var round = 0; round < 5; round++)
            await IsResetAfter(source, "SELECT 1");
        await AssertIsKnown(source);
        return source;
    }

    protected async Task AssertIsKnown(PgDataSource source)
    {
        var connection = await Rent(source);
        Assert.That(connection.Session!.Context.Database.Reachable!().IsUnknown, Is.False, "the database has answered");
        await Mode.Close(connection);
    }

    /// <summary>Another pool of the program to the same database runs the statements, and brings the answer of the audit.</summary>
    protected async Task LookedAtByAnother(string connectionString, params string[] statements)
    {
        var another = Source("Maximum Pool Size=1;Application Name=another", connectionString);
        foreach (var sql in statements.DefaultIfEmpty("SELECT 1"))
            await IsResetAfter(another, sql);
        for (var round = 0; round < 5; round++)
            await IsResetAfter(another, "SELECT 1");
    }

    protected async Task<object?> PreparedAt(PgConnection connection) =>
        await Scalar(connection, $"SELECT prepare_time FROM pg_prepared_statements WHERE statement = '{Reading}'");
}
