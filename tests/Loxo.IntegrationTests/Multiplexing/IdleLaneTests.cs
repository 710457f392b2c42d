using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>What becomes of a lane that has nothing to do.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class IdleLaneTests(WaitMode mode) : LaneTest(mode)
{
    private const int Kept = 64 * 1024;

    [Test]
    public async Task It_gives_the_memory_of_a_large_value_back()
    {
        const string Sql = "SELECT repeat('x', $1)";
        // The first run of a text takes a session of its own.
        await Run(Sql, 1);
        for (var before = Source.GetLaneStatistics()!.Commands; Source.GetLaneStatistics()!.Commands < before + 3;)
            Assert.That(await Run(Sql, 200_000), Has.Length.EqualTo(200_000));

        await Until(() => Source.Lanes!.All.All(static lane => lane.Session.Wire.Input.Buffer.Length <= Kept));
    }

    [Test]
    public async Task It_ends_after_the_idle_lifetime_if_there_are_more_than_the_minimum()
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Session Reset=Auto;Connection Idle Lifetime=1");
        await using var source = builder.UseLanes(static lanes => (lanes.Minimum, lanes.Maximum) = (1, 8)).Build();
        await AwaitLane(source);
        // A slow statement lets another lane be opened, and is slow for a minute then.
        for (var i = 0; source.GetLaneStatistics()!.QueryLanes < 2; i++)
        {
            var sql = $"SELECT pg_sleep($1) /* {i} */";
            await Run(source, sql, 0.0);
            var slow = Call(() => Run(source, sql, 0.3));
            while (!slow.IsCompleted)
            {
                source.Lanes!.Choose(reads: true);
                await Task.Delay(10);
            }
            await slow;
        }

        await Until(() => source.GetLaneStatistics() is { QueryLanes: 1 });

        Assert.That(await Run(source, "SELECT 42"), Is.EqualTo(42));
    }

    [Test]
    public async Task With_Keepalive_it_is_closed_when_its_server_process_has_gone()
    {
        await using var source = PgDataSource.Create(Lanes + ";Multiplexing=true;Session Reset=Auto;Keepalive=1");
        await AwaitLane(source);
        await Run(source, "SELECT 42");
        var lanes = ProcessesOf(source);
        Assert.That(lanes, Is.Not.Empty);
        foreach (var process in lanes)
            await Execute("SELECT pg_terminate_backend($1)", process);

        await Until(() => !ProcessesOf(source).Intersect(lanes).Any());

        for (var i = 0; i < 10; i++)
            Assert.That(await Run(source, "SELECT 42"), Is.EqualTo(42));
    }

    [Test, Platform("Linux")]
    public async Task With_Keepalive_it_is_closed_when_its_server_is_silent()
    {
        await using var source = PgDataSource.Create(Lanes + ";Multiplexing=true;Session Reset=Auto;Keepalive=1;Command Timeout=1");
        await AwaitLane(source);
        await Run(source, "SELECT 42");
        var lanes = ProcessesOf(source);
        Assert.That(lanes, Is.Not.Empty);
        Array.ForEach(lanes, Frozen.Freeze);
        try
        {
            await Until(() => !ProcessesOf(source).Intersect(lanes).Any());
            for (var i = 0; i < 10; i++)
                Assert.That(await Run(source, "SELECT 42"), Is.EqualTo(42));
        }
        finally
        {
            Array.ForEach(lanes, Frozen.Thaw);
        }
    }

    private static int[] ProcessesOf(PgDataSource source) => [.. source.GetLaneStatistics()!.Lanes.Select(static lane => lane.ProcessId)];
}
