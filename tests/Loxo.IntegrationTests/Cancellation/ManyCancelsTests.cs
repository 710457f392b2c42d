using System.Data;
using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>Cancelling costs the caller nothing and leaves nothing behind, however many do it and whatever the server does.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ManyCancelsTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task Cancelling_where_nobody_answers_blocks_nobody_and_leaves_no_thread()
    {
        const int count = 100;
        var connections = new List<(PgConnection Connection, Task Running, PgCommand Command)>();
        for (var i = 0; i < count; i++)
        {
            var (connection, link) = await Open("Cancellation Timeout=300");
            link.ToClient.GateAfterBytes(0);
            var command = new PgCommand("SELECT 1", connection) { CommandTimeout = 0 };
            var sent = link.ToServer.Saw('S');
            connections.Add((connection, Start(() => Mode.ExecuteScalar(command)), command));
            // A command that has not begun cannot be cancelled.
            await Finish(sent);
        }
        Proxy.Plan = cancel => cancel.ToServer.GateAfterBytes(0);

        foreach (var (_, _, command) in connections)
            command.Cancel();

        foreach (var (connection, running, command) in connections)
        {
            await Error<OperationCanceledException>(running);
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            command.Dispose();
        }
        // A thread of the pool is free again: nothing of the cancelling occupies one.
        await Finish(Task.Run(() => { }));
    }

    [Test]
    public async Task A_token_of_many_commands_cancels_all_of_them_at_once()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        using var cancellation = new CancellationTokenSource();
        var running = new List<(PgConnection Connection, Task Task)>();
        for (var i = 0; i < 30; i++)
        {
            var (connection, link) = await Open();
            var sent = link.ToServer.Saw('S');
            var command = new PgCommand("SELECT pg_sleep(600)", connection);
            running.Add((connection, Start(() => command.ExecuteNonQueryAsync(cancellation.Token))));
            await Finish(sent);
        }
        await AllAsleep(running.ConvertAll(one => one.Connection.ProcessID));

        await cancellation.CancelAsync();

        foreach (var (connection, task) in running)
        {
            await Error<OperationCanceledException>(task);
            await AssertUsable(connection);
        }
    }

    [Test]
    public async Task Reset_cancel_and_close_may_come_at_once_from_three_threads()
    {
        for (var round = 0; round < 50; round++)
        {
            // A proxy for each round: the number of a link would not tell a late cancel of the round before from this round's session.
            await using var proxy = new ChaosProxy(TestServer.Default.Host, TestServer.Default.Port);
            using var connection = new PgConnection(proxy.ConnectionString(Direct + ";SSL Mode=Disable;Cancellation Timeout=200"));
            await Start(() => Mode.Open(connection));
            var link = await Finish(proxy.Link(0));
            using var command = new PgCommand("SELECT i, repeat('x', 1000) FROM (SELECT generate_series(1, 1000000) i) streamed", connection);
            var seen = link.ToClient.Saw('D', round * 10 + 1);
            var reading = Start(async () =>
            {
                var reader = await Mode.ExecuteReader(command);
                while (await Mode.Read(reader))
                {
                }
            });
            await Finish(seen);

            using var together = new Barrier(3);
            await Finish(Task.WhenAll(
                OnThread(together, link.Reset),
                OnThread(together, command.Cancel),
                OnThread(together, connection.Close)));

            var error = await Error<Exception>(reading);
            Assert.That(error, Is.InstanceOf<PgException>().Or.InstanceOf<OperationCanceledException>().Or.InstanceOf<InvalidOperationException>());
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        }
    }

    [Test]
    public async Task A_token_cancelled_between_two_reads_ends_reading_and_leaves_the_connection_usable()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        var (connection, _) = await Open();
        using var cancellation = new CancellationTokenSource();
        await using var command = new PgCommand("SELECT i, pg_sleep(0.001) FROM generate_series(1, 500) i", connection);

        await Error<OperationCanceledException>(Start(async () =>
        {
            await using var reader = await command.ExecuteReaderAsync(cancellation.Token);
            while (await reader.ReadAsync(cancellation.Token))
                cancellation.Cancel();
        }));

        await AssertUsable(connection);
    }

    private static Task OnThread(Barrier together, Action action) => Task.Factory.StartNew(() =>
    {
        together.SignalAndWait();
        action();
    }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static async Task AllAsleep(List<int> processes)
    {
        await using var other = new PgConnection(TestServer.Default.ConnectionString);
        await other.OpenAsync();
        await using var command = new PgCommand("SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = ANY ($1)", other);
        command.Parameters.Add(new PgParameter(null, processes.ToArray()));
        while (!Equals(await command.ExecuteScalarAsync(), processes.Count))
            await Task.Yield();
    }
}
