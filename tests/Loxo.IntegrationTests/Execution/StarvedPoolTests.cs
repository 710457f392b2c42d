namespace Loxo.IntegrationTests.Execution;

/// <summary>Blocking calls while no thread of the pool is to be had: whatever in them needs one would never come to its end.</summary>
[NonParallelizable]
public class StarvedPoolTests
{
    // Far more than the pool adds threads (about two a second) while a test runs.
    private const int Blockers = 500;

    [Test, CancelAfter(300_000)]
    public void Blocking_calls_need_no_thread_of_the_pool([Values] bool tls)
    {
        var connectionString = tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : TestServer.Default.ConnectionString;
        // A thread of its own: the test's own thread may be one of the pool's.
        Exception? failure = null;
        var thread = new Thread(() => failure = Catch(() => UseEverything(connectionString)));

        // Not disposed: those that have not had their turn by then still ask it.
        var release = new ManualResetEventSlim();
        for (var i = 0; i < Blockers; i++)
            ThreadPool.UnsafeQueueUserWorkItem(static state => state.Wait(), release, preferLocal: false);
        try
        {
            thread.Start();
            thread.Join();

            Assert.That(failure, Is.Null);
            Assert.That(ThreadPool.PendingWorkItemCount, Is.GreaterThan(0), "the pool was not starved to the end");
        }
        finally
        {
            release.Set();
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

    private static void UseEverything(string connectionString)
    {
        using var connection = new PgConnection(connectionString + ";Cancellation Timeout=30000");
        connection.Open();
        using (var transaction = connection.BeginTransaction())
        {
            using var rows = new PgCommand("SELECT i, repeat('x', 1000) FROM generate_series(1, 5000) i", connection);
            using (var reader = rows.ExecuteReader())
            {
                while (reader.Read())
                    Assert.That(reader.GetString(1), Has.Length.EqualTo(1000));
            }
            transaction.Save("here");
            transaction.Rollback("here");
            transaction.Commit();
        }
        using var large = new PgCommand("SELECT length($1)", connection);
        large.Parameters.Add(new PgParameter(null, new string('x', 5_000_000)));
        large.Prepare();
        Assert.That(large.ExecuteScalar(), Is.EqualTo(5_000_000));

        using var slow = new PgCommand("SELECT pg_sleep(60)", connection) { CommandTimeout = 1 };
        Assert.That(Assert.Throws<PgException>(() => slow.ExecuteNonQuery())!.Code, Is.EqualTo(PgErrorCode.Timeout));
        using var after = new PgCommand("SELECT 42", connection);
        Assert.That(after.ExecuteScalar(), Is.EqualTo(42));
    }
}
