using System.Runtime.CompilerServices;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Data sources that were not disposed of before nobody had them any more: nothing keeps them alive, and their sessions end. Lanes that are open are
/// another matter: their threads wait for the server.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer"), Category("Slow")]
public sealed class ForgottenSourceTests(WaitMode mode) : PoolTest(mode)
{
    private static int _count;

    private readonly string _name = $"forgotten_source_{Environment.ProcessId}_{Interlocked.Increment(ref _count)}";

    // The timer of a session's time limits is set once for many commands, and keeps the session until it has come to its end.
    private string Text => $"{TestServer.Default.ConnectionString};SSL Mode=Disable;Application Name={_name};Timeout=2;Command Timeout=2;";

    [Test]
    public async Task A_forgotten_data_source_is_collected_and_its_sessions_end(
        [Values("", "Keepalive=1", "Minimum Pool Size=2;Connection Pruning Interval=1", "Async Engine=Reactor", "Multiplexing=true;Session Reset=Always")] string settings,
        [Values] bool hasOpenConnection)
    {
        var source = await Forget(settings, hasOpenConnection);

        await Until(() => Collect() && !source.IsAlive, "nothing keeps the data source alive");

        await Until(() => Collect() && Sessions() == 0, "its sessions have ended");
    }

    [Test]
    public async Task A_forgotten_data_source_of_several_hosts_is_collected()
    {
        var source = await Forget($"Host={TestServer.Default.Host},{TestServer.Default.Host};Target Session Attributes=prefer-standby;Host Recheck Seconds=1", false);

        await Until(() => Collect() && !source.IsAlive, "nothing keeps the data source alive");

        await Until(() => Collect() && Sessions() == 0, "its sessions have ended");
    }

    // In a method of its own, so that nothing on the test's stack keeps the source.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<WeakReference> Forget(string settings, bool hasOpenConnection)
    {
        var source = PgDataSource.Create(Text + settings);
        for (var runs = 0; runs < 5; runs++)
        {
            await using var command = source.CreateCommand("SELECT 2");
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
            await using var connection = await Rent(source);
            Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
        }
        if (hasOpenConnection)
            await Scalar(await Rent(source), "SELECT 3");
        return new WeakReference(source);
    }

    private long Sessions()
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString);
        connection.Open();
        using var command = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", connection);
        command.Parameters.AddWithValue(_name);
        return (long)command.ExecuteScalar()!;
    }

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }
}
