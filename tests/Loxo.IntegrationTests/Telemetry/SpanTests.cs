using System.Diagnostics;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>Spans of commands, batches, copies and physical connections.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), NonParallelizable]
public sealed class SpanTests(WaitMode mode) : TelemetryTest(mode)
{
    [Test]
    public async Task A_command_is_a_span()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        using var outer = new Activity("outer").Start();
        await using var command = new PgCommand("SELECT name FROM products WHERE id > $1", connection) { Parameters = { new PgParameter<int>(1) } };
        var reader = await Mode.ExecuteReader(command);
        Assert.That(Activity.Current, Is.SameAs(outer), "while the reader is open");
        while (await Mode.Read(reader))
        {
        }
        await Mode.Close(reader);
        Assert.That(Activity.Current, Is.SameAs(outer));
        var span = recorder.Operations.Single();
        Assert.Multiple(() =>
        {
            Assert.That(span.DisplayName, Is.EqualTo("SELECT products"));
            Assert.That(span.Kind, Is.EqualTo(ActivityKind.Client));
            Assert.That(span.ParentSpanId, Is.EqualTo(outer.SpanId));
            Assert.That(span.Status, Is.EqualTo(ActivityStatusCode.Unset));
            Assert.That(span.Events.Select(static one => one.Name), Is.EqualTo(new[] { "received-first-response" }));
            var port = TestServer.Default.Port;
            Assert.That(span.TagObjects.ToDictionary(), Is.EquivalentTo(new Dictionary<string, object?>
            {
                ["db.system.name"] = "postgresql",
                ["db.namespace"] = DatabaseName,
                ["server.address"] = new PgConnectionStringBuilder(OwnConnectionString).Host,
                ["server.port"] = port,
                ["db.query.text"] = "SELECT name FROM products WHERE id > $1",
                ["db.query.summary"] = "SELECT products",
                ["db.operation.name"] = "SELECT",
                ["db.collection.name"] = "products",
                ["db.response.returned_rows"] = 2L,
            }));
        });
    }

    [TestCase("SELECT 1/0", "22012")]
    [TestCase("SELEC", "42601")]
    public async Task An_error_is_told(string sql, string state)
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using var command = new PgCommand(sql, connection);
        var error = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(command));
        var span = recorder.Operations.Single();
        Assert.That(span.Status, Is.EqualTo(ActivityStatusCode.Error));
        Assert.That(span.StatusDescription, Is.EqualTo(error.Message));
        Assert.That(span.GetTagItem("error.type"), Is.EqualTo(state));
        Assert.That(span.GetTagItem("db.response.status_code"), Is.EqualTo(state));
        Assert.That(span.Events.Select(static one => one.Name), Does.Contain("exception"));
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(1));
    }

    [Test]
    public async Task An_error_before_anything_is_sent_is_told()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using var command = new PgCommand("SELECT $1", connection) { Parameters = { new PgParameter() } };
        await Catch<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));
        Assert.That(recorder.Operations.Single().GetTagItem("error.type"), Is.EqualTo(typeof(InvalidOperationException).FullName));
    }

    [Test]
    public async Task A_connection_that_is_lost_ends_the_span_with_its_error()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using var command = new PgCommand("SELECT pg_terminate_backend(pg_backend_pid()) FROM products", connection);
        await Catch<PgException>(() => Mode.ExecuteScalar(command));
        var span = recorder.Operations.Single();
        Assert.That(span.Status, Is.EqualTo(ActivityStatusCode.Error));
        Assert.That(span.GetTagItem("error.type"), Is.Not.Null);
    }

    [Test]
    public async Task A_statement_without_parameters_is_shown_without_its_literals()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await Mode.ExecuteScalar(new PgCommand("SELECT name FROM products WHERE name = 'secret' AND id = 42", connection));
        Assert.That(recorder.Operations.Single().GetTagItem("db.query.text"), Is.EqualTo("SELECT name FROM products WHERE name = ? AND id = ?"));
    }

    [Test]
    public async Task A_batch_is_one_span()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using var same = new PgBatch(connection) { BatchCommands = { new("SELECT 1 FROM products"), new("SELECT 2 FROM products") } };
        await Mode.Run(same.ExecuteNonQuery, () => same.ExecuteNonQueryAsync());
        await using var mixed = new PgBatch(connection) { BatchCommands = { new("SELECT 1"), new("UPDATE products SET name = name") } };
        await Mode.Run(mixed.ExecuteNonQuery, () => mixed.ExecuteNonQueryAsync());
        var spans = recorder.Operations;
        Assert.That(spans.Select(static span => (span.DisplayName, span.GetTagItem("db.operation.name"), span.GetTagItem("db.operation.batch.size"))),
            Is.EqualTo(new[] { ("BATCH SELECT products", (object?)"BATCH SELECT", (object?)2), ("BATCH", "BATCH", 2) }));
    }

    [Test]
    public async Task An_error_behind_the_first_result_is_told(
        [Values("SELECT 1/0 FROM products|22012", "INSERT INTO later VALUES (1), (1)|23505")] string failing, [Values] bool isBatch, [Values] bool byClose)
    {
        await using var connection = await OpenFrom(Source());
        await Mode.ExecuteNonQuery(new PgCommand("CREATE TABLE IF NOT EXISTS later (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)", connection));
        using var recorder = new Recorder(DatabaseName, measures: true);
        var (sql, state) = (failing.Split('|')[0], failing.Split('|')[1]);
        await using var command = new PgCommand($"SELECT id FROM products; {sql}", connection);
        await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT id FROM products"), new(sql) } };
        var reader = isBatch ? await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()) : await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var error = await Catch<PostgresException>(async () =>
        {
            while (!byClose && await Mode.NextResult(reader))
            {
            }
            await Mode.Close(reader);
        });
        await Mode.Close(reader);
        Assert.That(error.SqlState, Is.EqualTo(state));
        var span = recorder.Operations.Single();
        Assert.That((span.Status, span.StatusDescription), Is.EqualTo((ActivityStatusCode.Error, error.Message)));
        Assert.That(span.GetTagItem("db.response.status_code"), Is.EqualTo(state));
        Assert.That(recorder.Of("db.client.operation.duration").Select(static one => one.Tag("error.type")), Is.EqualTo(new[] { state }));
    }

    [Test]
    public async Task The_span_of_a_reader_ends_as_well_when_its_connection_is_closed(
        [Values("", "; SELECT 1/0 FROM products")] string rest, [Values] bool isBatch)
    {
        var sql = "SELECT repeat('x', 1000) FROM products, generate_series(1, 100)";
        var source = Source();
        using var recorder = new Recorder(DatabaseName, measures: true);
        foreach (var closesReader in new[] { true, false })
        {
            await using var connection = await OpenFrom(source);
            await using var command = new PgCommand(sql + rest, connection);
            await using var batch = new PgBatch(connection) { BatchCommands = { new(sql), new(rest.Length > 0 ? rest[2..] : sql) } };
            var reader = isBatch ? await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()) : await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            if (closesReader && rest.Length > 0)
                await Catch<PostgresException>(() => Mode.Close(reader));
            else if (closesReader)
                await Mode.Close(reader);
            await Mode.Close(connection);
            Assert.That(recorder.Operations, Has.Length.EqualTo(closesReader ? 1 : 2));
        }
        await using (var connection = await OpenFrom(source))
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(1));
        await Mode.Dispose(source);
        var spans = recorder.Operations;
        Assert.That(spans, Has.Length.EqualTo(3));
        Assert.That((spans[1].Status, spans[1].StatusDescription), Is.EqualTo((spans[0].Status, spans[0].StatusDescription)));
        Assert.That(spans[1].TagObjects, Is.EquivalentTo(spans[0].TagObjects));
        var errors = recorder.Of("db.client.operation.duration").Select(static one => one.Tag("error.type"));
        Assert.That(errors, Is.EqualTo(rest.Length > 0 ? new[] { "22012", "22012", null } : [null, null, null]));
    }

    [Test]
    public async Task Each_execution_is_one_span_whatever_its_form()
    {
        var source = Source();
        await using var connection = await OpenFrom(source);
        await using var prepared = new PgCommand("SELECT id FROM products", connection);
        await Mode.Prepare(prepared);
        await using var own = source.CreateCommand("SELECT id FROM products");
        await Mode.ExecuteScalar(own);
        using var recorder = new Recorder(DatabaseName);
        var count = 0;
        for (var i = 0; i < 3; i++)
        {
            foreach (var command in new[] { prepared, own, new PgCommand("SELECT id FROM products; SELECT 2", connection) })
            {
                await Mode.ExecuteNonQuery(command);
                await Mode.ExecuteScalar(command);
                var early = await Mode.ExecuteReader(command);
                await Mode.Read(early);
                await Mode.Close(early);
                count += 3;
                Assert.That(recorder.Operations, Has.Length.EqualTo(count), command.CommandText);
            }
        }
        await using (var many = new PgCommand("INSERT INTO products VALUES ($1) ON CONFLICT DO NOTHING", connection) { Parameters = { new PgParameter<int>() } })
        {
            await Mode.Run(
                () => many.ExecuteMany([1, 2], static (id, values) => ((PgParameter<int>)values[0]).TypedValue = id),
                () => many.ExecuteManyAsync([1, 2], static (id, values) => ((PgParameter<int>)values[0]).TypedValue = id));
        }
        Assert.That(recorder.Operations, Has.Length.EqualTo(++count));
        Assert.That(recorder.Operations[^1].DisplayName, Is.EqualTo("INSERT products"));
        Assert.That(recorder.Operations, Is.All.Matches<Activity>(static span => span!.Duration > TimeSpan.Zero && span.Status == ActivityStatusCode.Unset));
    }

    [Test]
    public async Task Each_command_of_a_pipeline_is_a_span()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        var pipeline = connection.CreatePipeline();
        await using (pipeline)
        {
            var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1 FROM products"));
            var second = pipeline.AddScalar<int>(new PgCommand("SELECT 1/0 FROM products"));
            Assert.That(await Mode.Run(() => first.GetResult(), async () => await first.GetResultAsync()), Is.EqualTo(1));
            await Catch<PostgresException>(() => Mode.Run(() => second.GetResult(), async () => await second.GetResultAsync()));
        }
        Assert.That(recorder.Operations.Select(static span => span.Status), Is.EqualTo(new[] { ActivityStatusCode.Unset, ActivityStatusCode.Error }));
    }

    [Test]
    public async Task A_command_of_a_pipeline_that_is_given_up_or_lost_is_a_span([Values] bool isLost)
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using (var pipeline = connection.CreatePipeline())
        {
            var slow = pipeline.AddNonQuery(new PgCommand("SELECT pg_sleep(600) FROM products") { CommandTimeout = isLost ? 0 : 1 });
            pipeline.Flush();
            if (isLost)
                await Execute($"SELECT pg_terminate_backend({connection.ProcessID}, 5000)");
            await Catch<PgException>(() => Mode.Run(() => slow.Wait(), () => slow.WaitAsync()));
        }
        Assert.That(recorder.Operations.Where(static span => span.DisplayName.Contains("products")).Select(static span => span.Status),
            Is.EqualTo(new[] { ActivityStatusCode.Error }));
    }

    // The server has run what nobody has asked for: the last one while the pipeline was disposed of, the others before.
    [Test]
    public async Task Commands_of_a_pipeline_whose_results_nobody_takes_are_spans()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        var pipeline = connection.CreatePipeline();
        pipeline.AddNonQuery(new PgCommand("SELECT 1 FROM products"));
        pipeline.AddScalar<int>(new PgCommand("SELECT 1/0 FROM products"));
        pipeline.AddReader(new PgCommand("SELECT 2 FROM products"));
        pipeline.Sync();
        var begun = pipeline.AddReader(new PgCommand("SELECT 3 FROM products, generate_series(1, 1000)"));
        var sync = pipeline.Sync();
        await Mode.Run(() => sync.Wait(), () => sync.WaitAsync());
        await Mode.Read(await Mode.Run(() => begun.GetResult(), async () => await begun.GetResultAsync()));
        pipeline.AddNonQuery(new PgCommand("UPDATE products SET id = id WHERE pg_sleep(0.1) IS NULL"));
        await Mode.Dispose(pipeline);

        Assert.That(recorder.Operations.Select(static span => (span.Status, span.GetTagItem("error.type"))), Is.EquivalentTo(new (ActivityStatusCode, object?)[]
        {
            (ActivityStatusCode.Unset, null), (ActivityStatusCode.Error, "22012"), (ActivityStatusCode.Error, "Loxo.PgException"), (ActivityStatusCode.Unset, null),
            (ActivityStatusCode.Unset, null),
        }));
    }

    [Test]
    public async Task Commands_of_a_pipeline_whose_connection_is_lost_before_their_results_are_taken_are_spans()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        var pipeline = connection.CreatePipeline();
        for (var i = 0; i < 100; i++)
            pipeline.AddNonQuery(new PgCommand("SELECT pg_sleep(600) FROM products"));
        pipeline.Flush();
        await Execute($"SELECT pg_terminate_backend({connection.ProcessID}, 5000)");
        await Mode.Dispose(pipeline);

        var spans = recorder.Operations.Where(static span => span.DisplayName.Contains("products")).ToList();
        Assert.That(spans, Has.Count.EqualTo(100));
        Assert.That(spans.Select(static span => span.Status), Is.All.EqualTo(ActivityStatusCode.Error));
    }

    [Test, Platform("Linux")]
    public async Task Commands_of_a_pipeline_whose_server_does_not_answer_are_spans()
    {
        await using var connection = await OpenFrom(Source(";Command Timeout=1;Cancellation Timeout=500"));
        using var recorder = new Recorder(DatabaseName);
        var process = connection.ProcessID;
        Frozen.Freeze(process);
        try
        {
            var pipeline = connection.CreatePipeline();
            for (var i = 0; i < 10; i++)
                pipeline.AddNonQuery(new PgCommand("SELECT 1 FROM products"));
            await Mode.Dispose(pipeline);
        }
        finally
        {
            Frozen.Thaw(process);
        }

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        Assert.That(recorder.Operations.Select(static span => span.Status), Is.EqualTo(Enumerable.Repeat(ActivityStatusCode.Error, 10)));
    }

    [Test]
    public async Task Each_command_in_a_lane_is_a_span()
    {
        // The shared database, which has been audited: in a new one, lanes would wait for that.
        await using var source = PgDataSource.Create(TestServer.Default.ConnectionString + ";Multiplexing=true");
        // A lane is opened beside the first commands.
        while (source.GetLaneStatistics()!.Commands == 0)
            await Run();
        using var recorder = new Recorder(new PgConnectionStringBuilder(TestServer.Default.ConnectionString).Database!);
        var before = source.GetLaneStatistics()!.Commands;
        for (var i = 0; i < 50; i++)
            await Run();
        Assert.That(source.GetLaneStatistics()!.Commands, Is.EqualTo(before + 50));
        Assert.That(recorder.Operations, Has.Length.EqualTo(50));
        Assert.That(recorder.Operations, Is.All.Matches<Activity>(static span =>
            span!.DisplayName == "SELECT pg_am" && Equals(span.GetTagItem("db.response.returned_rows"), 1L)));

        async Task Run()
        {
            await using var connection = await OpenFrom(source);
            await using var command = new PgCommand("SELECT amname FROM pg_am WHERE amname = $1", connection) { Parameters = { new PgParameter<string>("heap") } };
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("heap"));
        }
    }

    [Test]
    public async Task A_copy_is_a_span()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        var exporter = await Mode.Run(
            () => connection.BeginBinaryExport("COPY products (id) TO STDOUT (FORMAT binary)"),
            () => connection.BeginBinaryExportAsync("COPY products (id) TO STDOUT (FORMAT binary)"));
        while (await Mode.Run(exporter.StartRow, async () => await exporter.StartRowAsync()) >= 0)
        {
        }
        await Mode.Dispose(exporter);
        await Catch<PostgresException>(() => Mode.Run(
            () => connection.BeginBinaryImport("COPY missing FROM STDIN (FORMAT binary)"),
            () => connection.BeginBinaryImportAsync("COPY missing FROM STDIN (FORMAT binary)")));
        var spans = recorder.Operations;
        Assert.That(spans.Select(static span => (span.DisplayName, span.Status)),
            Is.EqualTo(new[] { ("COPY products", ActivityStatusCode.Unset), ("COPY missing", ActivityStatusCode.Error) }));
        Assert.That(spans[1].GetTagItem("db.response.status_code"), Is.EqualTo("42P01"));
    }

    [Test]
    public async Task Opening_a_physical_connection_is_a_span()
    {
        using var recorder = new Recorder(DatabaseName);
        await using (await OpenFrom(Source()))
        {
        }
        await using (await OpenFrom(Source("", static builder => builder.ConfigureTracing(static tracing =>
            tracing.EnablePhysicalOpenTracing(false).UsePoolWaitThreshold(Timeout.InfiniteTimeSpan)))))
        {
        }
        Assert.That(recorder.Spans.Select(static span => span.OperationName).Where(static name => !name.StartsWith("WAIT", StringComparison.Ordinal)),
            Is.EqualTo(new[] { "CONNECT " + DatabaseName }));
        using var others = new Recorder("no_such_database");
        await using var wrong = new PgConnection(TestServer.Default.ConnectionString + ";Database=no_such_database;Pooling=false");
        await Catch<PostgresException>(() => Mode.Open(wrong));
        Assert.That(others.Spans.Single().GetTagItem("db.response.status_code"), Is.EqualTo("3D000"));
    }

    [Test]
    public async Task A_long_wait_for_a_connection_is_a_span()
    {
        var source = Source(";Maximum Pool Size=1;Timeout=5", static builder => builder.Name = "waited");
        using var outer = new Activity("outer").Start();
        using var recorder = new Recorder(DatabaseName);
        var first = await OpenFrom(source);
        await Catch<PgException>(() => OpenFrom(source));
        await Mode.Close(first);
        await Mode.Dispose(await OpenFrom(source));
        var waits = recorder.Spans.Where(static span => span.OperationName == "WAIT waited").ToArray();
        // The first may wait for a physical connection, and the last one for its reset.
        var wait = waits.Single(static span => span.Status == ActivityStatusCode.Error);
        Assert.That(wait.Duration.TotalSeconds, Is.InRange(4.9, 14));
        Assert.That(wait.ParentSpanId, Is.EqualTo(outer.SpanId));
        Assert.That(wait.GetTagItem("db.client.connection.pool.name"), Is.EqualTo("waited"));
        Assert.That(waits.Length, Is.LessThanOrEqualTo(3));
        Assert.That(Activity.Current, Is.SameAs(outer));
    }

    [Test]
    public async Task The_user_chooses_names_and_adds_to_spans()
    {
        await using var connection = await OpenFrom(Source("", static builder => builder.ConfigureTracing(static tracing => tracing
            .ConfigureCommandFilter(static command => !command.CommandText.Contains("hidden", StringComparison.Ordinal))
            .ConfigureCommandSpanNameProvider(static command => command.CommandText.Contains("named", StringComparison.Ordinal) ? "a name" : null)
            .ConfigureCommandEnrichmentCallback(static (span, command) => span.SetTag("length", command.CommandText.Length))
            .ConfigureBatchFilter(static _ => false)
            .ConfigureCopyOperationFilter(static sql => sql.Length == 0)
            .EnableFirstResponseEvent(false))));
        using var recorder = new Recorder(DatabaseName);
        foreach (var sql in new[] { "SELECT 1 AS hidden", "SELECT 1 AS named", "SELECT 1" })
            await Mode.ExecuteScalar(new PgCommand(sql, connection));
        await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT 1") } };
        await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
        Assert.That(recorder.Operations.Select(static span => (span.DisplayName, span.GetTagItem("length"), span.Events.Count())),
            Is.EqualTo(new[] { ("a name", (object?)17, 0), ("SELECT", 8, 0) }));
    }

    [Test]
    public async Task What_listeners_and_callbacks_throw_is_no_error_of_the_command()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Loxo",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStarted = static _ => throw new InvalidOperationException("started"),
            ActivityStopped = static _ => throw new InvalidOperationException("stopped"),
        };
        var source = Source("", static builder => builder.ConfigureTracing(static tracing =>
            tracing.ConfigureCommandEnrichmentCallback(static (_, _) => throw new InvalidOperationException("enriched"))));
        ActivitySource.AddActivityListener(listener);
        await using var connection = await OpenFrom(source);
        for (var i = 0; i < 3; i++)
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", connection)), Is.EqualTo(1));
        await Catch<PostgresException>(() => Mode.ExecuteScalar(new PgCommand("SELECT 1/0", connection)));
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 2", connection)), Is.EqualTo(2));
        Assert.That(source.GetPoolStatistics()!.Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task A_span_that_the_caller_has_begun_meanwhile_stays_current()
    {
        await using var connection = await OpenFrom(Source());
        using var recorder = new Recorder(DatabaseName);
        await using var command = new PgCommand("SELECT id FROM products", connection);
        var reader = await Mode.ExecuteReader(command);
        using var own = new Activity("own").Start();
        while (await Mode.Read(reader))
        {
        }
        Assert.That(Activity.Current, Is.SameAs(own));
        await Mode.Close(reader);
        Assert.That(Activity.Current, Is.SameAs(own));
        Assert.That(recorder.Operations, Has.Length.EqualTo(1));
    }
}
