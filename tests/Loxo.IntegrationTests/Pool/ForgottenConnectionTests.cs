using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Hazard P10: connections that were not closed before nobody had them any more.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ForgottenConnectionTests(WaitMode mode) : PoolTest(mode)
{
    private const string OneSession = "Maximum Pool Size=1;Timeout=60;Connection Pruning Interval=1";

    [Test]
    public async Task A_forgotten_connection_is_recovered_and_logged()
    {
        var source = Source(OneSession);
        var process = await Forget(source, inTransaction: false);

        await Recovered(source);

        var next = await Rent(source);
        Assert.That(next.ProcessID, Is.Not.EqualTo(process));
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
        var entry = (await Logged(2004)).Single();
        Assert.That(entry.Level, Is.EqualTo(LogLevel.Error));
        Assert.That(entry.Text, Does.Contain($"{process}").And.Contains("Dispose"));
    }

    [Test]
    public async Task A_forgotten_transaction_is_rolled_back()
    {
        var source = Source(OneSession);
        await Forget(source, inTransaction: true);

        await Recovered(source);

        // Waits until the transaction that has the lock is over.
        await Finish(Aside(TestServer.Default.ConnectionString, "SELECT pg_advisory_xact_lock(4713)"));
    }

    [Test]
    public async Task Whoever_waits_gets_the_place_of_a_forgotten_connection()
    {
        var source = Source(OneSession);
        await Forget(source, inTransaction: false);
        var waiting = Start(() => Rent(source));

        await Recovered(source);

        var connection = await waiting;
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_connection_forgotten_with_its_reader_is_recovered([Values] bool readToTheEnd)
    {
        var source = Source(OneSession);
        await ForgetReader(source, readToTheEnd);

        await Recovered(source);

        await Logged(2004);
        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_connection_that_broke_and_was_forgotten_is_recovered()
    {
        var source = Source(OneSession);
        await ForgetBroken(source);

        await Recovered(source);

        var next = await Rent(source);
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(next);
    }

    [Test]
    public async Task A_connection_that_broke_keeps_no_place_although_it_is_never_closed()
    {
        // Somebody waits for the place, so the pool looks for it long before its maintenance is due.
        var source = Source("Maximum Pool Size=1;Timeout=60;Connection Pruning Interval=3600");
        var broken = await Rent(source);
        await Break(broken);
        Assert.That(broken.State, Is.EqualTo(System.Data.ConnectionState.Closed));

        var next = await Rent(source);

        Assert.That(Statistics(source).Closed[Loxo.Pooling.CloseReason.Broken], Is.EqualTo(1));
        await Mode.Close(broken);
        Assert.That(await Scalar(next, "SELECT 42"), Is.EqualTo(42));
        Assert.That(Statistics(source).Busy, Is.EqualTo(1));
        await Mode.Close(next);
        await Mode.Open(broken);
        Assert.That(await Scalar(broken, "SELECT 43"), Is.EqualTo(43));
        await Mode.Close(broken);
    }

    [Test]
    public async Task A_connection_of_which_only_the_running_command_is_known_is_left_alone()
    {
        await using var gate = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await gate.OpenAsync();
        await Execute(gate, "SELECT pg_advisory_lock(4714)");
        var source = Source("Maximum Pool Size=2;Connection Pruning Interval=1;Connection Idle Lifetime=1");
        var running = RunAndForget(source);

        // That the idle one is gone shows that the pool was looked after.
        for (var i = 0; i < 2; i++)
        {
            var idle = Statistics(source).Closed[Loxo.Pooling.CloseReason.Idle];
            await CloseAll([await Rent(source)]);
            await Until(() => Collect() && Statistics(source).Closed[Loxo.Pooling.CloseReason.Idle] > idle, "the pool is looked after");
        }
        Assert.That(running.IsCompleted, Is.False);
        await Execute(gate, "SELECT pg_advisory_unlock_all()");

        Assert.That(await running, Is.EqualTo("done"));
    }

    [Test]
    public async Task A_connection_that_is_only_kept_is_never_taken_away()
    {
        var source = Source("Maximum Pool Size=2;Connection Pruning Interval=1;Connection Idle Lifetime=1");
        var connections = await RentMany(source, 2);
        await Mode.Close(connections[1]);

        await Until(() => Collect() && Statistics(source).Closed[Loxo.Pooling.CloseReason.Idle] == 1, "the pool is looked after");

        Assert.That(await Scalar(connections[0], "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connections[0]);
        Assert.That(Statistics(source).Abandoned, Is.Zero);
    }

    private static Task Recovered(PgDataSource source) => Until(() => Collect() && Statistics(source).Abandoned == 1, "the session is recovered");

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }

    // In methods of their own, so that nothing on the test's stack keeps what is forgotten.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<int> Forget(PgDataSource source, bool inTransaction)
    {
        var connection = await Rent(source);
        if (inTransaction)
        {
            connection.BeginTransaction();
            await Scalar(connection, "SELECT pg_advisory_xact_lock(4713)");
        }
        return connection.ProcessID;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task ForgetBroken(PgDataSource source) => await Break(await Rent(source));

    private async Task Break(PgConnection connection) =>
        Assert.That(await Error<PostgresException>(() => Scalar(connection, "SELECT pg_terminate_backend(pg_backend_pid())")), Is.Not.Null);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task ForgetReader(PgDataSource source, bool readToTheEnd)
    {
        var connection = await Rent(source);
        var command = new PgCommand("SELECT repeat('x', 1000) FROM generate_series(1, 5000)", connection);
        var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader) && readToTheEnd)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Task<object?> RunAndForget(PgDataSource source) => Start(async () =>
    {
        var connection = await Rent(source);
        return await Mode.ExecuteScalar(new PgCommand("SELECT pg_advisory_xact_lock_shared(4714)::text || 'done'", connection) { CommandTimeout = 0 });
    });
}
