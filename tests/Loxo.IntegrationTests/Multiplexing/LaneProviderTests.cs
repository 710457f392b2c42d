using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>The program's code for logins throws where a lane is opened, which is a blocking call: the program only awaits.</summary>
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneProviderTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Lanes_are_opened_with_a_password_provider_that_is_asynchronous_only()
    {
        using var log = new CapturedLog();
        var builder = Builder(log);
        builder.UsePasswordProvider(static _ => throw new NotSupportedException("Await it."), static (_, _) => new("secret"));
        await AssertRunsInLanes(builder, log);
    }

    [Test]
    public async Task Lanes_are_opened_with_a_credential_provider_that_is_asynchronous_only()
    {
        using var log = new CapturedLog();
        var builder = Builder(log);
        builder.UseCredentialProvider(static _ => throw new NotSupportedException("Await it."), static (_, _) => new(new PgCredential("secret")));
        await AssertRunsInLanes(builder, log);
    }

    [Test]
    public async Task Lanes_are_opened_with_an_initializer_that_is_asynchronous_only()
    {
        using var log = new CapturedLog();
        var builder = Builder(log);
        builder.UsePhysicalConnectionInitializer(static _ => throw new NotSupportedException("Await it."), static _ => Task.CompletedTask);
        await AssertRunsInLanes(builder, log);
    }

    [Test]
    public async Task A_lane_that_cannot_be_opened_is_logged_and_opened_later()
    {
        var fails = true;
        using var log = new CapturedLog();
        var builder = Builder(log);
        builder.UsePhysicalConnectionInitializer(
            _ =>
            {
                if (Volatile.Read(ref fails))
                    throw new NotSupportedException("Not yet.");
            },
            static _ => Task.CompletedTask);
        await using var source = builder.Build();
        await using (var connection = await source.OpenConnectionAsync())
        {
            await using var transaction = await connection.BeginTransactionAsync();
            await using var command = new PgCommand("SELECT 1", connection);
            await command.ExecuteScalarAsync();
            // No session is idle, so the pool itself opens one for the lane.
            do
            {
                source.Lanes!.Choose(reads: true);
                await Task.Delay(10);
            }
            while (log.Of(2301).Count < 2);
        }
        Assert.That(log.Of(2301).Select(static entry => entry.Error), Is.All.TypeOf<NotSupportedException>());
        Volatile.Write(ref fails, false);
        await AwaitLane(source);
    }

    private static PgDataSourceBuilder Builder(CapturedLog log)
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Multiplexing=true;Session Reset=Auto");
        builder.UseLoggerFactory(log);
        return builder;
    }

    private static async Task AssertRunsInLanes(PgDataSourceBuilder builder, CapturedLog log)
    {
        await using var source = builder.Build();
        await AwaitLane(source);
        await using var command = source.CreateCommand("SELECT 42");
        var before = source.GetLaneStatistics()!.Commands;
        for (var i = 0; i < 3; i++)
            Assert.That(await command.ExecuteScalarAsync(), Is.EqualTo(42));
        Assert.That(source.GetLaneStatistics()!.Commands, Is.GreaterThan(before));
        // With the reactor an asynchronous call opens a session that serves a lane as well as any.
        Assert.That(log.Of(2302).Count > 0, Is.EqualTo(source.Lanes!.AnySession!.Wire.Channel.IsWatched));
    }

    private static async Task AwaitLane(PgDataSource source)
    {
        while (source.Lanes!.Count == 0)
        {
            await using var command = source.CreateCommand("SELECT 1");
            await command.ExecuteScalarAsync();
            await Task.Delay(10);
        }
    }
}
