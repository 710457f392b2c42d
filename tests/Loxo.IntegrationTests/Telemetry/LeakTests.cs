using System.Runtime.CompilerServices;
using Loxo.IntegrationTests.Pool;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>A program under load that keeps connections, loses them or cannot open them, and what it is told.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class LeakTests(WaitMode mode) : PoolTest(mode)
{
    private const string Query = "SELECT 'secret' FROM generate_series(1, 7)";
    private const string Shown = "SELECT ? FROM generate_series(?, ?)";

    [Test]
    public async Task A_connection_that_is_kept_too_long_is_logged_with_its_last_statement_and_its_stack()
    {
        var source = Watched("Maximum Pool Size=4");
        var kept = await KeepTooLong(source);
        await Load(source);
        var entry = (await Logged(2009)).Single();
        Assert.That(entry.Level, Is.EqualTo(LogLevel.Warning));
        Assert.That(entry.Text, Does.Contain($"server process {kept.ProcessID}").And.Contain("leak threshold of 00:00:00.2000000").And.Contain(Shown));
        Assert.That(entry.Text, Does.Contain(nameof(KeepTooLong)).And.Not.Contain("secret"));
        Assert.That(await Scalar(kept, "SELECT 42"), Is.EqualTo(42), "it is only reported");
        await Mode.Close(kept);
    }

    [Test]
    public async Task The_error_of_an_exhausted_pool_has_the_statements_and_stacks_of_the_oldest_rents()
    {
        var source = Watched("Maximum Pool Size=2;Timeout=5");
        PgConnection[] kept = [await KeepTooLong(source), await KeepTooLong(source)];
        var callers = Enumerable.Range(0, 8).Select(_ => Start(() => Rent(source))).ToList();
        foreach (var caller in callers)
        {
            var error = await Error<PgException>(caller);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.PoolExhausted));
            Assert.That(error.Message, Does.Match($@"In use for \S+ s: last statement {System.Text.RegularExpressions.Regex.Escape(Shown)}\."));
            Assert.That(error.Message, Does.Match($"(?s)Rented .* s ago by:.*{nameof(KeepTooLong)}").And.Not.Contain("secret"));
        }
        await CloseAll(kept);
        Assert.That(Statistics(source).TimedOut, Is.EqualTo(8));
        await Load(source);
    }

    [Test]
    public async Task A_connection_that_was_never_closed_is_recovered_with_its_last_statement_and_its_stack()
    {
        var source = Watched("Maximum Pool Size=1;Timeout=60");
        var process = await Forget(source);
        await Until(() => Collect() && Statistics(source).Abandoned == 1, "the session is recovered");
        var entry = (await Logged(2004)).Single();
        Assert.That(entry.Text, Does.Contain($"server process {process}").And.Contain(Shown).And.Contain(nameof(KeepTooLong)));
        await Load(source);
    }

    [Test]
    public async Task The_error_of_a_pool_that_cannot_open_says_why()
    {
        var proxy = Proxy();
        var source = Source("Maximum Pool Size=2;Timeout=2", proxy.ConnectionString(TestServer.Default.ConnectionString));
        proxy.Plan = static link => link.Reset();
        await Error<PgException>(() => Rent(source));
        Assert.That((await Logged(2002)).Single().Error, Is.InstanceOf<PgException>());
        Assert.That(Log.Of(2702).Single().Level, Is.EqualTo(LogLevel.Error));
        proxy.Plan = null;
        var kept = await RentMany(source, 2);
        var error = await Error<PgException>(() => Rent(source));
        Assert.That(error.Message, Does.Match(@"Opening failed at \d\d:\d\d:\d\d: "));
        await CloseAll(kept);
    }

    [Test]
    public async Task Stacks_are_sampled()
    {
        var source = Keep(new PgDataSourceBuilder(TestServer.Default.ConnectionString).UseLeakThreshold(TimeSpan.FromHours(1), stackSampling: 0).Build());
        await using var connection = await Rent(source);
        Assert.That(source.GetPoolSnapshot()!.Connections.Single().RentedBy, Is.Null);
        Assert.That(() => new PgDataSourceBuilder().UseLeakThreshold(TimeSpan.FromHours(1), stackSampling: 1.5), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgDataSourceBuilder().UseLeakThreshold(TimeSpan.FromSeconds(-1)), Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    private PgDataSource Watched(string settings) => Keep(new PgDataSourceBuilder($"{TestServer.Default.ConnectionString};SSL Mode=Disable;Session Reset=Never;{settings}")
        .UseLoggerFactory(Log).UseLeakThreshold(TimeSpan.FromMilliseconds(200)).Build());

    // Everybody else goes on.
    private async Task Load(PgDataSource source)
    {
        for (var i = 0; i < 20; i++)
        {
            var connection = await Rent(source);
            Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
            await Mode.Close(connection);
        }
    }

    private async Task<PgConnection> KeepTooLong(PgDataSource source)
    {
        var connection = Mode == WaitMode.Async ? await source.OpenConnectionAsync() : source.OpenConnection();
        await Execute(connection, Query);
        return connection;
    }

    // In methods of their own, so that nothing on the test's stack keeps what is forgotten.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<int> Forget(PgDataSource source) => (await KeepTooLong(source)).ProcessID;

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }
}
