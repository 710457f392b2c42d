namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Lanes and what needs sessions of its own share a small pool: everybody gets what is wanted.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class SmallPoolTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Callers = 64;

    [Test]
    public async Task Nobody_starves([Values(1, 2, 3)] int most)
    {
        await using var source = Create($"Maximum Pool Size={most}");
        var callers = Enumerable.Range(0, Callers).Select(caller => Call(() => Loop(source, caller))).ToList();
        foreach (var caller in callers)
            Assert.That(await caller, Is.EqualTo(30));
        var statistics = source.GetPoolStatistics()!;
        Assert.That(statistics.Total, Is.LessThanOrEqualTo(most));
        // A lane that retires is in use for a moment after it has left the list.
        Assert.That(() => source.GetPoolStatistics()!.Busy == source.Lanes!.Count, Is.True.After(10_000, 10));
    }

    [Test]
    public async Task A_pool_that_is_made_smaller_has_a_session_left_for_what_needs_one()
    {
        await using var source = Create("Maximum Pool Size=20");
        for (var end = DateTime.UtcNow.AddMinutes(1); source.Lanes!.Count < 4;)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "Four lanes have not been opened.");
            await Run(source, "SELECT 1");
            await Task.Delay(5);
        }
        source.ResizePool(0, 2);
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            await using var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
            await using var command = new PgCommand("SELECT 1", connection);
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
            await Mode.Commit(transaction);
        }
        for (var i = 0; i < 100; i++)
            await Run(source, "SELECT 1");
        await Task.Delay(50);
        Assert.That(source.Lanes.Count, Is.LessThan(2));
    }

    [Test]
    public async Task Nobody_is_lost_while_all_lanes_are_replaced()
    {
        await using var source = Create("Maximum Pool Size=10");
        using var ended = new CancellationTokenSource();
        var callers = Enumerable.Range(0, Callers / 2).Select(caller => Call(async () =>
        {
            var calls = 0;
            for (; !ended.IsCancellationRequested; calls++)
                Assert.That(await Run(source, "SELECT $1::int", caller), Is.EqualTo(caller));
            return calls;
        })).ToList();
        for (var i = 0; i < 150; i++)
        {
            await Task.Delay(10);
            source.Clear();
        }
        await ended.CancelAsync();
        foreach (var caller in callers)
            Assert.That(await caller, Is.GreaterThan(0));
        await AwaitSessions(source, source.Lanes!.Count);
    }

    [Test]
    public async Task Everybody_gets_an_answer_or_an_error_when_the_data_source_is_disposed([Values] bool drains)
    {
        for (var round = 0; round < 10; round++)
        {
            var source = Create("Maximum Pool Size=10");
            var callers = Enumerable.Range(0, Callers).Select(caller => Call(async () =>
            {
                try
                {
                    while (true)
                        Assert.That(await Run(source, "SELECT $1::int", caller), Is.EqualTo(caller));
                }
                catch (ObjectDisposedException)
                {
                    return true;
                }
            })).ToList();
            await Task.Delay(100 + (round * 7));
            if (drains)
                Assert.That(await source.DrainAsync(TimeSpan.FromSeconds(30)), Is.True);
            await Mode.Run(source.Dispose, () => source.DisposeAsync().AsTask());
            foreach (var caller in callers)
                Assert.That(await caller, Is.True);
            await AwaitSessions(source, 0);
        }
    }

    [Test]
    public async Task A_lane_that_is_terminated_again_and_again_leaves_no_session_behind()
    {
        await using var source = Create("Maximum Pool Size=8");
        using var ended = new CancellationTokenSource();
        var callers = Enumerable.Range(0, Callers).Select(caller => Call(async () =>
        {
            var answers = 0;
            while (!ended.IsCancellationRequested)
            {
                try
                {
                    Assert.That(await Run(source, "SELECT $1::int", caller), Is.EqualTo(caller));
                    answers++;
                }
                catch (PgException)
                {
                }
            }
            return answers;
        })).ToList();
        for (var i = 0; i < 40; i++)
        {
            await Task.Delay(25);
            await Scalar<long>("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'small'");
        }
        await ended.CancelAsync();
        foreach (var caller in callers)
            Assert.That(await caller, Is.GreaterThan(0));
        await AwaitSessions(source, source.Lanes!.Count);
        Assert.That(await Run(source, "SELECT 1"), Is.EqualTo(1));
    }

    // Plain statements, transactions, statements that change their session, and texts that have never run.
    private async Task<int> Loop(PgDataSource source, int caller)
    {
        var count = 0;
        for (var i = 0; i < 30; i++)
        {
            switch ((caller + i) % 5)
            {
                case 0:
                    await using (var connection = source.CreateConnection())
                    {
                        await Mode.Open(connection);
                        await using var transaction =
                            await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
                        await using var command = new PgCommand($"SELECT {caller}", connection);
                        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(caller));
                        await Mode.Commit(transaction);
                    }
                    break;
                case 1:
                    await using (var connection = source.CreateConnection())
                    {
                        await Mode.Open(connection);
                        await using var command = new PgCommand("SET application_name = 'changed'", connection);
                        await Mode.ExecuteNonQuery(command);
                    }
                    break;
                case 2:
                    Assert.That(await Run(source, $"SELECT {caller} + {i}"), Is.EqualTo(caller + i));
                    break;
                default:
                    Assert.That(await Run(source, "SELECT $1::int", i), Is.EqualTo(i));
                    break;
            }
            count++;
        }
        return count;
    }

    private static PgDataSource Create(string more) =>
        PgDataSource.Create($"{TestServer.Default.ConnectionString};Multiplexing=true;Session Reset=Auto;Application Name=small;{more}");

    private static async Task AwaitSessions(PgDataSource source, int busy)
    {
        for (var i = 0; i < 200 && source.GetPoolStatistics()!.Busy != busy; i++)
        {
            await Task.Delay(20);
            busy = source.Lanes!.Count;
        }
        Assert.That(source.GetPoolStatistics()!.Busy, Is.EqualTo(busy), "sessions that nobody gives back");
    }

    private async Task<object?> Run(PgDataSource source, string sql, params object[] values)
    {
        await using var command = source.CreateCommand(sql);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter { Value = value });
        return await Mode.ExecuteScalar(command);
    }

    private Task<T> Call<T>(Func<Task<T>> call) => Mode == WaitMode.Async
        ? Task.Run(call)
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
