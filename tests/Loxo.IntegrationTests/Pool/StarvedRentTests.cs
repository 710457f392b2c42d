namespace Loxo.IntegrationTests.Pool;

/// <summary>Hazard P4: blocking renters wait for each other's connections while no thread of the thread pool is to be had.</summary>
[NonParallelizable]
public class StarvedRentTests
{
    // Far more than the pool adds threads (about two a second) while a test runs.
    private const int Blockers = 500;
    private const int Renters = 4;
    private const int Rounds = 50;

    [Test, CancelAfter(300_000)]
    public void Blocking_renters_need_no_thread_of_the_pool_to_get_their_turn([Values] SessionReset reset)
    {
        using var source = PgDataSource.Create(TestServer.Default.ConnectionString + $";Maximum Pool Size=1;Timeout=50;Session Reset={reset}");
        var failures = new Exception?[Renters];
        var threads = Enumerable.Range(0, Renters).Select(i => new Thread(() => failures[i] = Catch(() => Use(source, byAsyncClose: i % 2 == 1)))).ToList();

        // Not disposed: those that have not had their turn by then still ask it.
        var release = new ManualResetEventSlim();
        for (var i = 0; i < Blockers; i++)
            ThreadPool.UnsafeQueueUserWorkItem(static state => state.Wait(), release, preferLocal: false);
        try
        {
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => thread.Join());

            Assert.That(failures, Is.All.Null);
            Assert.That(ThreadPool.PendingWorkItemCount, Is.GreaterThan(0), "the pool was not starved to the end");
            Assert.That(source.GetPoolStatistics()!.Opened, Is.EqualTo(1));
        }
        finally
        {
            release.Set();
        }
    }

    private static void Use(PgDataSource source, bool byAsyncClose)
    {
        for (var round = 0; round < Rounds; round++)
        {
            var connection = source.OpenConnection();
            using (var command = new PgCommand("SELECT 42", connection))
                Assert.That(command.ExecuteScalar(), Is.EqualTo(42));
            if (byAsyncClose)
                Assert.That(connection.CloseAsync().IsCompletedSuccessfully, Is.True);
            else
                connection.Close();
        }
    }

    private static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
