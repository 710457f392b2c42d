using System.Data;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>A test with a proxy between driver and server. Nothing is opened before the test asks for it.</summary>
public abstract class ChaosTest(WaitMode mode)
{
    // Generous: only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly List<PgConnection> _connections = [];

    private protected WaitMode Mode { get; } = mode;

    private protected ChaosProxy Proxy { get; private set; } = null!;

    /// <summary>The server behind the proxy, as a connection string.</summary>
    private protected virtual string Direct => TestServer.Default.ConnectionString;

    [SetUp]
    public void StartProxy()
    {
        var direct = new PgConnectionStringBuilder(Direct);
        Proxy = new ChaosProxy(direct.Host!, direct.Port);
    }

    [TearDown]
    public async Task StopProxy()
    {
        foreach (var connection in _connections)
            await Finish(connection.DisposeAsync().AsTask());
        _connections.Clear();
        await Finish(Proxy.DisposeAsync().AsTask());
    }

    /// <summary>A connection through the proxy, not yet open, disposed of after the test. TLS is off unless <paramref name="settings"/> say so.</summary>
    private protected PgConnection Create(string settings = "")
    {
        var connection = new PgConnection(Proxy.ConnectionString($"SSL Mode=Disable;{Direct};{settings}"));
        _connections.Add(connection);
        return connection;
    }

    /// <summary>An open connection through the proxy, and its link.</summary>
    private protected async Task<(PgConnection Connection, ChaosLink Link)> Open(string settings = "")
    {
        var number = Proxy.Count;
        var connection = Create(settings);
        await Start(() => Mode.Open(connection));
        // As after an audit: the first run of a query is then its only exchange, and the bytes that a test holds back are its own.
        connection.Session!.Context.Database.HidesNothing = static _ => true;
        return (connection, await Proxy.Link(number));
    }

    /// <summary>Starts a call of either form: a blocking one has a thread of its own, so that the test can go on.</summary>
    private protected Task Start(Func<Task> call) => Finish(Mode == WaitMode.Async
        ? call()
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap());

    /// <inheritdoc cref="Start(Func{Task})"/>
    private protected async Task<T> Start<T>(Func<Task<T>> call)
    {
        var result = default(T);
        await Start(async () => { result = await call(); });
        return result!;
    }

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

    /// <summary>What a task must end with.</summary>
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

    private protected Task<object?> Scalar(PgConnection connection, string sql) => Start(async () =>
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    });

    private protected async Task AssertUsable(PgConnection connection)
    {
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
    }

    /// <summary>It says that it is closed, refuses work with a reason, can be closed and opened again.</summary>
    private protected async Task AssertClosedButReusable(PgConnection connection)
    {
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        var refusal = await Error<Exception>(Scalar(connection, "SELECT 1"));
        Assert.That(refusal, Is.InstanceOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ConnectionClosed));
        Proxy.Plan = null;
        await Start(() => Mode.Close(connection));
        await Start(() => Mode.Open(connection));
        await AssertUsable(connection);
    }
}
