namespace Loxo.IntegrationTests.Telemetry;

/// <summary>What the instruments report.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), NonParallelizable]
public sealed class MeterTests(WaitMode mode) : TelemetryTest(mode)
{
    private const string Pool = "measured";

    [Test]
    public async Task Durations_and_rows_of_commands_are_reported()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName, traces: false, measures: true);
        await Mode.ExecuteNonQuery(new PgCommand("SELECT pg_sleep(0.05)", connection));
        await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
        await Mode.ExecuteScalar(new PgCommand("SELECT id FROM products", connection));
        await Mode.ExecuteNonQuery(new PgCommand("UPDATE products SET name = name", connection));
        var durations = recorder.Of("db.client.operation.duration");
        Assert.That(durations, Has.Length.EqualTo(4));
        Assert.That(durations[0].Value, Is.GreaterThanOrEqualTo(0.05));
        Assert.That(durations.Select(static one => one.Tag("error.type")), Is.EqualTo(new[] { null, "22012", null, null }));
        Assert.That(durations[1].Tag("db.response.status_code"), Is.EqualTo("22012"));
        Assert.That(durations[0].Tag("db.system.name"), Is.EqualTo("postgresql"));
        Assert.That(recorder.Of("db.client.response.returned_rows").Select(static one => one.Value), Is.EqualTo(new[] { 1.0, 3.0 }));
    }

    [Test]
    public async Task The_state_of_the_pool_is_reported()
    {
        using var recorder = new Recorder(DatabaseName, traces: false, measures: true);
        var source = Source(";Maximum Pool Size=2;Timeout=5", static builder => builder.Name = Pool);
        await using (var first = await OpenFrom(source))
        await using (await OpenFrom(source))
        {
            await Catch<PgException>(() => OpenFrom(source));
            recorder.Observe();
            AssertState(recorder, idle: 0, used: 2);
        }
        Assert.That(recorder.Of("db.client.connection.timeouts", Pool)[^1].Value, Is.EqualTo(1));
        Assert.That(recorder.Of("db.client.connection.max", Pool)[^1].Value, Is.EqualTo(2));
        Assert.That(recorder.Of("db.client.connection.idle.min", Pool)[^1].Value, Is.Zero);
        Assert.That(recorder.Of("db.client.connection.pending_requests", Pool)[^1].Value, Is.Zero);
        recorder.Observe();
        AssertState(recorder, idle: 2, used: 0);
        Assert.That(recorder.Of("db.client.connection.create_time", Pool), Has.Length.EqualTo(2));
        Assert.That(recorder.Of("db.client.connection.wait_time", Pool), Has.Length.EqualTo(2));
        Assert.That(recorder.Of("db.client.connection.use_time", Pool), Has.Length.EqualTo(2));
        Assert.That(recorder.Of("db.client.connection.use_time", Pool).Max(static one => one.Value), Is.GreaterThanOrEqualTo(4.9));
        source.Dispose();
        var before = recorder.Of("db.client.connection.max", Pool).Length;
        recorder.Observe();
        Assert.That(recorder.Of("db.client.connection.max", Pool), Has.Length.EqualTo(before), "a pool that is disposed of");
    }

    [Test]
    public async Task Sessions_are_measured_like_the_statistics()
    {
        using var recorder = new Recorder(DatabaseName, traces: false, measures: true);
        var source = Source(";Session Reset=Always;Auto Prepare Min Usages=1;Minimum Pool Size=1", static builder => builder.Name = Pool);
        await using (var connection = await OpenFrom(source))
        {
            for (var i = 0; i < 3; i++)
                await Mode.ExecuteNonQuery(new PgCommand("SELECT id FROM products", connection));
            await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
            var reader = await Mode.ExecuteReader(new PgCommand("SELECT i FROM generate_series(1, 100000) i", connection));
            await Mode.Read(reader);
            recorder.Observe();
            Assert.That(Last("loxo.operations.executing"), Is.EqualTo(1));
            await Mode.Close(reader);
        }
        // The pool's maintenance may open a session at any moment.
        PgSessionStatistics counts;
        do
        {
            counts = source.GetSessionStatistics();
            recorder.Observe();
        }
        while (source.GetSessionStatistics().BytesReceived != counts.BytesReceived);
        Assert.Multiple(() =>
        {
            Assert.That(Last("loxo.operations.executing"), Is.Zero);
            Assert.That(Last("loxo.operations.failed"), Is.EqualTo(counts.CommandsFailed));
            Assert.That(Last("loxo.statements.executed"), Is.EqualTo(counts.Statements).And.GreaterThanOrEqualTo(3));
            Assert.That(Last("loxo.statements.prepared"), Is.EqualTo(counts.StatementsPrepared).And.GreaterThanOrEqualTo(1));
            Assert.That(Last("loxo.statements.cached"), Is.EqualTo(counts.CacheHits).And.EqualTo(2));
            Assert.That(Last("loxo.statements.evicted"), Is.Zero);
            Assert.That(Last("loxo.statements.healed"), Is.Zero);
            Assert.That(Last("loxo.rows.returned"), Is.EqualTo(counts.RowsReturned).And.GreaterThanOrEqualTo(9));
            Assert.That(Last("loxo.bytes.sent"), Is.EqualTo(counts.BytesSent).And.Positive);
            Assert.That(Last("loxo.bytes.received"), Is.EqualTo(counts.BytesReceived).And.Positive);
            Assert.That(Last("loxo.resets.avoided"), Is.Zero);
            Assert.That(recorder.Of("loxo.resets.sent", Pool)[^1].Tag("loxo.reset.reason"), Is.EqualTo("Configured"));
            Assert.That(Last("loxo.resets.sent"), Is.EqualTo(1));
            Assert.That(Last("db.client.connection.idle.min"), Is.EqualTo(1));
            Assert.That(recorder.Of("loxo.lanes.depth", Pool), Is.Empty, "there are no lanes");
        });
        double Last(string instrument) => recorder.Of(instrument, Pool)[^1].Value;
    }

    private static void AssertState(Recorder recorder, int idle, int used)
    {
        var states = recorder.Of("db.client.connection.count", Pool);
        Assert.That(states.Last(static one => one.Tag("db.client.connection.state") == "idle").Value, Is.EqualTo(idle));
        Assert.That(states.Last(static one => one.Tag("db.client.connection.state") == "used").Value, Is.EqualTo(used));
    }
}
