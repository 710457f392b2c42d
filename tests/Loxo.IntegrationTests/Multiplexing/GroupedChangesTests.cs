using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Changes that share a transaction: each is done once, or reports an error and is not done.</summary>
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class GroupedChangesTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _table = null!;
    private PgDataSource _source = null!;

    [SetUp]
    public async Task Prepare()
    {
        _table = "changes_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY, worth int CHECK (worth >= 0), tx text DEFAULT pg_current_xact_id()::text)");
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Session Reset=Auto;Application Name=changes");
        _source = builder.UseLanes(static lanes => lanes.GroupChanges = true).Build();
        for (var i = 0; _source.Lanes!.Count < 5; i++)
        {
            await Insert(-i - 1, 0);
            await One("SELECT 1");
            await Task.Delay(10);
        }
        await Execute($"DELETE FROM {_table}");
    }

    [TearDown]
    public async Task CleanUp()
    {
        await _source.DisposeAsync();
        await Execute($"DROP TABLE {_table}");
    }

    [Test]
    public async Task Changes_that_are_sent_together_share_a_transaction()
    {
        var results = await Many(3000, i => Insert(i, 1));
        Assert.That(results, Is.All.EqualTo(1));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(3000));
        Assert.That(await Scalar<long>($"SELECT count(DISTINCT tx) FROM {_table}"), Is.LessThan(2500));
    }

    [Test]
    public async Task Each_failure_is_its_own()
    {
        // A check fails at once, a deferred foreign key at the commit.
        await Execute($"CREATE TABLE {_table}_child (id int REFERENCES {_table} DEFERRABLE INITIALLY DEFERRED)");
        try
        {
            await Many(1000, async i =>
            {
                Assert.That(await StateOf(() => Insert(i, i % 10 == 0 ? -1 : 1)), i % 10 == 0 ? Is.EqualTo("23514") : Is.Null);
                Assert.That(await StateOf(() => Change($"INSERT INTO {_table}_child VALUES ($1)", i)), i % 10 == 0 ? Is.EqualTo("23503") : Is.Null);
                return 1;
            });
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(900));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}_child"), Is.EqualTo(900));
        }
        finally
        {
            await Execute($"DROP TABLE {_table}_child");
        }
    }

    // As a serialization failure does, which only the commit finds: the trigger refuses a transaction that is not its row's alone. A
    // sequence counts the refusals, as it is not rolled back.
    [Test]
    public async Task A_commit_that_asks_for_another_attempt_gets_it()
    {
        await Execute($"""
            CREATE SEQUENCE {_table}_refused;
            CREATE FUNCTION {_table}_alone() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF (SELECT count(*) FROM {_table} WHERE tx = NEW.tx) > 1 THEN
                    PERFORM nextval('{_table}_refused');
                    RAISE EXCEPTION 'not alone' USING ERRCODE = 'serialization_failure';
                END IF;
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER alone AFTER INSERT ON {_table} DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.worth = 7) EXECUTE FUNCTION {_table}_alone();
            """);
        try
        {
            // After a failure the changes share nothing for a while.
            for (var i = 0; i < 20_000 && !await Scalar<bool>($"SELECT is_called FROM {_table}_refused"); i += 1000)
                Assert.That(await Many(1000, n => Insert(i + n, (i + n) % 100 == 0 ? 7 : 1)), Is.All.EqualTo(1));
            Assert.That(await Scalar<bool>($"SELECT is_called FROM {_table}_refused"), Is.True, "no commit was refused");
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table} a WHERE worth = 7 AND EXISTS (SELECT FROM {_table} b WHERE b.tx = a.tx AND b.id <> a.id)"), Is.Zero);
            Assert.That(await Scalar<bool>($"SELECT count(*) = max(id) FROM {_table}"), Is.True, "each is there once");
        }
        finally
        {
            await Execute($"DROP FUNCTION {_table}_alone CASCADE; DROP SEQUENCE {_table}_refused");
        }
    }

    [Test]
    public async Task Of_two_that_want_the_same_key_one_gets_it()
    {
        var states = new System.Collections.Concurrent.ConcurrentBag<string?>();
        await Many(2000, async i =>
        {
            states.Add(await StateOf(() => Insert(i / 2, 1)));
            return 1;
        });
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(states.Count(static state => state is null)));
        Assert.That(states.Where(static state => state is not null), Is.All.EqualTo("23505"));
        Assert.That(states.Count(static state => state is null), Is.EqualTo(1001)); // the keys 0 to 1000
    }

    [Test]
    public async Task Rows_are_counted_once_while_callers_want_them_in_different_orders()
    {
        await Execute($"INSERT INTO {_table} SELECT n, 0 FROM generate_series(1, 5) n");
        await Many(2000, async i => await ChangeAgain($"UPDATE {_table} SET worth = worth + 1 WHERE id = $1", (i * 7 % 5) + 1));
        Assert.That(await Scalar<long>($"SELECT sum(worth) FROM {_table}"), Is.EqualTo(2000));
    }

    [Test]
    public async Task A_change_that_reported_success_is_there_after_its_lane_was_ended()
    {
        using var stop = new CancellationTokenSource();
        var killing = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await Task.Delay(30);
                await Scalar<long>("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'changes' AND query LIKE 'INSERT%'");
            }
        });
        var done = new System.Collections.Concurrent.ConcurrentBag<int>();
        var refused = new System.Collections.Concurrent.ConcurrentBag<int>();
        await Many(20_000, async i =>
        {
            try
            {
                await Insert(i, 1);
                done.Add(i);
            }
            catch (PgException e)
            {
                if (e.Message.Contains("has not run it", StringComparison.Ordinal))
                    refused.Add(i);
            }
            return 1;
        });
        await stop.CancelAsync();
        await killing;
        var there = (await Scalar<string>($"SELECT string_agg(id::text, ',') FROM {_table}"))!.Split(',').Select(int.Parse).ToHashSet();
        Assert.That(done.Where(i => !there.Contains(i)), Is.Empty, "reported as done");
        Assert.That(refused.Where(there.Contains), Is.Empty, "reported as not run");
        Assert.That(done, Has.Count.GreaterThan(1000));
        Assert.That(done, Has.Count.LessThan(20_000));
    }

    [Test]
    public async Task Rows_that_a_change_returns_are_those_of_its_own()
    {
        var results = await Many(2000, async i =>
        {
            await using var command = _source.CreateCommand($"INSERT INTO {_table} VALUES ($1, $2) RETURNING id * 2");
            command.Parameters.Add(new PgParameter<int> { TypedValue = i });
            command.Parameters.Add(new PgParameter<int> { TypedValue = i % 50 == 0 ? -1 : 1 });
            try
            {
                return (int)(await command.ExecuteScalarAsync())!;
            }
            catch (PostgresException e) when (e.SqlState == "23514")
            {
                return -1;
            }
        });
        Assert.That(results, Is.EqualTo(Enumerable.Range(1, 2000).Select(static i => i % 50 == 0 ? -1 : i * 2)));
    }

    [Test]
    public async Task Changes_share_nothing_for_a_while_when_groups_fail()
    {
        await Many(500, i => Insert(i, 1));
        var before = _source.GetLaneStatistics()!;
        var states = new System.Collections.Concurrent.ConcurrentBag<string?>();
        await Many(5000, async i =>
        {
            states.Add(await StateOf(() => Insert(-i, -1)));
            return 1;
        });
        var after = _source.GetLaneStatistics()!;
        Assert.That(states, Is.All.EqualTo("23514"));
        Assert.That(after.Commands - before.Commands, Is.GreaterThan(3000));
        // A group has 64 at most, so without pauses there would be dozens; each lane has its own.
        Assert.That(after.Groups - before.Groups, Is.InRange(1, 8 * after.MixedLanes));
        for (var i = 1000; _source.GetLaneStatistics()!.Groups - after.Groups < 20; i += 500)
            Assert.That(await Many(500, n => Insert(i + n, 1)), Is.All.EqualTo(1));
    }

    [Test]
    public async Task A_large_result_beside_them_is_read_in_parts_and_costs_no_change_its_result()
    {
        var large = $"INSERT INTO {_table} SELECT -n, 1 FROM generate_series(1, $1) n RETURNING id, repeat('x', 100)";
        await Read(0);
        await Read(0);
        var reading = Read(100_000);
        var states = await Many(5000, async i => await StateOf(() => Insert(i, i % 100 == 0 ? -1 : 1)) is null ? 1 : 0);
        Assert.That(await reading, Is.EqualTo(100_000));
        Assert.That(states.Sum(), Is.EqualTo(4950));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(104_950));
        // It was too large for a lane.
        var before = _source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(PgOwnSessionReason.Slow);
        await Read(0);
        Assert.That(_source.GetLaneStatistics()!.OwnSessions.GetValueOrDefault(PgOwnSessionReason.Slow), Is.EqualTo(before + 1));

        async Task<int> Read(int rows)
        {
            await using var command = _source.CreateCommand(large);
            command.Parameters.Add(new PgParameter<int> { TypedValue = rows });
            await using var reader = await command.ExecuteReaderAsync();
            var read = 0;
            while (await reader.ReadAsync())
                Assert.That(reader.GetInt32(0), Is.EqualTo(-++read));
            return read;
        }
    }

    // The lookup has a Sync of its own, which commits what others have added in front of it. The answer comes in several pieces, so that
    // they can.
    [Test]
    public async Task Types_are_looked_up_while_others_share_transactions()
    {
        await Execute($"CREATE TYPE {_table}_mood AS ENUM ('calm'); CREATE TABLE {_table}_moods (mood {_table}_mood)");
        try
        {
            await Mood();
            await Mood();
            var inserting = Many(10_000, async i => await StateOf(() => Insert(i, i % 50 == 0 ? -1 : 1)) switch { null => 1, "23514" => 0, _ => -100_000 });
            var moods = 0;
            for (; !inserting.IsCompleted; moods++)
            {
                _source.ReloadTypes();
                Assert.That(await Mood(), Is.EqualTo("calm"));
            }
            Assert.That((await inserting).Sum(), Is.EqualTo(9800));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(9800));
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}_moods"), Is.EqualTo(moods + 2));
        }
        finally
        {
            await Execute($"DROP TABLE {_table}_moods; DROP TYPE {_table}_mood");
        }

        async Task<string> Mood()
        {
            await using var command = _source.CreateCommand($"INSERT INTO {_table}_moods VALUES ('calm') RETURNING mood, repeat('x', 20000)");
            await using var reader = await command.ExecuteReaderAsync();
            await reader.ReadAsync();
            return reader.GetFieldValue<string>(0);
        }
    }

    // A lane that is opened later is told of it at its login.
    [Test]
    public async Task Changes_share_nothing_where_they_would_share_a_snapshot()
    {
        await using var database = await TestDatabase.Create("CREATE TABLE t (id int, tx text DEFAULT pg_current_xact_id()::text)");
        var builder = new PgDataSourceBuilder(database.ConnectionString + ";Session Reset=Auto");
        await using var source = builder.UseLanes(static lanes => lanes.GroupChanges = true).Build();
        await Open(static lanes => lanes is { QueryLanes: > 0, MixedLanes: > 0 });
        await Execute($"ALTER DATABASE {database.Name} SET default_transaction_isolation = 'serializable'");
        var old = source.GetLaneStatistics()!.Lanes.Where(static lane => !lane.IsForQueries).Select(static lane => lane.ProcessId).ToArray();
        await Scalar<bool>("SELECT bool_and(pg_terminate_backend(pid, 5000)) FROM unnest($1) pid", old);
        await Open(lanes => lanes.MixedLanes > 0 && lanes.Lanes.All(lane => !old.Contains(lane.ProcessId)));
        var before = source.GetLaneStatistics()!;

        await Many(2000, _ => Insert());

        var after = source.GetLaneStatistics()!;
        Assert.That(after.Commands - before.Commands, Is.Positive, "commands in lanes");
        Assert.That(after.Groups, Is.EqualTo(before.Groups));

        async Task Open(Predicate<PgLaneStatistics> areOpen)
        {
            for (var end = DateTime.UtcNow.AddMinutes(1); !areOpen(source.GetLaneStatistics()!); await Task.Delay(10))
            {
                Assert.That(DateTime.UtcNow, Is.LessThan(end), "No lane has been opened.");
                await using var query = source.CreateCommand("SELECT 1");
                await query.ExecuteScalarAsync();
                try
                {
                    await Insert();
                }
                catch (PgException)
                {
                    // It was on its way when its lane was lost.
                }
            }
        }

        async Task<int> Insert()
        {
            await using var command = source.CreateCommand("INSERT INTO t VALUES ($1)");
            command.Parameters.Add(new PgParameter<int> { TypedValue = 1 });
            return await command.ExecuteNonQueryAsync();
        }
    }

    private Task<int> Insert(int id, int worth) => Change($"INSERT INTO {_table} VALUES ($1, $2)", id, worth);

    private async Task<int> Change(string sql, params int[] values)
    {
        await using var command = _source.CreateCommand(sql);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter<int> { TypedValue = value });
        return await command.ExecuteNonQueryAsync();
    }

    // While the lanes are held up, a change runs on a session of its own, and gets the error of a deadlock.
    private async Task<int> ChangeAgain(string sql, int value)
    {
        while (true)
        {
            try
            {
                return await Change(sql, value);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.DeadlockDetected)
            {
            }
        }
    }

    private async Task<object?> One(string sql)
    {
        await using var command = _source.CreateCommand(sql);
        return await command.ExecuteScalarAsync();
    }

    private static async Task<string?> StateOf(Func<Task> change)
    {
        try
        {
            await change();
            return null;
        }
        catch (PostgresException e)
        {
            return e.SqlState;
        }
    }

    private static async Task<int[]> Many(int count, Func<int, Task<int>> change)
    {
        var next = 0;
        var results = new int[count];
        await Task.WhenAll(Enumerable.Range(0, 64).Select(async _ =>
        {
            await Task.Yield();
            for (var i = Interlocked.Increment(ref next); i <= count; i = Interlocked.Increment(ref next))
                results[i - 1] = await change(i);
        }));
        return results;
    }
}
