using System.Data;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>A pooler in statement mode has no transactions but those of one command; it says so and closes the connection.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StatementPoolerTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _table = "";

    protected override string ConnectionString => PgBouncer.Shared.ConnectionString(PgBouncer.Statement) + ";Pooler=Transaction;Pooling=false";

    [OneTimeSetUp]
    public void FindPooler() => _ = PgBouncer.Shared;

    [SetUp]
    public async Task CreateTable()
    {
        _table = "pooler_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY, name text)");
    }

    [TearDown]
    public async Task DropTable()
    {
        await using var other = await OpenAnother();
        await new PgCommand($"DROP TABLE {_table}", other).ExecuteNonQueryAsync();
    }

    [Test]
    public async Task Single_statements_work_on_whichever_server_process_they_meet()
    {
        await using var other = await OpenAnother();
        for (var i = 0; i < 20; i++)
        {
            Assert.That((await Rows("SELECT $1, $2", i, "x" + i))[0], Is.EqualTo(new object[] { i, "x" + i }));
            Assert.That(await Mode.ExecuteScalar(new PgCommand($"SELECT {i}", other)), Is.EqualTo(i));
            Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1 / $1", 0))).SqlState, Is.EqualTo(PostgresErrorCodes.DivisionByZero));
        }
    }

    [Test]
    public async Task A_batch_is_one_transaction_all_the_same()
    {
        Assert.That(await Execute($"INSERT INTO {_table} VALUES (1); INSERT INTO {_table} VALUES (2)"), Is.EqualTo(2));
        var error = await Catch<PostgresException>(() => Execute($"INSERT INTO {_table} VALUES (3); INSERT INTO {_table} VALUES (2)"));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
        Assert.That((await Rows($"SELECT id FROM {_table} ORDER BY id")).ConvertAll(row => row[0]), Is.EqualTo(new[] { 1, 2 }));
    }

    [Test]
    public async Task Rows_are_copied_in()
    {
        var writer = await Mode.Run(
            () => Connection.BeginTextImport($"COPY {_table} FROM STDIN"), () => Connection.BeginTextImportAsync($"COPY {_table} FROM STDIN"));
        for (var i = 0; i < 1_000; i++)
            writer.Write($"{i}\tname\n");
        await Mode.Dispose(writer);
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(1_000));
    }

    [Test]
    public async Task Rows_behind_a_refused_one_stay_in_the_server_process()
    {
        var text = new string('x', 1000);
        for (var round = 0; round < 20; round++)
        {
            var writer = await Mode.Run(
                () => Connection.BeginTextImport($"COPY {_table} FROM STDIN"), () => Connection.BeginTextImportAsync($"COPY {_table} FROM STDIN"));
            var error = await Catch<PostgresException>(async () =>
            {
                for (var i = 0; i < 10_000; i++)
                    await Mode.Run(() => writer.Write($"{i % 100}\t{text}\n"), () => writer.WriteAsync($"{i % 100}\t{text}\n"));
                await Mode.Dispose(writer);
            });
            await Mode.Dispose(writer);
            Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.Zero);
        }
    }

    [Test]
    public async Task A_transaction_is_refused_by_the_pooler_and_ends_the_connection()
    {
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());

        var error = await Catch<PgException>(() => Execute($"INSERT INTO {_table} VALUES (1)"));

        Assert.That(error.Message, Does.Contain("transaction blocks not allowed in statement pooling mode"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        await using var other = await OpenAnother();
        Assert.That(await Mode.ExecuteScalar(new PgCommand($"SELECT count(*) FROM {_table}", other)), Is.EqualTo(0L));
    }

    [Test]
    public async Task A_pool_hands_a_connection_that_was_ended_that_way_to_nobody()
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Pooling=true;Maximum Pool Size=1");
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(1));
            var error = await Catch<PgException>(() => Mode.ExecuteNonQuery(new PgCommand("BEGIN", connection)));
            Assert.That(error.Message, Does.Contain("transaction blocks not allowed in statement pooling mode"));
            await Mode.Close(connection);
        }
    }
}
