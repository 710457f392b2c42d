using Loxo.Commands;
using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>The pools behind <c>new PgConnection(connectionString)</c>.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SharedPoolTests(WaitMode mode) : PoolTest(mode)
{
    private static int _count;

    // Makes the pool this test's own.
    private readonly string _name = $"shared_pool_{Environment.ProcessId}_{Interlocked.Increment(ref _count)}";

    private string Text => $"{TestServer.Default.ConnectionString};Maximum Pool Size=2;Application Name={_name}";

    [TearDown]
    public void ClearPool() => SharedDataSources.Get(Text).Clear();

    [Test]
    public async Task Connections_of_one_string_share_a_pool()
    {
        var process = await UseOnce(Text);

        Assert.That(await UseOnce(Text), Is.EqualTo(process));
        Assert.That(await UseOnce(new string(Text)), Is.EqualTo(process), "the same text in another object");
        Assert.That(SharedDataSources.Get(Text).GetPoolStatistics()!.Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task Connections_of_strings_that_mean_the_same_share_a_pool()
    {
        var process = await UseOnce(Text);
        var builder = new PgConnectionStringBuilder(TestServer.Default.ConnectionString);

        Assert.That(await UseOnce(builder.ConnectionString + $";APPLICATION NAME='{_name}';MAXIMUM POOL SIZE = 2"), Is.EqualTo(process));
        Assert.That(await UseOnce($"MaxPoolSize=2;ApplicationName={_name};{builder.ConnectionString}"), Is.EqualTo(process));
    }

    [Test]
    public async Task Connections_of_strings_that_differ_share_nothing()
    {
        var process = await UseOnce(Text);
        var other = $"{TestServer.Default.ConnectionString};Maximum Pool Size=3;Application Name={_name}";

        Assert.That(await UseOnce(other), Is.Not.EqualTo(process));
        SharedDataSources.Get(other).Clear();
    }

    [Test]
    public async Task Of_many_who_open_first_at_once_nobody_makes_a_second_pool()
    {
        var spellings = new[] { Text, Text.Replace("Application Name", "application name", StringComparison.Ordinal), Text + ";" };
        using var start = new ManualResetEventSlim();
        var opening = Enumerable.Range(0, 16).Select(i => Task.Factory.StartNew(
            async () =>
            {
                start.Wait();
                var text = new string(spellings[i % spellings.Length]);
                for (var round = 0; round < 5; round++)
                    await UseOnce(text);
                return SharedDataSources.Get(text).Pool;
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()).ToList();

        start.Set();
        var pools = await Finish(Task.WhenAll(opening));

        Assert.That(pools, Is.All.SameAs(pools[0]));
        var statistics = pools[0]!.GetStatistics();
        Assert.That(statistics.Opened, Is.LessThanOrEqualTo(2));
        Assert.That((statistics.Rented, statistics.Busy), Is.EqualTo((80L, 0)));
    }

    [Test]
    public async Task A_connections_pool_can_be_cleared()
    {
        var process = await UseOnce(Text);

        await using (var connection = new PgConnection(Text))
            PgConnection.ClearPool(connection);

        Assert.That(SharedDataSources.Get(Text).GetPoolStatistics()!.Closed[CloseReason.Cleared], Is.EqualTo(1));
        Assert.That(await UseOnce(Text), Is.Not.EqualTo(process));
    }

    [Test]
    public async Task All_pools_can_be_cleared_but_those_of_data_sources()
    {
        var own = Source("Maximum Pool Size=1");
        await CloseAll(await RentMany(own, 1));
        await UseOnce(Text);

        PgConnection.ClearAllPools();

        Assert.That(SharedDataSources.Get(Text).GetPoolStatistics()!.Total, Is.Zero);
        Assert.That(Statistics(own).Idle, Is.EqualTo(1));
    }

    [Test]
    public async Task A_connection_in_use_outlives_the_clearing_of_its_pool()
    {
        await using var connection = new PgConnection(Text);
        await Mode.Open(connection);

        PgConnection.ClearPool(connection);

        Assert.That(await Scalar(connection, "SELECT 42"), Is.EqualTo(42));
        await Mode.Close(connection);
        Assert.That(SharedDataSources.Get(Text).GetPoolStatistics()!.Total, Is.Zero);
    }

    private async Task<int> UseOnce(string connectionString)
    {
        await using var connection = new PgConnection(connectionString);
        await Mode.Open(connection);
        return (int)(await Scalar(connection, "SELECT pg_backend_pid()"))!;
    }
}
