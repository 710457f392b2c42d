namespace Loxo.IntegrationTests.Telemetry;

/// <summary>The server learns the trace of a command, and its statements stay prepared.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), NonParallelizable]
public sealed class TraceContextTests(WaitMode mode) : TelemetryTest(mode)
{
    private const string Name = "SELECT current_setting('application_name')";
    private const string OwnName = ";Application Name=shop;Max Auto Prepare=10;Auto Prepare Min Usages=1";

    [TestCase("")]
    [TestCase(";Max Auto Prepare=0")]
    [TestCase(";Pooler=Transaction")]
    public async Task While_a_command_runs_the_application_name_is_its_traceparent(string settings)
    {
        await using var connection = await OpenFrom(Propagating(settings));
        using var recorder = new Recorder(DatabaseName);
        for (var i = 0; i < 3; i++)
            Assert.That(await Value(connection, Name), Is.EqualTo(recorder.Operations[^1].Id));
        Assert.That(recorder.Operations.Select(static span => span.Id).Distinct().Count(), Is.EqualTo(3));
    }

    [Test]
    public async Task Others_see_it_in_pg_stat_activity_and_afterwards_the_old_name()
    {
        await using var connection = await OpenFrom(Propagating());
        using var recorder = new Recorder(DatabaseName);
        await using var command = new PgCommand("SELECT i FROM (SELECT generate_series(1, 1000000) i) streamed", connection);
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        Assert.That(await NameOf(connection), Does.Match("^00-[0-9a-f]{32}-[0-9a-f]{16}-01$"));
        await Mode.Close(reader);
        Assert.That(await NameOf(connection), Is.EqualTo("shop"));
    }

    [Test]
    public async Task Statements_stay_prepared_and_one_is_added()
    {
        var source = Propagating(";Session Reset=Never");
        await using var connection = await OpenFrom(source);
        using var recorder = new Recorder(DatabaseName);
        for (var i = 0; i < 50; i++)
        {
            await using var command = new PgCommand("SELECT name FROM products WHERE id = $1", connection) { Parameters = { new PgParameter<int>(2) } };
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("b"));
        }
        var counts = source.GetSessionStatistics();
        Assert.That((counts.StatementsPrepared, counts.CacheHits, counts.Statements, counts.RowsReturned), Is.EqualTo((2L, 49L, 50L, 50L)));
        Assert.That(await Value(connection, "SELECT string_agg(statement, '|' ORDER BY statement) FROM pg_prepared_statements WHERE statement NOT LIKE '%string_agg%'"),
            Is.EqualTo("SELECT name FROM products WHERE id = $1|SELECT pg_catalog.set_config('application_name', $1, true)"));
        Assert.That(await Value(connection, "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE '%products%' AND statement NOT LIKE '%plans%'"),
            Is.EqualTo(50L), "the server has run the one prepared statement each time");
    }

    [Test]
    public async Task Results_errors_and_counts_are_those_of_the_caller()
    {
        await using var connection = await OpenFrom(Propagating());
        using var recorder = new Recorder(DatabaseName);
        Assert.That(await Mode.ExecuteNonQuery(new PgCommand("UPDATE products SET name = name", connection)), Is.EqualTo(3));
        var error = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
        Assert.That(error.SqlState, Is.EqualTo("22012"));
        await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT 1"), new(Name), new("UPDATE products SET name = name WHERE id = 1") } };
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        await Mode.NextResult(reader);
        await Mode.Read(reader);
        Assert.That(reader.GetString(0), Is.EqualTo(recorder.Spans[^1].Id).Or.StartsWith("00-"));
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(1));
        // Its type has to be looked up, and its column converted.
        Assert.That(await Value(connection, "SELECT row(7, 'x')::products"), Is.Not.Null);
        Assert.That(await Value(connection, "SELECT (row(7, 'x')::products).name"), Is.EqualTo("x"));
        var failing = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1; SELECT 1/0", connection)));
        Assert.That(failing.SqlState, Is.EqualTo("22012"));
    }

    [Test]
    public async Task Transactions_work_as_without_it()
    {
        await using var connection = await OpenFrom(Propagating());
        using var recorder = new Recorder(DatabaseName);
        var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
        Assert.That(await Value(connection, Name), Is.EqualTo(recorder.Operations[^1].Id));
        Assert.That(await Value(connection, Name), Is.EqualTo(recorder.Operations[^1].Id));
        await Catch<PostgresException>(() => Value(connection, "SELECT 1/0"));
        await Mode.ExecuteNonQuery(new PgCommand("ROLLBACK", connection));
        await Mode.Dispose(transaction);
        Assert.That(await NameOf(connection), Is.EqualTo("shop"));
        foreach (var alone in new[] { "VACUUM products", "SET work_mem = '1MB'", "BEGIN", "SELECT 1", "COMMIT" })
            await Mode.ExecuteNonQuery(new PgCommand(alone, connection));
        Assert.That(await NameOf(connection), Is.EqualTo("shop"));
    }

    [Test]
    public async Task Statements_that_the_server_has_forgotten_are_healed()
    {
        await using var connection = await OpenFrom(Propagating());
        using var recorder = new Recorder(DatabaseName);
        await Value(connection, "SELECT 7");
        await Mode.ExecuteNonQuery(new PgCommand("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$", connection));
        Assert.That(await Value(connection, "SELECT 7"), Is.EqualTo(7));
        Assert.That(await Value(connection, Name), Is.EqualTo(recorder.Operations[^1].Id));
    }

    [Test]
    public async Task Without_a_span_or_unasked_nothing_is_sent()
    {
        await using (var connection = await OpenFrom(Propagating()))
            Assert.That(await Value(connection, Name), Is.EqualTo("shop"));
        await using var silent = await OpenFrom(Source(OwnName));
        using var recorder = new Recorder(DatabaseName);
        Assert.That(await Value(silent, Name), Is.EqualTo("shop"));
    }

    private PgDataSource Propagating(string settings = "") =>
        Source(OwnName + settings, static builder => builder.ConfigureTracing(static tracing => tracing.EnableTraceContextPropagation()));

    private async Task<object?> Value(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }

    private async Task<object?> NameOf(PgConnection connection)
    {
        await using var command = Command($"SELECT application_name FROM pg_stat_activity WHERE pid = {connection.ProcessID}");
        return await Mode.ExecuteScalar(command);
    }
}
