using System.Data;
using Loxo.IntegrationTests.Pool;
using Loxo.IntegrationTests.Telemetry;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>The numbers tell what ran in lanes, and why something did not.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class LaneStatisticsTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task Commands_are_counted_where_they_ran()
    {
        await Run("SELECT $1::int + 1", 1);
        var before = Source.GetLaneStatistics()!;
        for (var i = 0; i < 10; i++)
            await Run("SELECT $1::int + 1", i);
        var after = Source.GetLaneStatistics()!;
        Assert.That(after.Commands - before.Commands, Is.EqualTo(10));
        Assert.That(after.Receives - before.Receives, Is.InRange(1, 20));
        Assert.That((after.QueryLanes > 0, after.CommandsInFlight), Is.EqualTo((true, 0)));
        Assert.That(after.OwnSessions, Is.EqualTo(before.OwnSessions));
    }

    [Test]
    public async Task Lanes_are_measured_and_shown()
    {
        await Run("SELECT $1::int + 1", 1);
        await Run("SELECT $1::int + 1", 1);
        using var recorder = new Recorder("", traces: false, measures: true);
        recorder.Observe();
        var pool = Source.Context.Telemetry!.Pool;
        Assert.That(recorder.Of("loxo.lanes.operations", pool).Max(static one => one.Value), Is.Positive);
        Assert.That(recorder.Of("loxo.lanes.receives", pool).Max(static one => one.Value), Is.Positive);
        Assert.That(recorder.Of("loxo.lanes.depth", pool), Is.Not.Empty);
        Assert.That(Source.GetPoolSnapshot()!.Connections.Select(static one => one.State), Does.Contain(PgPooledConnectionState.Lane));
    }

    [TestCase("SELECT 1 AS \"never ran before\"", CommandBehavior.Default, PgOwnSessionReason.FirstRun)]
    [TestCase("SET application_name = 'lanes'", CommandBehavior.Default, PgOwnSessionReason.NotPlain)]
    [TestCase("SELECT 1", CommandBehavior.SequentialAccess, PgOwnSessionReason.Unsuited)]
    public async Task A_command_that_took_a_session_says_why(string sql, CommandBehavior behavior, PgOwnSessionReason reason)
    {
        var before = Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(reason);
        await using var command = Source.CreateCommand(sql);
        await Mode.Close(await Mode.ExecuteReader(command, behavior));
        Assert.That(Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(reason) - before, Is.EqualTo(1));
    }

    [Test]
    public async Task The_log_names_a_command_that_took_a_session_and_says_why()
    {
        var log = new CapturedLog();
        await using var source = new PgDataSourceBuilder(Source.ConnectionString).UseLoggerFactory(log).Build();
        await AwaitLane(source);
        await Run(source, "SET application_name = 'lanes'");
        Assert.That(log.Of(2300).Select(entry => entry.Text), Has.Some.EndsWith("(NotPlain): SET application_name = 'lanes'"));
    }

    [Test]
    public async Task A_slow_text_takes_a_session()
    {
        const string Sql = "SELECT pg_sleep(0.1), 1";
        for (var i = 0; i < 4; i++)
            await Run(Sql);
        Assert.That(Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(PgOwnSessionReason.Slow), Is.GreaterThan(0));
    }

    [Test]
    public void A_source_without_lanes_has_none()
    {
        using var source = PgDataSource.Create(TestServer.Default.ConnectionString);
        Assert.That(source.GetLaneStatistics(), Is.Null);
    }
}
