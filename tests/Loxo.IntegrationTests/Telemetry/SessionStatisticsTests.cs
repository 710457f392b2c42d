using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>What a data source counts of its sessions.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class SessionStatisticsTests(WaitMode mode) : ResetTest(mode)
{
    [Test]
    public async Task Statements_are_counted_by_how_they_were_run()
    {
        var source = Source("Maximum Pool Size=1;Session Reset=Never;Max Auto Prepare=2;Auto Prepare Min Usages=2");
        var connection = await Rent(source);
        for (var i = 0; i < 4; i++)
            await Execute(connection, "SELECT 1");
        var counts = source.GetSessionStatistics();
        Assert.That((counts.Statements, counts.StatementsPrepared, counts.CacheHits, counts.RowsReturned), Is.EqualTo((4L, 1L, 2L, 4L)));
        foreach (var sql in new[] { "SELECT 2", "SELECT 2", "SELECT 3", "SELECT 3" })
            await Execute(connection, sql);
        counts = source.GetSessionStatistics();
        Assert.That((counts.StatementsPrepared, counts.StatementsEvicted, counts.StatementsHealed), Is.EqualTo((3L, 1L, 0L)));
        await Execute(connection, "DEALLOCATE ALL");
        await Execute(connection, "SELECT 3");
        counts = source.GetSessionStatistics();
        Assert.That((counts.StatementsPrepared, counts.StatementsHealed, counts.CommandsFailed), Is.EqualTo((3L, 1L, 0L)));
        // The server's own count.
        Assert.That(await Scalar(connection, "SELECT count(*) FROM pg_prepared_statements"), Is.EqualTo(1L));
        await Mode.Close(connection);
    }

    [Test]
    public async Task A_statement_that_the_server_has_forgotten_unseen_is_healed_and_is_no_failure()
    {
        await using var database = await TestDatabase.Create("CREATE FUNCTION forget() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN 1; END $$");
        var source = Source("Session Reset=Never;Auto Prepare Min Usages=1", database.ConnectionString);
        var connection = await Rent(source);
        await Execute(connection, "SELECT 1");
        await Execute(connection, "DO $$ BEGIN PERFORM forget(); END $$");
        await Execute(connection, "SELECT 1");
        var counts = source.GetSessionStatistics();
        Assert.That((counts.StatementsHealed, counts.CommandsFailed), Is.EqualTo((1L, 0L)));
        await Error<PostgresException>(() => Execute(connection, "SELECT 1/0"));
        Assert.That(source.GetSessionStatistics().CommandsFailed, Is.EqualTo(1));
        await Terminate(connection.ProcessID);
        await Error<PgException>(() => Execute(connection, "SELECT 1"));
        Assert.That(source.GetSessionStatistics().CommandsFailed, Is.EqualTo(2), "once, although an error and the end of the stream have come");
        await Mode.Close(connection);
        await source.DisposeAsync();
    }

    [Test]
    public async Task Bytes_are_counted_in_both_directions()
    {
        const int Size = 1_000_000;
        var source = Source("Session Reset=Never");
        var connection = await Rent(source);
        var before = source.GetSessionStatistics();
        Assert.That(before.BytesSent, Is.GreaterThan(50), "the login");
        await Scalar(connection, $"SELECT repeat('x', {Size})");
        var after = source.GetSessionStatistics();
        Assert.That(after.BytesReceived - before.BytesReceived, Is.InRange(Size, Size + 2000));
        Assert.That(after.BytesSent - before.BytesSent, Is.LessThan(2000));
        // The columns of a query that was never run may be asked for first, which sends its text twice; this returns none.
        await Execute(connection, $"DO $$ BEGIN PERFORM length('{new string('y', Size)}'); END $$");
        Assert.That(source.GetSessionStatistics().BytesSent - after.BytesSent, Is.InRange(Size, Size + 2000));
        await Mode.Close(connection);
    }

    [Test]
    public async Task Sessions_that_have_ended_are_counted_on()
    {
        var source = Source("Session Reset=Never");
        await CloseAll(await RentMany(source, 3));
        var connection = await Rent(source);
        await Execute(connection, "SELECT 1");
        await Mode.Close(connection);
        var before = source.GetSessionStatistics();
        source.Clear();
        var after = source.GetSessionStatistics();
        Assert.That((after.SessionsOpened, after.Statements, after.RowsReturned), Is.EqualTo((3L, 1L, 1L)));
        Assert.That(after.BytesReceived, Is.EqualTo(before.BytesReceived));
        Assert.That(after.BytesSent, Is.EqualTo(before.BytesSent + 3 * 5), "Terminate");
    }

    [Test]
    public async Task Resets_are_counted_with_their_reasons()
    {
        await using var database = await TestDatabase.Create("CREATE SEQUENCE numbers");
        var source = Source(OneSession + ";Session Reset=Auto", database.ConnectionString);
        await LookedThrough(source);
        Assert.That(source.GetSessionStatistics().ResetReasons.Keys, Is.EqualTo(new[] { PgResetReason.DatabaseNotAudited }));
        await AssertReason(source, null, "SELECT 1");
        await AssertReason(source, PgResetReason.ChangedByStatement, "SET work_mem = '77kB'");
        await AssertReason(source, PgResetReason.ChangedByStatement, "SELECT 1 AS one INTO TEMP ones");
        await AssertReason(source, PgResetReason.ChangedByStatement, "DO $$ BEGIN END $$");
        await AssertReason(source, PgResetReason.UnknownFunction, "SELECT nextval('numbers')");
        await AssertReason(source, PgResetReason.UnknownFunction, "SELECT pg_advisory_lock(1)");
        await AssertReason(source, PgResetReason.OpenTransaction, "BEGIN");
        await source.DisposeAsync();
    }

    [Test]
    public async Task A_connection_that_only_tells_the_server_of_traces_needs_no_reset()
    {
        await using var database = await TestDatabase.Create();
        await using var source = new PgDataSourceBuilder($"{database.ConnectionString};{OneSession};Session Reset=Auto")
            .UseLoggerFactory(Log).ConfigureTracing(static tracing => tracing.EnableTraceContextPropagation()).Build();
        using var recorder = new Recorder(database.Name);
        await LookedThrough(source);
        var before = source.GetSessionStatistics();
        for (var round = 0; round < 5; round++)
        {
            var connection = await Rent(source);
            await using (var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask()))
            {
                Assert.That(await Scalar(connection, "SELECT current_setting('application_name')"), Does.StartWith("00-"));
                await Mode.Commit(transaction);
            }
            await Mode.Close(connection);
        }
        var after = source.GetSessionStatistics();
        Assert.That((after.ResetsAvoided - before.ResetsAvoided, after.StatementsHealed), Is.EqualTo((5L, 0L)));
    }

    [Test]
    public async Task A_reset_that_is_configured_says_so()
    {
        var source = Source(OneSession + ";Session Reset=Always");
        await AssertReason(source, PgResetReason.Configured, "SELECT 1");
        var never = Source(OneSession + ";Session Reset=Never");
        await CloseAll([await Rent(never)]);
        Assert.That((never.GetSessionStatistics().ResetsAvoided, never.GetSessionStatistics().ResetsSent), Is.EqualTo((0L, 0L)));
    }

    [Test]
    public async Task The_pool_is_shown_with_each_of_its_connections()
    {
        var source = Keep(new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Session Reset=Never").UseLeakThreshold(TimeSpan.FromHours(1)).Build());
        var connections = await RentMany(source, 3);
        await Mode.Close(connections[0]);
        await using var command = new PgCommand("SELECT i, 'secret', 42 FROM generate_series(1, 10000) i", connections[1]);
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        var snapshot = source.GetPoolSnapshot()!;
        Assert.That((snapshot.Statistics.Idle, snapshot.Statistics.Busy), Is.EqualTo((1, 2)));
        var byProcess = snapshot.Connections.ToDictionary(static one => one.ProcessId);
        var running = byProcess[connections[1].ProcessID];
        Assert.That(running.State, Is.EqualTo(PgPooledConnectionState.Executing));
        Assert.That(running.LastStatement, Is.EqualTo("SELECT i, ?, ? FROM generate_series(?, ?) i"));
        Assert.That(running.RentedBy, Does.Contain(nameof(Rent)));
        Assert.That(running.Age, Is.GreaterThanOrEqualTo(running.RentedFor));
        var waiting = byProcess[connections[2].ProcessID];
        Assert.That((waiting.State, waiting.LastStatement), Is.EqualTo((PgPooledConnectionState.Rented, (string?)null)));
        var idle = snapshot.Connections.Single(static one => one.State == PgPooledConnectionState.Idle);
        Assert.That((idle.RentedFor, idle.RentedBy), Is.EqualTo((TimeSpan.Zero, (string?)null)));
        await Mode.Close(reader);
        await Terminate(connections[2].ProcessID);
        await Error<PgException>(() => Scalar(connections[2], "SELECT 1"));
        Assert.That(source.GetPoolSnapshot()!.Connections.Count(static one => one.State == PgPooledConnectionState.Broken), Is.EqualTo(1));
        await CloseAll(connections[1..]);
        Assert.That(Keep(PgDataSource.Create(TestServer.Default.ConnectionString + ";Pooling=false")).GetPoolSnapshot(), Is.Null);
    }

    private async Task AssertReason(PgDataSource source, PgResetReason? reason, string sql)
    {
        var before = source.GetSessionStatistics();
        var connection = await Rent(source);
        await Execute(connection, sql);
        await Mode.Close(connection);
        var after = source.GetSessionStatistics();
        Assert.That((after.ResetsSent - before.ResetsSent, after.ResetsAvoided - before.ResetsAvoided), Is.EqualTo(reason is null ? (0L, 1L) : (1L, 0L)), sql);
        if (reason is { } expected)
            Assert.That(after.ResetReasons[expected] - before.ResetReasons.GetValueOrDefault(expected), Is.EqualTo(1), sql);
    }
}
