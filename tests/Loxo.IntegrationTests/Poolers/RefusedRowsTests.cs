namespace Loxo.IntegrationTests.Poolers;

/// <summary>Rows of a COPY behind pgbouncer that the server refuses while others are still on their way.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class RefusedRowsTests(WaitMode mode) : PoolerTest(mode, PgBouncer.Aware, Pooler.Transaction)
{
    private string _table = "";

    [SetUp]
    public async Task CreateTable()
    {
        _table = "pooler_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int CHECK (id <> 100), name text)");
    }

    [TearDown]
    public Task DropTable() => Execute($"DROP TABLE {_table}");

    [Test]
    public async Task The_rows_behind_them_stay_in_the_server_process_and_the_connection_is_usable([Values] bool inTransaction)
    {
        var sql = $"COPY {_table} FROM STDIN (FORMAT binary)";
        var text = new string('x', 1000);
        for (var round = 0; round < 20; round++)
        {
            var transaction = inTransaction
                ? await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync())
                : null;
            var importer = await Mode.Run(() => Connection.BeginBinaryImport(sql), () => Connection.BeginBinaryImportAsync(sql));
            var error = await Catch<PostgresException>(async () =>
            {
                for (var i = 0; i < 20_000; i++)
                    await Mode.Run(() => importer.WriteRow(i, text), () => importer.WriteRowAsync(default, i, text));
                await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
            });
            await Mode.Dispose(importer);
            Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.CheckViolation, 100L)));
            if (transaction is not null)
                await Mode.Rollback(transaction);
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.Zero);
            await AssertUsable();
        }
    }
}
