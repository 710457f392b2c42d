using System.Data;

namespace Loxo.IntegrationTests.Notifications;

/// <summary>Waiting on a connection for notices and notifications.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class WaitTests(WaitMode mode) : DatabaseTest(mode)
{
    private readonly string _channel = "wait_" + Guid.NewGuid().ToString("N");
    private readonly List<PgNotificationEventArgs> _heard = [];

    [SetUp]
    public async Task Listen()
    {
        _heard.Clear();
        Connection.Notification += (_, e) => _heard.Add(e);
        await Execute($"LISTEN {_channel}");
    }

    [Test]
    public async Task It_returns_when_a_notification_has_come([Values(-1, 0, 300_000)] int timeout)
    {
        await using var other = await OpenAnother();
        var waiting = Start(() => Wait(timeout));
        await Notify(other, "hello");

        Assert.That(await waiting, Is.True);
        Assert.That(_heard.Select(one => (one.Channel, one.Payload, one.PID)), Is.EqualTo(new[] { (_channel, "hello", other.ProcessID) }));
        await AssertUsable();
    }

    [Test]
    public async Task It_returns_at_once_for_what_has_come_before()
    {
        await using var other = await OpenAnother();
        await Notify(other, "first");
        await Notify(other, "second");

        while (_heard.Count < 2)
            Assert.That(await Wait(0), Is.True);

        Assert.That(_heard.Select(one => one.Payload), Is.EqualTo(new[] { "first", "second" }));
    }

    [Test]
    public async Task False_says_that_the_time_is_over_and_nothing_is_lost([Values] bool thenBlocking)
    {
        Assert.That(await Wait(1), Is.False);
        Assert.That(await Wait(TimeSpan.FromMilliseconds(1.5)), Is.False);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        await using var other = await OpenAnother();
        await Notify(other, "later");
        Assert.That(thenBlocking ? Connection.Wait(0) : await Connection.WaitAsync(0), Is.True);
        Assert.That(_heard.Select(one => one.Payload), Is.EqualTo(new[] { "later" }));
        await AssertUsable();
    }

    [Test]
    public async Task Commands_of_either_form_work_after_a_wait_that_has_ended_early([Values] bool blocking)
    {
        var large = new string('x', 20_000_000);
        for (var i = 0; i < 3; i++)
        {
            await Wait(1);
            await using var command = new PgCommand("SELECT length($1), repeat('y', 3000000)", Connection) { Parameters = { new() { Value = large } } };
            Assert.That(blocking ? command.ExecuteScalar() : await command.ExecuteScalarAsync(), Is.EqualTo(large.Length));
        }
        await Wait(1);
        await Mode.Close(Connection);
        await Mode.Open(Connection);
        await AssertUsable();
    }

    [Test]
    public async Task A_token_ends_the_wait_and_not_the_session()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        using var cancellation = new CancellationTokenSource();
        var waiting = Connection.WaitAsync(cancellation.Token);
        await cancellation.CancelAsync();

        var error = await Catch<OperationCanceledException>(() => waiting);

        Assert.That(error.CancellationToken, Is.EqualTo(cancellation.Token));
        await Catch<OperationCanceledException>(() => Connection.WaitAsync(cancellation.Token));
        await AssertUsable();
        await Execute($"NOTIFY {_channel}, 'still there'");
        Assert.That(_heard.Single().Payload, Is.EqualTo("still there"));
    }

    [Test]
    public async Task A_session_that_is_terminated_says_so()
    {
        await using var other = await OpenAnother();
        var process = Connection.ProcessID;
        var waiting = Start(() => Wait(0));
        await Mode.ExecuteScalar(new PgCommand($"SELECT pg_terminate_backend({process})", other));

        var error = await Catch<PostgresException>(() => waiting);

        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.AdminShutdown));
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Broken));
    }

    [Test]
    public async Task Closing_the_connection_ends_it()
    {
        var waiting = Start(() => Wait(0));
        while (Connection.FullState != (ConnectionState.Open | ConnectionState.Executing))
            await Task.Yield();
        Connection.Close();

        await Catch<PgException>(() => waiting);
    }

    [Test]
    public async Task Meanwhile_no_command_runs()
    {
        var waiting = Start(() => Wait(0));
        while (Connection.FullState != (ConnectionState.Open | ConnectionState.Executing))
            await Task.Yield();
        await Catch<PgOperationInProgressException>(() => Execute("SELECT 1"));
        await using var other = await OpenAnother();
        await Notify(other, "go on");
        Assert.That(await waiting, Is.True);
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_that_has_not_begun_begins_after_it()
    {
        await using var other = await OpenAnother();
        await using (var transaction = Connection.BeginTransaction())
        {
            await Notify(other, "in between");
            Assert.That(await Wait(0), Is.True);
            await Execute($"NOTIFY {_channel}, 'committed'");
            await Mode.Commit(transaction);
        }
        Assert.That(_heard.Select(one => one.Payload), Is.EqualTo(new[] { "in between", "committed" }));
    }

    [Test]
    public void A_time_that_means_nothing_is_refused()
    {
        Assert.That(() => Connection.Wait(-2), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => Connection.Wait(TimeSpan.FromTicks(-1)), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => Connection.Wait(TimeSpan.FromDays(30)), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgConnection().Wait(), Throws.InvalidOperationException);
    }

    [Test]
    public async Task With_multiplexing_it_waits_on_the_session_that_listens()
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Multiplexing=true;Maximum Pool Size=3");
        await using var connection = await source.OpenConnectionAsync();
        var heard = new List<string>();
        connection.Notification += (_, e) => heard.Add(e.Payload);
        await Mode.ExecuteNonQuery(new PgCommand($"LISTEN {_channel}", connection));
        await Notify(Connection, "shared");
        Assert.That(await Mode.Run(() => connection.Wait(0), () => connection.WaitAsync(0)), Is.True);
        Assert.That(heard, Is.EqualTo(new[] { "shared" }));
    }

    private Task<bool> Wait(int timeout) => Mode.Run(() => Connection.Wait(timeout), () => Connection.WaitAsync(timeout));

    private Task<bool> Wait(TimeSpan timeout) => Mode.Run(() => Connection.Wait(timeout), () => Connection.WaitAsync(timeout));

    private Task<T> Start<T>(Func<Task<T>> call) => Mode == WaitMode.Async
        ? call()
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private Task Notify(PgConnection connection, string payload) =>
        Mode.ExecuteNonQuery(new PgCommand($"NOTIFY {_channel}, '{payload}'", connection));
}
