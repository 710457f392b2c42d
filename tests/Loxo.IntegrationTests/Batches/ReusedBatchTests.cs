namespace Loxo.IntegrationTests.Batches;

[TestFixture]
public class ReusedBatchTests() : BatchTest(WaitMode.Blocking)
{
    [Test]
    public async Task A_prepared_batch_that_runs_again_allocates_nothing()
    {
        await using var batch = new PgBatch(Connection);
        var id = new PgParameter<int> { TypedValue = 0 };
        batch.BatchCommands.Add(new PgBatchCommand("INSERT INTO item VALUES ($1, 'a')") { Parameters = { id } });
        batch.BatchCommands.Add(new PgBatchCommand("UPDATE item SET name = 'b' WHERE id = $1") { Parameters = { new PgParameter<int> { TypedValue = 3 } } });
        batch.BatchCommands.Add(new PgBatchCommand("DELETE FROM item"));
        await batch.PrepareAsync();
        Run(100);
        // Once more: what is written when the first hundred made a method worth optimizing is not the batch's.
        var allocated = Enumerable.Range(0, 5).Min(_ => Run(1_000));

        Assert.That(allocated, Is.LessThan(1_000), "bytes for 1,000 executions");

        long Run(int count)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < count; i++)
            {
                id.TypedValue = i;
                batch.ExecuteNonQuery();
            }
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }
}
