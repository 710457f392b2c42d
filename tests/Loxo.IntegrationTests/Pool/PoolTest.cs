using Loxo.IntegrationTests.Chaos;
using Loxo.IntegrationTests.Poolers;
using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>A test of pools that nobody else uses. What it makes is disposed of after the test.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public abstract class PoolTest(WaitMode mode)
{
    // Generous: only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly List<PgDataSource> _sources = [];
    private readonly List<IAsyncDisposable> _others = [];

    private protected WaitMode Mode { get; } = mode;

    private protected CapturedLog Log { get; } = new();

    [TearDown]
    public async Task DisposeAll()
    {
        foreach (var source in _sources)
            await Finish(source.DisposeAsync().AsTask());
        foreach (var other in Enumerable.Reverse(_others))
            await Finish(other.DisposeAsync().AsTask());
        LeakGuard.AssertNoLeak();
    }

    /// <summary>A data source with a pool of its own.</summary>
    /// <param name="settings">More keywords.</param>
    /// <param name="server">The test server's if null.</param>
    private protected PgDataSource Source(string settings = "", string? server = null)
    {
        // Tests with a proxy count messages, and those with a database of their own ask for the mode that they test.
        var target = server ?? PoolerOfTheRun.ConnectionString + LeakGuard.Mode;
        var source = new PgDataSourceBuilder($"{target};SSL Mode=Disable;{settings}").UseLoggerFactory(Log).Build();
        _sources.Add(source);
        return source;
    }

    /// <summary>Disposes of it after the test, once the data sources are.</summary>
    private protected T Keep<T>(T disposable)
        where T : IAsyncDisposable
    {
        _others.Add(disposable);
        return disposable;
    }

    /// <summary>A proxy in front of the test server.</summary>
    private protected ChaosProxy Proxy() => Keep(new ChaosProxy(TestServer.Default.Host, TestServer.Default.Port));

    private protected Task<PgConnection> Rent(PgDataSource source, CancellationToken token = default) =>
        Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync(token).AsTask());

    /// <summary>So many connections at once.</summary>
    private protected async Task<PgConnection[]> RentMany(PgDataSource source, int count)
    {
        var connections = new PgConnection[count];
        for (var i = 0; i < count; i++)
            connections[i] = await Rent(source);
        return connections;
    }

    private protected async Task CloseAll(IEnumerable<PgConnection> connections)
    {
        foreach (var connection in connections)
            await Mode.Close(connection);
    }

    private protected async Task<int> Execute(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteNonQuery(command);
    }

    private protected async Task<object?> Scalar(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }

    /// <summary>Starts a call of either form: a blocking one has a thread of its own, so that the test can go on.</summary>
    private protected Task<T> Start<T>(Func<Task<T>> call) => Finish(Mode == WaitMode.Async
        ? call()
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap());

    private protected static PoolStatistics Statistics(PgDataSource source) => source.GetPoolStatistics()!;

    /// <summary>Waits for what must come; fails the test if it does not.</summary>
    private protected static async Task Finish(Task task)
    {
        // WaitAsync alone would replace the exception of a cancelled task by one of its own.
        await Task.WhenAny(task).WaitAsync(Patience);
        await task;
    }

    /// <inheritdoc cref="Finish(Task)"/>
    private protected static async Task<T> Finish<T>(Task<T> task)
    {
        await Finish((Task)task);
        return await task;
    }

    /// <summary>Waits until something is so; fails the test if it never is.</summary>
    private protected static async Task Until(Func<bool> isSo, string what)
    {
        var end = DateTime.UtcNow + Patience;
        while (!isSo())
        {
            if (DateTime.UtcNow > end)
                throw new AssertionException($"It never came to be that {what}.");
            await Task.Delay(1);
        }
    }

    /// <summary>The messages of the pool under an event's number, which are written in the background; fails if there are not so many.</summary>
    private protected async Task<List<CapturedLog.Entry>> Logged(int eventId, int count = 1)
    {
        await Until(() => Log.Of(eventId).Count >= count, $"{count} messages {eventId} are logged");
        var entries = Log.Of(eventId);
        Assert.That(entries, Has.Count.EqualTo(count));
        return entries;
    }

    /// <summary>What a call must end with.</summary>
    private protected static async Task<T> Error<T>(Task task)
        where T : Exception
    {
        try
        {
            await task;
        }
        catch (T expected)
        {
            return expected;
        }
        throw new AssertionException($"Expected {typeof(T).Name}, but nothing was thrown.");
    }

    /// <inheritdoc cref="Error{T}(Task)"/>
    private protected static Task<T> Error<T>(Func<Task> call)
        where T : Exception => Error<T>(Run(call));

    private static async Task Run(Func<Task> call) => await call();

    /// <summary>Runs statements on a connection outside of all pools.</summary>
    private protected static async Task<object?> Aside(string connectionString, params string[] statements)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        object? last = null;
        foreach (var sql in statements)
        {
            await using var command = new PgCommand(sql, connection);
            last = await command.ExecuteScalarAsync();
        }
        return last;
    }

    /// <summary>Ends a session from outside; returns when the server process is gone, so that its farewell waits on the socket.</summary>
    private protected static async Task Terminate(int process)
    {
        var clock = Environment.TickCount64;
        await using var other = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await other.OpenAsync();
        await using var kill = new PgCommand($"SELECT pg_terminate_backend({process})", other);
        Assert.That(await kill.ExecuteScalarAsync(), Is.EqualTo(true));
        await using var count = new PgCommand($"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}", other);
        while (!Equals(await count.ExecuteScalarAsync(), 0L))
            await Task.Yield();
        // Within the tick of the clock in which a session was given back the pool does not look at it.
        await Until(() => Environment.TickCount64 != clock, "the clock moves");
    }
}
