using System.Data;
using System.Globalization;

namespace Loxo.IntegrationTests.Reader;

/// <summary>Results that are fetched in portions: the same rows, and no more of them than were asked for.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class FetchSizeTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Every_row_comes_once_and_in_order(
        [Values(1, 7, 100, 1000)] int fetchSize, [Values(0, 1, 99, 100, 101)] int rows, [Values] bool inTransaction)
    {
        await using var transaction = inTransaction ? await Begin() : null;
        for (var run = 0; run < 4; run++) // the last ones are prepared
        {
            var read = await Read(Fetching("SELECT i, 'row ' || i FROM generate_series(1, $1) i", fetchSize, rows));
            Assert.That(read, Is.EqualTo(Enumerable.Range(1, rows)));
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_reader_that_is_closed_early_leaves_the_rest_and_no_portal([Values] bool inTransaction)
    {
        await using var transaction = inTransaction ? await Begin() : null;
        await using var command = Fetching("SELECT i + 0 * length(repeat('x', i % 2)) FROM (SELECT generate_series(1, 1000000) i) streamed", 10);
        var reader = await Mode.ExecuteReader(command);
        for (var i = 1; i <= 25; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(i));
        }
        await Mode.Close(reader);

        await AssertUsable();
        // A portal that was left open would show here, and keep its tables in use.
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_cursors WHERE statement LIKE '%1000000%' AND statement NOT LIKE '%pg_cursors%'"), Is.Zero);
    }

    [Test]
    public async Task The_rows_of_a_function_with_effects_are_all_made_though_the_reader_is_closed_early()
    {
        await Execute("CREATE TEMP SEQUENCE effects");
        await using var command = Fetching("SELECT nextval('effects') FROM generate_series(1, 100)", 10);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);

        Assert.That(await Scalar<long>("SELECT last_value FROM effects"), Is.EqualTo(100));
    }

    [Test]
    public async Task A_change_that_returns_rows_counts_all_of_them([Values] bool closesEarly)
    {
        await Execute("CREATE TEMP TABLE changed (id int)");
        await using var command = Fetching("INSERT INTO changed SELECT generate_series(1, 25) RETURNING id", 10);
        var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader) && !closesEarly)
        {
        }
        await Mode.Close(reader);

        Assert.That(reader.RecordsAffected, Is.EqualTo(25));
        Assert.That(await Scalar<long>("SELECT count(*) FROM changed"), Is.EqualTo(25));
    }

    [Test]
    public async Task Outside_a_transaction_the_statement_is_one_and_ends_with_the_last_row()
    {
        await Execute("CREATE TEMP TABLE seen (id int); INSERT INTO seen SELECT generate_series(1, 30)");
        await using var other = await OpenAnother();
        await using var command = Fetching("SELECT id, pg_backend_pid() FROM seen", 10);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var process = reader.GetInt32(1);
        Assert.That(await StateOf(other, process), Is.EqualTo("active"));
        while (await Mode.Read(reader))
        {
        }

        // The Sync that ends the transaction is not left to the closing of the reader.
        while (await StateOf(other, process) != "idle")
            await Task.Yield();
        await Mode.Close(reader);
    }

    [Test]
    public async Task An_error_in_a_later_portion_comes_where_it_is_read()
    {
        await using var command = Fetching("SELECT 100 / (55 - i) FROM generate_series(1, 100) i", 10);
        var reader = await Mode.ExecuteReader(command);
        var read = 0;
        var error = await Catch<PostgresException>(async () =>
        {
            while (await Mode.Read(reader))
                read++;
        });
        await Mode.Close(reader);

        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.DivisionByZero));
        Assert.That(read, Is.InRange(50, 54));
        await AssertUsable();
    }

    [Test]
    public async Task Of_several_statements_the_last_one_comes_in_portions([Values] bool closesEarly)
    {
        await Execute("CREATE TEMP TABLE several (id int)");
        await using var command = Fetching(
            "SELECT generate_series(1, 20); INSERT INTO several VALUES (1), (2); SELECT generate_series(1, 20)", 6);
        var reader = await Mode.ExecuteReader(command);
        var read = new List<int>();
        do
        {
            while (await Mode.Read(reader) && !closesEarly)
                read.Add(reader.GetInt32(0));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);

        Assert.That(read, Is.EqualTo(closesEarly ? [] : Enumerable.Range(1, 20).Concat(Enumerable.Range(1, 20))));
        Assert.That(reader.RecordsAffected, Is.EqualTo(2));
        await AssertUsable();
    }

    [Test]
    public async Task The_last_statement_of_a_batch_comes_in_portions([Values] bool barriers, [Values] bool fails)
    {
        await using var batch = new PgBatch(Connection) { FetchSize = 4, EnableErrorBarriers = barriers };
        batch.BatchCommands.Add(new PgBatchCommand(fails ? "SELECT 1 / 0" : "SELECT generate_series(1, 10)"));
        batch.BatchCommands.Add(new PgBatchCommand("SELECT generate_series(11, 20)"));
        var read = new List<int>();
        async Task ReadAll()
        {
            var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                while (await Mode.Read(reader))
                    read.Add(reader.GetInt32(0));
            }
            while (await Mode.NextResult(reader));
            await Mode.Close(reader);
        }

        if (fails)
            await Catch<PostgresException>(ReadAll);
        else
            await ReadAll();

        Assert.That(read, Is.EqualTo(fails ? barriers ? Enumerable.Range(11, 10) : [] : Enumerable.Range(1, 20)));
        await AssertUsable();
    }

    [Test]
    public async Task Types_that_are_met_for_the_first_time_can_be_read([Values] bool several)
    {
        await Execute("CREATE TYPE pg_temp.fetched AS ENUM ('a', 'b')");
        await using var command = Fetching((several ? "SELECT 0; " : "") + "SELECT 'b'::pg_temp.fetched, 'x=>1'::text, '{a,b}'::pg_temp.fetched[] FROM generate_series(1, 10)", 3);
        var reader = await Mode.ExecuteReader(command);
        if (several)
            Assert.That(await Mode.NextResult(reader), Is.True);
        var rows = 0;
        while (await Mode.Read(reader))
        {
            Assert.That(reader.GetString(0), Is.EqualTo("b"));
            Assert.That(reader.GetFieldValue<string[]>(2), Is.EqualTo(new[] { "a", "b" }));
            rows++;
        }
        await Mode.Close(reader);
        Assert.That(rows, Is.EqualTo(10));
    }

    [Test]
    public async Task A_column_without_binary_output_can_be_read()
    {
        await using var command = Fetching("SELECT 'postgres=r/postgres'::aclitem FROM generate_series(1, 5)", 2);
        var reader = await Mode.ExecuteReader(command);
        var rows = 0;
        while (await Mode.Read(reader))
            rows += reader.GetString(0).StartsWith("postgres=r", StringComparison.Ordinal) ? 1 : 0;
        await Mode.Close(reader);
        Assert.That(rows, Is.EqualTo(5));
    }

    [Test]
    public async Task The_other_executes_take_what_they_need()
    {
        Assert.That(await Mode.ExecuteScalar(Fetching("SELECT generate_series(7, 1000)", 5)), Is.EqualTo(7));
        Assert.That(await Mode.ExecuteNonQuery(Fetching("SELECT generate_series(7, 1000)", 5)), Is.EqualTo(-1));
        var single = await Mode.ExecuteReader(Fetching("SELECT generate_series(7, 1000)", 5), CommandBehavior.SingleRow);
        Assert.That(await Mode.Read(single), Is.True);
        Assert.That(await Mode.Read(single), Is.False);
        await Mode.Close(single);
        var schema = await Mode.ExecuteReader(Fetching("SELECT generate_series(7, 1000) AS one", 5), CommandBehavior.SchemaOnly);
        Assert.That(schema.GetName(0), Is.EqualTo("one"));
        await Mode.Close(schema);
        await AssertUsable();
    }

    [Test]
    public async Task Long_rows_in_pieces_come_in_portions()
    {
        await using var command = Fetching("SELECT repeat(i::text, 300000), i FROM generate_series(1, 7) i", 3);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        for (var i = 1; await Mode.Read(reader); i++)
        {
            using var text = reader.GetTextReader(0);
            Assert.That(await Mode.Run(text.ReadToEnd, text.ReadToEndAsync), Is.EqualTo(new string((char)('0' + i), 300000)));
            Assert.That(reader.GetInt32(1), Is.EqualTo(i));
        }
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_cancel_between_two_portions_reaches_the_next_one_or_nothing()
    {
        await using var command = Fetching("SELECT i, CASE WHEN i = 15 THEN pg_sleep(600) END FROM generate_series(1, 100) i", 10);
        var reader = await Mode.ExecuteReader(command);
        for (var i = 0; i < 10; i++)
            await Mode.Read(reader);
        command.Cancel();
        await Mode.Close(reader);

        await AssertUsable();
    }

    [Test]
    public async Task A_token_stops_a_portion_that_takes_long()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        using var cancellation = new CancellationTokenSource();
        await using var command = Fetching("SELECT i, CASE WHEN i = 15 THEN pg_sleep(600) END FROM generate_series(1, 100) i", 10);
        var reader = await Mode.ExecuteReader(command);
        for (var i = 0; i < 10; i++)
            await Mode.Read(reader);
        var reading = reader.ReadAsync(cancellation.Token);
        await cancellation.CancelAsync();

        // The server may have made rows before it slept.
        await Catch<OperationCanceledException>(async () =>
        {
            for (var hasRow = await reading; hasRow;)
                hasRow = await reader.ReadAsync(cancellation.Token);
        });

        await reader.DisposeAsync();
        await AssertUsable();
    }

    [Test]
    public async Task Copying_is_refused_as_without()
    {
        var error = await Catch<PostgresException>(() => Mode.ExecuteReader(Fetching("COPY pg_class TO STDOUT", 10)));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.FeatureNotSupported));
        await Execute("CREATE TEMP TABLE copied (id int)");
        await Catch<PostgresException>(() => Mode.ExecuteReader(Fetching("COPY copied FROM STDIN", 10)));
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_is_closed_under_its_reader_goes_back_to_the_pool_in_order()
    {
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await OpenAnother();
            var reader = await Mode.ExecuteReader(new PgCommand("SELECT generate_series(1, 1000)", connection) { FetchSize = 10 });
            Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Close(connection);
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_pipeline_refuses_it()
    {
        await using var pipeline = Connection.CreatePipeline();
        Assert.That(() => pipeline.AddReader(Fetching("SELECT 1", 1)), Throws.InvalidOperationException.With.Message.Contains("FetchSize"));
    }

    [Test]
    public async Task A_negative_number_is_refused()
    {
        await using var command = new PgCommand();
        await using var batch = new PgBatch();
        Assert.That(() => command.FetchSize = -1, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => batch.FetchSize = -1, Throws.InstanceOf<ArgumentOutOfRangeException>());
        command.FetchSize = 3;
        Assert.That(command.Clone().FetchSize, Is.EqualTo(3));
    }

    [Test]
    public async Task With_multiplexing_the_reader_gets_a_session_of_its_own()
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Multiplexing=true;Maximum Pool Size=3");
        await using var connection = await source.OpenConnectionAsync();
        var command = new PgCommand("SELECT generate_series(1, 100)", connection) { FetchSize = 10 };
        for (var run = 0; run < 5; run++)
            Assert.That(await Read(command), Is.EqualTo(Enumerable.Range(1, 100)));
        var lent = source.CreateCommand("SELECT generate_series(1, 100)");
        lent.FetchSize = 10;
        Assert.That(await Read(lent), Is.EqualTo(Enumerable.Range(1, 100)));
    }

    private PgCommand Fetching(string sql, int fetchSize, params object?[] values)
    {
        var command = Command(sql, values);
        command.FetchSize = fetchSize;
        return command;
    }

    private async Task<PgTransaction> Begin() =>
        await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());

    private async Task<List<int>> Read(PgCommand command)
    {
        var read = new List<int>();
        var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader))
            read.Add(reader.GetInt32(0));
        await Mode.Close(reader);
        return read;
    }

    private async Task<string?> StateOf(PgConnection other, int process) => (string?)await Mode.ExecuteScalar(
        new PgCommand($"SELECT state FROM pg_stat_activity WHERE pid = {process.ToString(CultureInfo.InvariantCulture)}", other));
}
