using System.Data;

namespace Loxo.IntegrationTests.Batches;

/// <summary>A batch's calls in either form, and a table to work on.</summary>
public abstract class BatchTest(WaitMode mode) : DatabaseTest(mode)
{
    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE item (id int PRIMARY KEY, name text)");

    protected PgBatch Batch(params string[] texts)
    {
        var batch = new PgBatch(Connection);
        foreach (var text in texts)
            batch.BatchCommands.Add(new PgBatchCommand(text));
        return batch;
    }

    /// <summary>For LINQ, to which the collection is one of DbBatchCommand as well.</summary>
    protected static IEnumerable<PgBatchCommand> Commands(PgBatch batch) => batch.BatchCommands;

    protected Task<int> NonQuery(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());

    protected Task<PgDataReader> Reader(PgBatch batch, CommandBehavior behavior = CommandBehavior.Default) =>
        Mode.Run(() => batch.ExecuteReader(behavior), () => batch.ExecuteReaderAsync(behavior));

    /// <summary>The first column of the first row of each result.</summary>
    protected async Task<List<object>> FirstColumns(PgBatch batch)
    {
        var values = new List<object>();
        var reader = await Reader(batch);
        do
        {
            Assert.That(await Mode.Read(reader), Is.True);
            values.Add(reader.GetValue(0));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        return values;
    }

    protected async Task<int[]> Ids() => [.. (await Rows("SELECT id FROM item ORDER BY id")).Select(row => (int)row[0]!)];
}
