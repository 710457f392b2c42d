using System.Data;
using System.Diagnostics;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A thousand cancel requests at once, none of which is answered, cost no threads.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer"), Category("Slow")]
public class ThousandCancelsTests(WaitMode mode)
{
    private const int Count = 1000;

    // The thread pool has some threads more or less at any time.
    private const int FewThreads = 40;

    private readonly List<(PgConnection Connection, PgCommand Command, Task Running)> _sessions = [];

    [TearDown]
    public async Task CloseAll()
    {
        foreach (var (connection, command, _) in _sessions)
        {
            await command.DisposeAsync();
            await connection.DisposeAsync();
        }
        _sessions.Clear();
        WaitModeCalls.AssertNoneUsedItsContext();
    }

    [Test]
    public async Task Unanswered_cancels_wait_without_threads_and_all_commands_end([Values] bool byToken)
    {
        if (byToken && mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        await using var server = new SilentServer();
        using var cancellation = new CancellationTokenSource();
        for (var i = 0; i < Count; i++)
            await Run(server, cancellation.Token);
        await Until(() => server.Commands == Count);
        var before = Threads();

        if (byToken)
            await cancellation.CancelAsync();
        foreach (var (_, command, _) in _sessions)
            command.Cancel();
        await Until(() => server.Cancels >= Count);
        var during = Threads();
        // A thread of the pool is free: none waits for an answer.
        await Task.Run(() => { });
        await server.DisposeAsync();

        foreach (var (connection, _, running) in _sessions)
        {
            var error = await ErrorOf(running);
            Assert.That(error, Is.InstanceOf<OperationCanceledException>().Or.InstanceOf<PgException>());
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        }
        Assert.That(during - before, Is.LessThan(FewThreads), $"{before} threads before, {during} while {Count} cancel requests waited");
    }

    private async Task Run(SilentServer server, CancellationToken token)
    {
        var connection = new PgConnection(server.ConnectionString + ";Cancellation Timeout=600000");
        await mode.Open(connection, CancellationToken.None);
        var command = new PgCommand("SELECT 1", connection);
        // A blocking call has a thread of its own, which the program has given it.
        var running = mode == WaitMode.Async
            ? command.ExecuteScalarAsync(token)
            : Task.Factory.StartNew(command.ExecuteScalar, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        _sessions.Add((connection, command, running));
    }

    private static async Task<Exception?> ErrorOf(Task task)
    {
        try
        {
            await task;
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private static int Threads()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }

    // Generous: only a hang should meet it.
    private static async Task Until(Func<bool> isSo)
    {
        for (var end = DateTime.UtcNow.AddMinutes(2); !isSo();)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "It never came to be.");
            await Task.Delay(10);
        }
    }
}
