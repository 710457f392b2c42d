namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Batches, and texts of several statements, run in a lane as they do on a session of their own.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class BatchTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task A_batch_runs_in_a_lane_once_its_columns_are_known()
    {
        var connection = await OpenAsync();
        await using var batch = new PgBatch(connection);
        Add(batch, "SELECT $1::int", 1);
        Add(batch, "SELECT n, 'x' || n FROM generate_series(1, $1::int) n", 3);
        Add(batch, "SELECT 1 WHERE $1::int < 0", 1);
        for (var i = 0; i < 20; i++)
        {
            Assert.That(await ReadAll(batch), Is.EqualTo(new[] { "1", "1,x1 2,x2 3,x3", "" }));
            Assert.That(batch.BatchCommands[1].Rows, Is.EqualTo(3));
            Assert.That(connection.ProcessID, Is.Zero);
        }
        var pids = new HashSet<object?>();
        for (var i = 0; i < 30; i++)
            pids.Add(await Scalar(connection, "SELECT 1; SELECT pg_backend_pid()"));
        Assert.That(pids, Has.Count.GreaterThan(1), "several lanes");
    }

    [Test]
    public async Task A_batch_is_one_transaction_and_a_barrier_divides_it([Values] bool barriers)
    {
        await Execute("CREATE TABLE IF NOT EXISTS lane_batches (id int PRIMARY KEY)");
        await Execute("TRUNCATE lane_batches");
        var connection = await OpenAsync();
        for (var i = 0; i < 5; i++)
        {
            await using var batch = new PgBatch(connection) { EnableErrorBarriers = barriers };
            Add(batch, "INSERT INTO lane_batches VALUES ($1)", i);
            Add(batch, "INSERT INTO lane_batches VALUES ($1 / ($1 - $1))", 1);
            Add(batch, "INSERT INTO lane_batches VALUES ($1)", 100 + i);
            var error = await Catch<PostgresException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
            Assert.That((error.SqlState, connection.State), Is.EqualTo(("22012", System.Data.ConnectionState.Open)));
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM lane_batches"), Is.EqualTo(barriers ? 10 : 0));
    }

    [Test]
    public async Task A_batch_whose_types_have_to_be_looked_up_runs_on_a_session_of_its_own()
    {
        var type = "mood_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE TYPE {type} AS ENUM ('calm'); CREATE TABLE {type}s (mood {type})");
        try
        {
            await using var source = await WithLaneForChanges();
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            await using var batch = new PgBatch(connection);
            for (var i = 0; i < 3; i++)
            {
                var insert = new PgBatchCommand($"INSERT INTO {type}s VALUES ($1)");
                insert.Parameters.Add(new PgParameter { Value = "calm", DataTypeName = type });
                batch.BatchCommands.Add(insert);
            }
            Assert.That(await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()), Is.EqualTo(3));
        }
        finally
        {
            await Execute($"DROP TABLE {type}s; DROP TYPE {type}");
        }
    }

    [Test]
    public async Task A_value_of_a_batch_that_cannot_be_written_is_the_error([Values(0, 1, 2)] int wrong)
    {
        await using var source = await WithLaneForChanges();
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var batch = new PgBatch(connection);
        for (var i = 0; i < 3; i++)
        {
            var update = new PgBatchCommand("UPDATE lane_batches SET id = id WHERE $1::int < 0");
            update.Parameters.Add(i == wrong ? new PgParameter { Value = "x", PgDbType = PgDbType.Integer } : new PgParameter { Value = i });
            batch.BatchCommands.Add(update);
        }
        await Catch<InvalidCastException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        Assert.That(source.GetLaneStatistics()!.CommandsInFlight, Is.Zero);
    }

    [Test]
    public async Task Many_batches_at_once_have_their_own_results()
    {
        var warm = await OpenAsync();
        await One(warm, 0);
        var calls = Enumerable.Range(1, 100).Select(i => Call(async () =>
        {
            var connection = await OpenAsync();
            for (var n = 0; n < 20; n++)
                Assert.That(await One(connection, i), Is.EqualTo(new[] { $"{i}", string.Join(' ', Enumerable.Range(1, i)), $"{-i}" }));
            return true;
        })).ToList();
        foreach (var call in calls)
            await call;

        async Task<string[]> One(PgConnection connection, int i)
        {
            await using var batch = new PgBatch(connection);
            Add(batch, "SELECT $1::int", i);
            Add(batch, "SELECT n FROM generate_series(1, $1::int) n", i);
            Add(batch, "SELECT -$1::int", i);
            return await ReadAll(batch);
        }
    }

    // It has run no batch.
    private async Task<PgDataSource> WithLaneForChanges()
    {
        await Execute("CREATE TABLE IF NOT EXISTS lane_batches (id int PRIMARY KEY)");
        var source = new PgDataSource(Source.Settings);
        await AwaitLane(source);
        for (var end = DateTime.UtcNow.AddMinutes(1); source.GetLaneStatistics()!.MixedLanes == 0; await Task.Delay(10))
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "No lane has been opened.");
            await Run(source, "UPDATE lane_batches SET id = id WHERE false");
        }
        return source;
    }

    private async Task<PgConnection> OpenAsync()
    {
        var connection = Source.CreateConnection();
        await Mode.Open(connection);
        return connection;
    }

    private static void Add(PgBatch batch, string sql, int value)
    {
        var command = new PgBatchCommand(sql);
        command.Parameters.Add(new PgParameter<int> { TypedValue = value });
        batch.BatchCommands.Add(command);
    }

    private async Task<object?> Scalar(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        var reader = await Mode.ExecuteReader(command);
        await Mode.NextResult(reader);
        await Mode.Read(reader);
        var value = reader.GetValue(0);
        await Mode.Close(reader);
        return value;
    }

    private async Task<string[]> ReadAll(PgBatch batch)
    {
        var results = new List<string>();
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        do
        {
            var rows = new List<string>();
            while (await Mode.Read(reader))
                rows.Add(string.Join(',', Enumerable.Range(0, reader.FieldCount).Select(i => reader.GetValue(i))));
            results.Add(string.Join(' ', rows));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        return [.. results];
    }
}
