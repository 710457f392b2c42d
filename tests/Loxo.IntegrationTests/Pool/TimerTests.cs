using System.Runtime.CompilerServices;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Hazard P12: a timer, a thread or a callback that lives as long as a data source keeps the AsyncLocals of whoever happened to cause it,
/// such as those of a web request, alive for as long.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class TimerTests(WaitMode mode) : PoolTest(mode)
{
    [Test]
    public async Task A_data_source_keeps_no_AsyncLocal_of_its_first_user_alive(
        [Values("", "Keepalive=1", "Multiplexing=true;Session Reset=Auto", "Command Timeout=30;Connection Lifetime=60;Minimum Pool Size=2")] string settings,
        [Values] bool asksForPasswords)
    {
        var (source, local) = await Use(settings, asksForPasswords);

        await Until(() => Collect() && !local.IsAlive, "nothing keeps the value alive");

        var connection = await Rent(source);
        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    // The value of the AsyncLocal is seen by whatever begins in here.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<(PgDataSource Source, WeakReference Local)> Use(string settings, bool asksForPasswords)
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var weak = new WeakReference(local.Value);
        var source = asksForPasswords ? Asking(settings) : Source(settings);
        for (var runs = 0; runs < 5 || source.Lanes is { Count: 0 }; runs++)
        {
            using var token = new CancellationTokenSource();
            var connection = await Rent(source, token.Token);
            Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
            await Mode.Close(connection);
            await using var command = source.CreateCommand("SELECT 2");
            Assert.That(await Mode.ExecuteScalar(command, token.Token), Is.EqualTo(2));
        }
        return (source, weak);
    }

    private PgDataSource Asking(string settings)
    {
        var builder = new PgDataSourceBuilder($"{TestServer.Passwords.ConnectionString};SSL Mode=Disable;{settings}");
        builder.ConnectionStringBuilder.Username = TestServer.ScramUser;
        builder.ConnectionStringBuilder.Password = null;
        builder.UsePeriodicPasswordProvider((_, _) => new(TestServer.Password), TimeSpan.FromHours(1), TimeSpan.FromHours(1));
        return Keep(builder.Build());
    }

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }
}
