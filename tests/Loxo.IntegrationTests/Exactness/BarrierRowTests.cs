namespace Loxo.IntegrationTests.Exactness;

/// <summary>Each row belongs to the result of its own statement, also when the statement before it failed between two of its rows.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BarrierRowTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Rows_behind_a_barrier_are_not_rows_of_the_statement_that_failed([Values(2, 3, 900)] int failing, [Values] bool reads)
    {
        await using var batch = new PgBatch(Connection) { EnableErrorBarriers = true };
        batch.BatchCommands.Add(new PgBatchCommand($"SELECT i + 0 / ({failing} - i) FROM generate_series(1, 1000) i"));
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 7000"));
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 8000 UNION ALL SELECT 8001"));
        var results = new List<List<int>>();

        var error = await Catch<PostgresException>(async () =>
        {
            var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                results.Add([]);
                while ((reads || results.Count > 1) && await Mode.Read(reader))
                    results[^1].Add(reader.GetInt32(0));
            }
            while (await Mode.NextResult(reader));
            await Mode.Close(reader);
        });

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        int[][] expected = [reads ? [.. Enumerable.Range(1, failing - 1)] : [], [7000], [8000, 8001]];
        Assert.That(results, Is.EqualTo(expected));
        await AssertUsable();
    }
}
