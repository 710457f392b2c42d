namespace Loxo.IntegrationTests.Telemetry;

/// <summary>Statistics of statements: every way to run one counts, and counts once.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class StatementStatisticsTests(WaitMode mode) : TelemetryTest(mode)
{
    private const int Threads = 16;
    private const int Rounds = 60;

    private static readonly string[] _texts =
    [
        "SELECT name FROM products WHERE id = $1", "SELECT id, name FROM products WHERE id >= $1 ORDER BY id", "SELECT 10 / ($1 - 1)",
    ];

    [Test]
    public async Task Nothing_is_counted_unless_that_is_asked_for()
    {
        var source = Source();
        await using var connection = await OpenFrom(source);
        await Run(connection, "SELECT 1");
        Assert.That(source.GetStatementStatistics(), Is.Null);
    }

    [Test]
    public async Task Calls_rows_and_times_of_a_statement_are_counted()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        for (var id = 1; id <= 4; id++)
            await Run(connection, "SELECT name FROM products WHERE id >= $1", id);
        var one = source.GetStatementStatistics()!.Statements.Single();
        Assert.Multiple(() =>
        {
            Assert.That(one.Text, Is.EqualTo("SELECT name FROM products WHERE id >= $1"));
            Assert.That((one.Calls, one.Errors, one.Rows, one.IsPlannable), Is.EqualTo((4L, 0L, 6L, true)));
            Assert.That(one.ParameterTypes, Is.EqualTo(new[] { 23u }));
            Assert.That(one.TotalTime, Is.GreaterThan(TimeSpan.Zero));
            Assert.That(one.MeanTime, Is.EqualTo(one.TotalTime / 4));
            Assert.That(one.MaxTime, Is.InRange(one.MeanTime, one.TotalTime));
            Assert.That(one.MedianTime, Is.InRange(TimeSpan.FromTicks(1), one.MaxTime));
            Assert.That(one.Percentile99Time, Is.InRange(one.MedianTime, one.MaxTime));
            Assert.That(one.LastUsed, Is.EqualTo(DateTimeOffset.UtcNow).Within(TimeSpan.FromMinutes(1)));
        });
    }

    [Test]
    public async Task Statements_that_differ_in_literals_are_one_and_values_are_not_kept()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        await Run(connection, "SELECT 1 FROM products WHERE name = 'secret' AND id = $1", 1);
        await Run(connection, "SELECT 2 FROM products WHERE name = 'hidden' AND id = $1", 2);
        var statistics = source.GetStatementStatistics()!;
        var one = statistics.Statements.Single();
        Assert.That((one.Text, one.Calls), Is.EqualTo(("SELECT ? FROM products WHERE name = ? AND id = $1", 2L)));
        Assert.That($"{statistics} {one}", Does.Not.Contain("secret").And.Not.Contain("hidden"));
        Assert.That(one.GetExecutableText(), Is.EqualTo("SELECT 2 FROM products WHERE name = 'hidden' AND id = $1"));
    }

    [Test]
    public async Task Errors_are_counted_by_SQLSTATE()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        for (var i = 0; i < 3; i++)
            await Catch<PostgresException>(() => Run(connection, "SELECT 1 / $1", 0));
        await Catch<PostgresException>(() => Run(connection, "SELEC"));
        await Run(connection, "SELECT 1 / $1", 1);
        var statistics = source.GetStatementStatistics()!;
        Assert.That(statistics.Errors, Is.EquivalentTo(new Dictionary<string, long> { ["22012"] = 3, ["42601"] = 1 }));
        var division = statistics.Statements.Single(static one => one.Text == "SELECT ? / $1");
        Assert.That((division.Calls, division.Errors, division.Rows), Is.EqualTo((4L, 3L, 1L)));
    }

    [Test]
    public async Task Every_form_of_execution_counts()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        await using (var prepared = new PgCommand("SELECT 'prepared'", connection))
        {
            await Mode.Prepare(prepared);
            await Mode.ExecuteScalar(prepared);
        }
        await using (var own = source.CreateCommand("SELECT id AS own FROM products"))
        {
            var reader = await Mode.ExecuteReader(own);
            await Mode.Read(reader);
            await Mode.Close(reader);
        }
        await Run(connection, "SELECT 1 AS first; UPDATE products SET name = name");
        await RunBatch(connection);
        await RunPipeline(connection);
        await RunMany(connection);
        await RunCopies(connection);
        Assert.That(Counts(source), Is.EquivalentTo(new[]
        {
            "SELECT ?: 1/0 1", "SELECT id AS own FROM products: 1/0 3", "SELECT ? AS first: 1/0 1", "UPDATE products SET name = name: 1/0 3",
            "SELECT ? AS in_batch: 1/0 1", "DELETE FROM products WHERE id > ?: 1/0 0", "SELECT ? AS in_pipeline: 2/0 2",
            "INSERT INTO products VALUES ($1) ON CONFLICT DO NOTHING: 1/0 0", "COPY products TO STDOUT: 1/0 3",
            "COPY products FROM STDIN: 1/1 0",
        }));
    }

    [Test]
    public async Task The_failed_statement_of_a_batch_has_the_error_and_those_behind_it_have_not_run()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT 1 AS a"), new("SELECT 1/0 AS b"), new("SELECT 1 AS c") } };
        await Catch<PostgresException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        Assert.That(Counts(source), Is.EquivalentTo(new[] { "SELECT ? AS a: 1/0 1", "SELECT ?/? AS b: 1/1 0" }));
    }

    [Test]
    public async Task Commands_in_lanes_count()
    {
        var source = Source(";Multiplexing=true;Session Reset=Auto", static builder => builder.UseStatementStatistics());
        await using var connection = await OpenFrom(source);
        while (source.GetLaneStatistics()!.Commands < 20)
        {
            await Run(connection, "SELECT name FROM products WHERE id = $1", 1);
            if (source.GetLaneStatistics()!.QueryLanes == 0)
                await Task.Delay(10); // until the pool knows the database
        }
        var one = source.GetStatementStatistics()!.Statements.Single();
        Assert.That((one.Calls, one.Errors), Is.EqualTo((one.Rows, 0L)));
        Assert.That(one.Calls, Is.GreaterThanOrEqualTo(20));
    }

    [Test]
    public async Task A_lost_connection_is_an_error_of_its_statement()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        await Catch<PgException>(() => Run(connection, "SELECT pg_terminate_backend(pg_backend_pid()) FROM products"));
        var one = source.GetStatementStatistics()!.Statements.Single();
        Assert.That((one.Calls, one.Errors), Is.EqualTo((1L, 1L)));
        Assert.That(source.GetStatementStatistics()!.Errors.Values.Sum(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_text_of_a_megabyte_with_control_characters_is_cut()
    {
        var source = Counting();
        await using var connection = await OpenFrom(source);
        await Run(connection, $"SELECT '\u0001\u001b[31m', 'secret' /* \u0007{new string('x', 1_000_000)} */");
        await Run(connection, $"SELECT '{new string('y', 1_000_000)}'");
        var texts = source.GetStatementStatistics()!.Statements.ToDictionary(static one => one.Text, static one => one.GetExecutableText());
        Assert.That(texts.Keys, Has.All.Length.LessThanOrEqualTo(2048).And.All.Not.Contain("secret"));
        Assert.That(texts["SELECT ?"], Is.Null);
        Assert.That(texts, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task Sixteen_threads_are_counted_as_they_count_themselves()
    {
        var source = Source(";Maximum Pool Size=8", static builder => builder.UseStatementStatistics());
        var (calls, errors, rows) = (new long[_texts.Length], new long[_texts.Length], new long[_texts.Length]);
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() => Drive(source, thread, calls, errors, rows))));
        var statistics = source.GetStatementStatistics()!;
        for (var i = 0; i < _texts.Length; i++)
        {
            var one = statistics.Statements.Single(one => one.Text == _texts[i].Replace("10", "?", StringComparison.Ordinal).Replace("- 1", "- ?", StringComparison.Ordinal));
            Assert.That((one.Calls, one.Errors, one.Rows), Is.EqualTo((calls[i], errors[i], rows[i])), _texts[i]);
        }
        Assert.That(statistics.Errors.GetValueOrDefault("22012"), Is.EqualTo(errors.Sum()));
        Assert.That(statistics.Statements.Sum(static one => one.Calls), Is.EqualTo(Threads * Rounds));
    }

    private async Task Drive(PgDataSource source, int thread, long[] calls, long[] errors, long[] rows)
    {
        for (var round = 0; round < Rounds; round++)
        {
            var which = (thread + round) % _texts.Length;
            await using var command = source.CreateCommand(_texts[which]);
            command.Parameters.Add(new PgParameter<int>((round % 3) + 1));
            Interlocked.Increment(ref calls[which]);
            try
            {
                var reader = await Mode.ExecuteReader(command);
                await using (reader)
                {
                    while (await Mode.Read(reader))
                        Interlocked.Increment(ref rows[which]);
                }
            }
            catch (PostgresException)
            {
                Interlocked.Increment(ref errors[which]);
            }
        }
    }

    private async Task RunBatch(PgConnection connection)
    {
        await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT 1 AS in_batch"), new("DELETE FROM products WHERE id > 9") } };
        await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
    }

    private async Task RunPipeline(PgConnection connection)
    {
        await using var pipeline = connection.CreatePipeline();
        var results = new[] { pipeline.AddNonQuery("SELECT 1 AS in_pipeline"), pipeline.AddNonQuery("SELECT 2 AS in_pipeline") };
        foreach (var result in results)
            await Mode.Run(() => result.Wait(), () => result.WaitAsync());
    }

    private async Task RunMany(PgConnection connection)
    {
        await using var many = new PgCommand("INSERT INTO products VALUES ($1) ON CONFLICT DO NOTHING", connection) { Parameters = { new PgParameter<int>() } };
        await Mode.Run(
            () => many.ExecuteMany([1, 2], static (id, values) => ((PgParameter<int>)values[0]).TypedValue = id),
            () => many.ExecuteManyAsync([1, 2], static (id, values) => ((PgParameter<int>)values[0]).TypedValue = id));
    }

    private async Task RunCopies(PgConnection connection)
    {
        using (var reader = await Mode.Run(() => connection.BeginTextExport("COPY products TO STDOUT"), () => connection.BeginTextExportAsync("COPY products TO STDOUT")))
            await Mode.Run(reader.ReadToEnd, reader.ReadToEndAsync);
        await Catch<PostgresException>(async () =>
        {
            using var writer = await Mode.Run(() => connection.BeginTextImport("COPY products FROM STDIN"), () => connection.BeginTextImportAsync("COPY products FROM STDIN"));
            await writer.WriteAsync("no number\n");
        });
    }

    private PgDataSource Counting() => Source("", static builder => builder.UseStatementStatistics());

    private static string[] Counts(PgDataSource source) =>
        [.. source.GetStatementStatistics()!.Statements.Select(static one => $"{one.Text}: {one.Calls}/{one.Errors} {one.Rows}")];

    private async Task Run(PgConnection connection, string sql, int? parameter = null)
    {
        await using var command = new PgCommand(sql, connection);
        if (parameter is { } value)
            command.Parameters.Add(new PgParameter<int>(value));
        await Mode.ExecuteNonQuery(command);
    }
}
