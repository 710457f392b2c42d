using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Reader;

/// <summary>Queries that change something which their text does not show: closing their reader early undoes nothing of it.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class HiddenChangesTests(WaitMode mode) : ResetTest(mode)
{
    private const int Rows = 300;

    private const string Writes = """
        CREATE FUNCTION w(i int) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO t VALUES (i); IF i = 200 THEN PERFORM pg_sleep(0.3); END IF; RETURN i; END $$
        """;

    private const string View = "CREATE VIEW v AS SELECT w(i) AS a, repeat('x', 20000) AS b FROM generate_series(1, 300) i";

    [TestCase("", "SELECT * FROM v")]
    [TestCase("", "TABLE v")]
    [TestCase("", "SELECT 1; SELECT * FROM v")]
    [TestCase("CREATE FUNCTION public.lower(int) RETURNS int LANGUAGE sql AS 'SELECT w($1)'", "SELECT lower(i), repeat('x', 20000) FROM generate_series(1, 300) i")]
    [TestCase("CREATE OPERATOR <+> (FUNCTION = w, RIGHTARG = int)", "SELECT <+> i, repeat('x', 20000) FROM generate_series(1, 300) i")]
    [TestCase("CREATE FUNCTION x(i int) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE ''INSERT INTO t VALUES (1)''; RETURN i; END';"
        + "CREATE VIEW y AS SELECT x(i), repeat('x', 20000) FROM generate_series(1, 300) i", "SELECT * FROM y")]
    public async Task A_reader_that_is_closed_early(string made, string query)
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int)", Writes, View, made.Length > 0 ? made : "SELECT 1");
        foreach (var closing in Enum.GetValues<Closing>())
        {
            await using var source = PgDataSource.Create(database.ConnectionString + ";Maximum Pool Size=2;Session Reset=Auto");
            var connection = await Known(source);
            await using (var command = new PgCommand(query, connection) { FetchSize = closing == Closing.Portions ? 10 : 0 })
            {
                var reader = await Mode.ExecuteReader(command);
                do
                {
                    while (reader.FieldCount == 1 && await Mode.Read(reader))
                    {
                    }
                }
                while (reader.FieldCount == 1 && await Mode.NextResult(reader));
                Assert.That(await Mode.Read(reader), Is.True);
                await (closing == Closing.Connection ? Mode.Close(connection) : Mode.Close(reader));
            }
            await Mode.Close(connection);

            Assert.That(await TakeCount(source), Is.EqualTo(Rows), closing.ToString());
        }
    }

    [Test]
    public async Task A_copy_that_is_closed_early()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int)", Writes, View);
        await using var source = PgDataSource.Create(database.ConnectionString + ";Maximum Pool Size=2;Session Reset=Auto");
        var connection = await Known(source);
        var copy = await Mode.Run(() => connection.BeginTextExport("COPY (SELECT * FROM v) TO STDOUT"),
            () => connection.BeginTextExportAsync("COPY (SELECT * FROM v) TO STDOUT"));
        Assert.That(await Mode.Run(copy.ReadLine, () => copy.ReadLineAsync()), Is.Not.Null);
        await Mode.Run(copy.Dispose, () => copy.DisposeAsync().AsTask());
        await Mode.Close(connection);

        Assert.That(await TakeCount(source), Is.EqualTo(Rows));
    }

    [Test]
    public async Task A_reader_that_is_closed_early_by_the_session_that_has_made_the_function()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int)");
        await using var source = PgDataSource.Create(database.ConnectionString + ";Maximum Pool Size=2;Session Reset=Auto");
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        await Execute(connection, Writes);
        await Execute(connection, View);
        await using var command = new PgCommand("SELECT * FROM v", connection);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        await Mode.Close(connection);

        Assert.That(await TakeCount(source), Is.EqualTo(Rows));
    }

    private enum Closing
    {
        Reader,
        Connection,
        Portions,
    }

    // A connection of a data source that knows what its database hides.
    private async Task<PgConnection> Known(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        while (connection.Session!.Context.Database.Reachable!.Invoke().IsUnknown)
        {
            await Scalar(connection, "SELECT 1");
            await Mode.Close(connection);
            await Mode.Open(connection);
        }
        return connection;
    }

    private async Task<object?> TakeCount(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        var count = await Scalar(connection, "WITH d AS (DELETE FROM t RETURNING 1) SELECT count(*)::int FROM d");
        await Mode.Close(connection);
        return count;
    }
}
