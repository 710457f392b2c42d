using System.Data;
using System.Transactions;
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
        Assert.That(after.Sends - before.Sends, Is.InRange(10, 20));
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
        Assert.That(recorder.Of("loxo.lanes.sends", pool).Max(static one => one.Value), Is.Positive);
        Assert.That(recorder.Of("loxo.lanes.receives", pool).Max(static one => one.Value), Is.Positive);
        Assert.That(recorder.Of("loxo.lanes.depth", pool), Is.Not.Empty);
        Assert.That(Source.GetPoolSnapshot()!.Connections.Select(static one => one.State), Does.Contain(PgPooledConnectionState.Lane));
    }

    [Test]
    public async Task A_command_that_finds_no_other_lane_is_counted_once([Values] bool hasConnection)
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (i int)",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql VOLATILE AS $$ INSERT INTO t VALUES (1) RETURNING i $$", "CREATE VIEW v AS SELECT f()");
        await using var source = PgDataSource.Create(database.ConnectionString + ";Multiplexing=true;Session Reset=Auto");
        await AwaitLane(source);
        var sql = "SELECT * FROM v";
        await Run(source, sql);
        var before = source.GetLaneStatistics()!;
        Assert.That(before.MixedLanes, Is.Zero);

        await using var connection = hasConnection ? source.CreateConnection() : null;
        await using var command = source.CreateCommand(sql);
        if (connection is not null)
        {
            await Mode.Open(connection);
            command.Connection = connection;
        }
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        var after = source.GetLaneStatistics()!;
        Assert.That(after.OwnSessions.GetValueOrDefault(PgOwnSessionReason.NoLane) - before.OwnSessions.GetValueOrDefault(PgOwnSessionReason.NoLane), Is.EqualTo(1));
        Assert.That(await Run(source, "SELECT count(*) FROM t"), Is.EqualTo(2));
    }

    [Test]
    public async Task Each_lane_has_its_own_numbers()
    {
        await using var source = new PgDataSource(Source.Settings);
        await AwaitLane(source);
        for (var i = 0; i < 11; i++)
            await Run(source, "SELECT $1::int + 1", i);
        var all = source.GetLaneStatistics()!;
        Assert.That(all.Lanes.Sum(static lane => lane.Commands), Is.EqualTo(all.Commands).And.AtLeast(10));
        Assert.That(all.Lanes.Sum(static lane => lane.Sends), Is.EqualTo(all.Sends));
        Assert.That(all.Lanes.Sum(static lane => lane.Receives), Is.EqualTo(all.Receives));
        Assert.That(all.Lanes.Count(static lane => lane.IsForQueries), Is.EqualTo(all.QueryLanes));
        Assert.That(all.Lanes.Select(static lane => (lane.IsForQueries, lane.Number)), Is.Unique);
        // One that is being opened is not there yet.
        Assert.That(all.Lanes.Select(static lane => lane.ProcessId), Is.SubsetOf(source.GetPoolSnapshot()!.Connections
            .Where(static one => one.State == PgPooledConnectionState.Lane).Select(static one => one.ProcessId)));
    }

    [Test]
    public async Task A_lane_whose_command_runs_says_for_how_long()
    {
        // A text that was slow takes a session of its own for a while.
        var sql = $"SELECT pg_sleep($1) /* {Mode} */";
        await Run(sql, 0.0);
        var sleeping = Call(() => Run(sql, 0.5));
        PgLane? busy = null;
        while (!sleeping.IsCompleted && busy is null)
        {
            await Task.Delay(10);
            busy = Source.GetLaneStatistics()!.Lanes.FirstOrDefault(static lane => lane.RunningFor > TimeSpan.FromMilliseconds(50));
        }
        Assert.That((busy?.CommandsInFlight, busy?.IsForQueries), Is.EqualTo((1, true)));
        await sleeping;
    }

    [Test]
    public async Task Counters_of_lanes_do_not_fall_when_their_sessions_are_closed()
    {
        await using var source = new PgDataSourceBuilder(Source.ConnectionString) { Name = $"lanes that are closed, {Mode}" }.Build();
        await AwaitLane(source);
        for (var i = 0; i < 10; i++)
            await Run(source, "SELECT $1::int + 1", i);
        var before = Counted(source);
        var lanes = source.Lanes!.All.ToList();
        source.Clear();
        await Until(() => !source.GetLaneStatistics()!.Lanes.Select(static lane => lane.ProcessId).Intersect(lanes.Select(static lane => lane.Session.ProcessId)).Any());
        var closed = Counted(source);
        await AwaitLane(source);
        var after = Counted(source);

        Assert.That(before, Is.Not.Empty);
        foreach (var (lane, operations) in before)
        {
            Assert.That(closed[lane], Is.AtLeast(operations), lane);
            Assert.That(after[lane], Is.AtLeast(closed[lane]), lane);
        }
        Assert.That(before.Values.Sum(), Is.Positive);
        Assert.That(after.Values.Sum(), Is.EqualTo(source.GetLaneStatistics()!.Commands));
    }

    [TestCase("SELECT 1 AS \"never ran before\"", CommandBehavior.Default, PgOwnSessionReason.FirstRun)]
    [TestCase("SET application_name = 'lanes'", CommandBehavior.Default, PgOwnSessionReason.NotPlain)]
    public async Task A_command_that_took_a_session_says_why(string sql, CommandBehavior behavior, PgOwnSessionReason reason)
    {
        var before = Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(reason);
        await using var command = Source.CreateCommand(sql);
        await Mode.Close(await Mode.ExecuteReader(command, behavior));
        Assert.That(Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(reason) - before, Is.EqualTo(1));
    }

    [Test]
    public async Task Commands_that_are_sent_together_are_counted_as_one_send()
    {
        await Run("SELECT $1::int + 1", 1);
        var before = Source.GetLaneStatistics()!;
        var next = 0;
        await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => Call(async () =>
        {
            while (Interlocked.Increment(ref next) is <= 5000 and var i)
                Assert.That(await Run("SELECT $1::int + 1", i), Is.EqualTo(i + 1));
            return 0;
        })));
        var after = Source.GetLaneStatistics()!;
        var (commands, sends) = (after.Commands - before.Commands, after.Sends - before.Sends);
        Assert.That(commands, Is.GreaterThan(4000));
        // Callers that block send their commands themselves, mostly one at a time; a few sends belong to none of them.
        Assert.That(sends, Is.InRange(1, Mode == WaitMode.Async ? commands / 2 : commands + 100));
    }

    [TestCase("SET application_name = 'lanes'", PgOwnSessionReason.NotPlain)]
    [TestCase("SELECT 1 AS \"never ran before either\"", PgOwnSessionReason.FirstRun)]
    public async Task A_statement_that_took_a_session_says_why(string sql, PgOwnSessionReason reason)
    {
        await AssertNoted(reason, async () =>
        {
            await using var command = Source.CreateCommand(sql);
            await Mode.ExecuteNonQuery(command);
        });
        await AssertNoted(PgOwnSessionReason.Unsuited, async () =>
        {
            await using var command = Source.CreateCommand("SELECT 1 AS one");
            command.Parameters.Add(new PgParameter("one", DbType.Int32) { Direction = ParameterDirection.Output });
            await Mode.ExecuteNonQuery(command);
        });
    }

    [TestCase("a transaction", PgOwnSessionReason.Transaction)]
    [TestCase("a transaction scope", PgOwnSessionReason.AmbientTransaction)]
    [TestCase("an enlisted connection", PgOwnSessionReason.AmbientTransaction)]
    [TestCase("a pipeline", PgOwnSessionReason.Pipeline)]
    [TestCase("many rows", PgOwnSessionReason.Pipeline)]
    [TestCase("a preparation", PgOwnSessionReason.Prepare)]
    [TestCase("an import", PgOwnSessionReason.Copy)]
    [TestCase("an export", PgOwnSessionReason.Copy)]
    [TestCase("a listener", PgOwnSessionReason.Listener)]
    [TestCase("a wait", PgOwnSessionReason.Listener)]
    [TestCase("types", PgOwnSessionReason.Other)]
    public async Task What_needs_a_session_says_why(string use, PgOwnSessionReason reason)
    {
        var log = new CapturedLog();
        await using var source = new PgDataSourceBuilder(Source.ConnectionString).UseLoggerFactory(log).Build();
        await AwaitLane(source);
        await Run(source, "SELECT 1");
        await AssertNoted(reason, () => Use(source, use), source);
        Assert.That(log.Of(2300).Select(static entry => entry.Text), Has.Exactly(1).Contains($"({reason}): "));
    }

    [Test]
    public async Task A_connection_that_has_a_session_says_why_once()
    {
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using var transaction = connection.BeginTransaction();
        var before = Source.GetLaneStatistics()!.OwnSessions;
        await using var command = new PgCommand("SET LOCAL application_name = 'lanes'; SELECT 1", connection);
        for (var i = 0; i < 3; i++)
            await Mode.ExecuteNonQuery(command);
        Assert.That(Source.GetLaneStatistics()!.OwnSessions, Is.EqualTo(before));
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

    private async Task Use(PgDataSource source, string use)
    {
        using var scope = use == "a transaction scope" ? new TransactionScope(TransactionScopeAsyncFlowOption.Enabled) : null;
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT 1", connection);
        switch (use)
        {
            case "a transaction":
                await (await Mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync())).DisposeAsync();
                break;
            case "an enlisted connection":
                using (var transaction = new CommittableTransaction())
                {
                    connection.EnlistTransaction(transaction);
                    await Mode.ExecuteNonQuery(command);
                    transaction.Rollback();
                }
                break;
            case "a pipeline":
                await using (var pipeline = connection.CreatePipeline())
                    pipeline.AddNonQuery("SELECT 1");
                break;
            case "many rows":
                command.CommandText = "SELECT $1";
                command.Parameters.Add(new PgParameter<int>());
                await Mode.Run(() => command.ExecuteMany([1], Set), () => command.ExecuteManyAsync([1], Set));
                break;
            case "a preparation":
                await Mode.Prepare(command);
                break;
            case "an import":
                await Catch<PostgresException>(() => Mode.Run(
                    () => connection.BeginBinaryImport("COPY no_such_table FROM STDIN BINARY").Dispose(),
                    async () => await (await connection.BeginBinaryImportAsync("COPY no_such_table FROM STDIN BINARY")).DisposeAsync()));
                break;
            case "an export":
                await Mode.Run(
                    () => connection.BeginBinaryExport("COPY (SELECT 1) TO STDOUT BINARY").Dispose(),
                    async () => await (await connection.BeginBinaryExportAsync("COPY (SELECT 1) TO STDOUT BINARY")).DisposeAsync());
                break;
            case "a listener":
                connection.Notice += static (_, _) => { };
                await Mode.ExecuteNonQuery(command);
                break;
            case "a wait":
                await Mode.Run(() => connection.Wait(1), () => connection.WaitAsync(1));
                break;
            case "types":
                await Mode.Run(connection.ReloadTypes, () => connection.ReloadTypesAsync());
                break;
            default:
                await Mode.ExecuteNonQuery(command);
                break;
        }

        static void Set(int row, PgParameterCollection parameters) => ((PgParameter<int>)parameters[0]).TypedValue = row;
    }

    private static Dictionary<string, double> Counted(PgDataSource source)
    {
        using var recorder = new Recorder("", traces: false, measures: true);
        recorder.Observe();
        return recorder.Of("loxo.lanes.operations", source.Context.Telemetry!.Pool)
            .ToDictionary(static one => one.Tag("loxo.lane")!, static one => one.Value);
    }

    private async Task AssertNoted(PgOwnSessionReason reason, Func<Task> use, PgDataSource? source = null)
    {
        source ??= Source;
        var before = source.GetLaneStatistics()!.OwnSessions;
        await use();
        var added = source.GetLaneStatistics()!.OwnSessions
            .ToDictionary(static one => one.Key, one => one.Value - before.GetValueOrDefault(one.Key));
        Assert.That(added.Where(static one => one.Value > 0), Is.EqualTo([KeyValuePair.Create(reason, 1L)]));
    }

    [Test]
    public void A_source_without_lanes_has_none()
    {
        using var source = PgDataSource.Create(TestServer.Default.ConnectionString);
        Assert.That(source.GetLaneStatistics(), Is.Null);
    }
}
