using System.Data;
using Dapper;
using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>What ordinary code asks for gets a lane where it can have one, and does what it does on a session of its own.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneUseTests(WaitMode mode) : LaneTest(mode)
{
    private const int Times = 50;

    // Dapper asks for SequentialAccess.
    [Test]
    public async Task The_queries_of_Dapper_run_in_lanes()
    {
        const string Sql = "SELECT n AS id, 'name ' || n AS name FROM generate_series(1, @most) n -- Dapper";
        await Query();
        var before = Source.GetLaneStatistics()!;
        for (var i = 0; i < Times; i++)
            Assert.That(await Query(), Is.EqualTo(Enumerable.Range(1, 5).Select(static n => (n, $"name {n}"))));
        Assert.That(Source.GetLaneStatistics()!.Commands - before.Commands, Is.EqualTo(Times));

        async Task<List<(int Id, string Name)>> Query()
        {
            await using var connection = Source.CreateConnection();
            return [.. await Mode.Run(
                () => connection.Query<(int, string)>(Sql, new { most = 5 }),
                () => connection.QueryAsync<(int, string)>(Sql, new { most = 5 }))];
        }
    }

    [Test]
    public async Task A_text_with_a_long_row_is_read_in_pieces_on_a_session_of_its_own()
    {
        const string Sql = "SELECT repeat('long', $1::int / 4) -- in pieces";
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand(Sql, connection) { Parameters = { new PgParameter { Value = 4 } } };
        foreach (var length in (int[])[4, 400, 40_000, 4_000_000, 4, 4_000_000])
        {
            command.Parameters[0].Value = length;
            await using var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
            Assert.That(await Mode.Read(reader), Is.True);
            using var text = reader.GetTextReader(0);
            Assert.That((await text.ReadToEndAsync()).Length, Is.EqualTo(length));
        }
        var statistics = Source.GetLaneStatistics()!;
        command.Parameters[0].Value = 4;
        (await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess)).Dispose();
        Assert.That(Source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(PgOwnSessionReason.Unsuited),
            Is.EqualTo(statistics.OwnSessions.GetValueOrDefault(PgOwnSessionReason.Unsuited) + 1));
    }

    [Test]
    public async Task The_first_value_of_a_long_result_is_taken_without_its_rest()
    {
        const string Sql = "SELECT n, repeat('z', 100) FROM generate_series(1, $1::int) n, generate_series(1, $1::int) m";
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand(Sql, connection) { CommandTimeout = 5, Parameters = { new PgParameter { Value = 1 } } };
        await Mode.ExecuteScalar(command);
        command.Parameters[0].Value = 30_000;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        Assert.That(await Run("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task What_a_change_has_done_stays_if_its_connection_is_closed_under_the_reader()
    {
        await Execute("DROP TABLE IF EXISTS left_change");
        await Execute("CREATE TABLE left_change (n int)");
        try
        {
            await Execute("INSERT INTO left_change SELECT 0 FROM generate_series(1, 50000)");
            const string Sql = "UPDATE left_change SET n = n + 1 WHERE n < $1 RETURNING n, repeat('x', 1000)";
            await Until(() =>
            {
                _ = Run(Sql, -1).Result;
                return Source.Lanes!.All.Any(static lane => !lane.Reads);
            });
            await using var connection = Source.CreateConnection();
            await Mode.Open(connection);
            await using var command = new PgCommand(Sql, connection) { Parameters = { new PgParameter { Value = 1000 } } };
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(connection.ProcessID, Is.Zero, "It runs in a lane.");
            await Mode.Close(connection);
            await Until(() => Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = $1", Sql).Result == 0);
            Assert.That(await Scalar<int>("SELECT max(n) FROM left_change"), Is.EqualTo(1));
        }
        finally
        {
            await Execute("DROP TABLE left_change");
        }
    }

    [Test]
    public async Task A_lane_for_queries_does_not_look_like_a_server_that_only_reads()
    {
        for (var i = 0; i < 5; i++)
        {
            Assert.That(await Run("SELECT current_setting('transaction_read_only')"), Is.EqualTo("off"));
            Assert.That(await Run("SELECT setting FROM pg_settings WHERE name = 'default_transaction_read_only'"), Is.EqualTo("off"));
        }
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        Assert.That(connection.PostgresParameters.GetValueOrDefault("default_transaction_read_only", "off"), Is.EqualTo("off"));
    }

    [Test]
    public async Task A_text_that_writes_late_runs_elsewhere_from_then_on()
    {
        await using var database = await TestDatabase.Create(
            "CREATE TABLE written (i int)",
            "CREATE FUNCTION write_at(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF $1 = 20000 THEN INSERT INTO written VALUES ($1); END IF; RETURN $1; END $$",
            "CREATE VIEW late AS SELECT write_at(n) AS n, repeat('x', 100) AS x FROM generate_series(1, 30000) n");
        await using var source = PgDataSource.Create(database.ConnectionString + ";Multiplexing=true;Session Reset=Auto");
        await AwaitLane(source);
        await Read();
        // Rows of it have been read when the server refuses the change, so it cannot run again by itself.
        var error = await Catch<PostgresException>(Read);
        Assert.That(error.SqlState, Is.EqualTo("25006"));
        await Read();
        Assert.That(await Run(source, "SELECT count(*) FROM written"), Is.EqualTo(2));

        async Task<int> Read()
        {
            await using var command = source.CreateCommand("SELECT * FROM late");
            await using var reader = await Mode.ExecuteReader(command);
            var rows = 0;
            while (await Mode.Read(reader))
                rows++;
            Assert.That(rows, Is.EqualTo(30_000));
            return rows;
        }
    }

    // The owner of a lock runs something else, which must not wait behind a command that waits for the lock.
    [Test]
    public async Task A_change_does_not_wait_behind_one_that_waits_for_its_own_caller()
    {
        await Execute("DROP TABLE IF EXISTS awaited, unrelated");
        await Execute("CREATE TABLE awaited (id int PRIMARY KEY, n int); CREATE TABLE unrelated (n int)");
        await Execute("INSERT INTO awaited VALUES (1, 0)");
        try
        {
            const string Update = "UPDATE awaited SET n = n + 1 WHERE id = 1";
            const string Insert = "INSERT INTO unrelated VALUES ($1)";
            for (var i = 0; i < 5; i++)
            {
                await Run(Update);
                await Run(Insert, i);
            }
            await using var owner = Source.CreateConnection();
            await Mode.Open(owner);
            await using var transaction = await Mode.Run(() => owner.BeginTransaction(), () => owner.BeginTransactionAsync().AsTask());
            await RunOn(owner, Update);
            // More than there are lanes.
            var waiting = new List<Task<object?>>();
            for (var i = 0; i < 16; i++)
            {
                waiting.Add(Call(() => Run(Update)));
                await Task.Delay(20);
            }
            await Until(() => Source.Lanes!.All.Where(static lane => !lane.Reads).All(static lane => lane.IsHeldUp || lane.Depth == 0));
            await using (var insert = Source.CreateCommand(Insert))
            {
                insert.CommandTimeout = 10;
                insert.Parameters.Add(new PgParameter { Value = -1 });
                Assert.That(await Mode.ExecuteNonQuery(insert), Is.EqualTo(1));
            }
            await Mode.Commit(transaction);
            await Task.WhenAll(waiting);
            Assert.That(await Scalar<int>("SELECT n FROM awaited"), Is.EqualTo(22));
        }
        finally
        {
            await Execute("DROP TABLE awaited, unrelated");
        }
    }

    private async Task<object?> RunOn(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }

    [Test]
    public async Task A_parameter_whose_type_was_made_anew_runs_again_with_the_new_one()
    {
        var type = "lane_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TYPE {type} AS ENUM ('a')");
        try
        {
            for (var i = 0; i < 4; i++)
                Assert.That(await Value(), Is.EqualTo("a"));
            var before = Source.GetLaneStatistics()!.Commands;
            Assert.That(await Value(), Is.EqualTo("a"));
            Assert.That(Source.GetLaneStatistics()!.Commands, Is.EqualTo(before + 1), "it runs in a lane");
            for (var i = 0; i < 3; i++)
            {
                await Execute($"DROP TYPE {type}; CREATE TYPE {type} AS ENUM ('b', 'a')");
                Assert.That(await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => Call(Value))), Is.All.EqualTo("a"));
            }
        }
        finally
        {
            await Execute($"DROP TYPE {type}");
        }

        async Task<object?> Value()
        {
            await using var command = Source.CreateCommand($"SELECT $1 -- {type}");
            command.Parameters.Add(new PgParameter { Value = "a", DataTypeName = type });
            return await Mode.ExecuteScalar(command);
        }
    }
}
