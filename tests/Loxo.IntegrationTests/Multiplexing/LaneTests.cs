using System.Data;

namespace Loxo.IntegrationTests.Multiplexing;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneTests(WaitMode mode) : LaneTest(mode)
{
    private const string Process = "SELECT pg_backend_pid() FROM generate_series(1, 1)";

    [Test]
    public async Task What_nobody_waits_for_is_stopped_in_a_lane_that_takes_no_more_commands()
    {
        var mark = Guid.NewGuid().ToString("N");
        var sql = $"SELECT pg_sleep($1) /* {mark} */";
        await Run(sql, 0.0);
        await Run(sql, 0.0);
        await using var command = Source.CreateCommand(sql);
        command.CommandTimeout = 3;
        command.Parameters.Add(new PgParameter { Value = 600.0 });
        var sleeping = Call(() => Mode.ExecuteScalar(command));
        await Until(() => Source.GetLaneStatistics()!.CommandsInFlight == 1);

        Source.Clear();

        Assert.That((await Catch<PgException>(() => sleeping)).Code, Is.EqualTo(PgErrorCode.Timeout));
        var running = true;
        for (var end = DateTime.UtcNow.AddMinutes(1); running && DateTime.UtcNow < end; await Task.Delay(100))
            running = await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(%' || $1 || '%'", mark) > 0;
        Assert.That(running, Is.False);
    }

    [Test]
    public async Task Many_connections_share_few_sessions()
    {
        await Run("SELECT $1::int, pg_sleep(0)::text", 1);
        var connections = new List<PgConnection>();
        for (var i = 0; i < 150; i++)
        {
            connections.Add(Source.CreateConnection());
            await Mode.Open(connections[^1]);
        }
        var calls = connections.Select((connection, i) => Call(async () =>
        {
            await using var command = new PgCommand("SELECT $1::int, pg_sleep(0)::text", connection);
            command.Parameters.Add(new PgParameter { Value = i });
            return await Mode.ExecuteScalar(command);
        })).ToList();
        for (var i = 0; i < calls.Count; i++)
            Assert.That(await calls[i], Is.EqualTo(i));
        Assert.That(connections.Select(connection => connection.ProcessID), Is.All.EqualTo(0), "none has a session");
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lanes'"),
            Is.LessThan(30));
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    [Test]
    public async Task What_nobody_waits_for_any_more_is_cancelled_at_the_server()
    {
        const string Sql = "SELECT pg_sleep($1)";
        await Run(Sql, 0.0); // on a session of its own
        await using var command = Source.CreateCommand(Sql);
        command.Parameters.Add(new PgParameter { Value = 600.0 });
        command.CommandTimeout = 1;

        var error = await Assert.ThrowsAsync<PgException>(() => Mode.ExecuteScalar(command));

        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("the server was not asked to stop it"), "in a lane");
        for (var end = DateTime.UtcNow.AddSeconds(30); await Scalar<long>("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lanes' AND state = 'active'") > 0;)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "The server still runs it.");
            await Task.Delay(50);
        }
    }

    [Test]
    public async Task A_transaction_has_a_session_until_it_ends([Values] bool commits)
    {
        await Execute("DROP TABLE IF EXISTS laned");
        await Execute("CREATE TABLE laned (id int)");
        await using (var connection = Source.CreateConnection())
        {
            await Mode.Open(connection);
            await Insert(connection);
            Assert.That(connection.ProcessID, Is.Zero);
            var transaction = await Mode.Run(connection.BeginTransaction, () => connection.BeginTransactionAsync().AsTask());
            var process = connection.ProcessID;
            Assert.That(process, Is.Not.Zero);
            await Insert(connection);
            Assert.That(connection.ProcessID, Is.EqualTo(process));
            if (commits)
                await Mode.Commit(transaction);
            else
                await transaction.DisposeAsync();
            Assert.That(connection.ProcessID, Is.Zero);
            await Insert(connection);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM laned"), Is.EqualTo(commits ? 3 : 2));
        await Execute("DROP TABLE laned");
    }

    [TestCase("AddCommit", 2)]
    [TestCase("COMMIT", 2)]
    [TestCase("ROLLBACK", 1)]
    public async Task A_transaction_that_ends_without_its_object_gives_its_session_back(string end, int rows)
    {
        await Execute("DROP TABLE IF EXISTS laned");
        await Execute("CREATE TABLE laned (id int)");
        await using (var connection = Source.CreateConnection())
        {
            await Mode.Open(connection);
            await using var transaction = await Mode.Run(connection.BeginTransaction, () => connection.BeginTransactionAsync().AsTask());
            if (end == "AddCommit")
            {
                var pipeline = connection.CreatePipeline();
                pipeline.AddNonQuery("INSERT INTO laned VALUES (1)");
                var commit = pipeline.AddCommit();
                await Mode.Run(commit.Wait, () => commit.WaitAsync());
                await Mode.Dispose(pipeline);
            }
            else
            {
                await Insert(connection);
                await Mode.ExecuteNonQuery(new PgCommand(end, connection));
            }
            Assert.That(connection.ProcessID, Is.Zero);
            Assert.Throws<InvalidOperationException>(transaction.Commit);
            await Insert(connection);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM laned"), Is.EqualTo(rows));
        await Execute("DROP TABLE laned");
    }

    [Test]
    public async Task A_statement_that_changes_its_session_keeps_the_session_until_close()
    {
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await Run(connection, "SET application_name = 'mine'");
        var process = connection.ProcessID;
        Assert.That(process, Is.Not.Zero);
        Assert.That(await Run(connection, "SELECT current_setting('application_name')"), Is.EqualTo("mine"));
        Assert.That(connection.ProcessID, Is.EqualTo(process));
        await Mode.Close(connection);
        await Mode.Open(connection);
        Assert.That(await Run(connection, "SELECT current_setting('application_name')"), Is.Not.EqualTo("mine"));
    }

    [Test]
    public async Task Nothing_of_a_session_is_seen_by_another_caller()
    {
        for (var i = 0; i < 20; i++)
        {
            await using var connection = Source.CreateConnection();
            await Mode.Open(connection);
            await Run(connection, "CREATE TEMP TABLE private (id int)");
            await Run(connection, "SELECT set_config('loxo.test', 'x', false), pg_advisory_lock(77)");
            Assert.That(await Run("SELECT to_regclass('private')::text || coalesce(current_setting('loxo.test', true), '')"), Is.Null.Or.EqualTo(DBNull.Value));
        }
        // The reset runs behind the return.
        while (await Scalar<long>("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77") > 0)
            await Task.Delay(10);
    }

    [Test]
    public async Task Errors_are_those_of_their_own_command()
    {
        await Run("SELECT 10 / ($1::int + 1)", 1);
        var calls = Enumerable.Range(0, 200).Select(i => Call(async () =>
        {
            try
            {
                return await Run("SELECT 10 / $1::int * 0 + $2::int", i % 3, i);
            }
            catch (PostgresException e)
            {
                return e.SqlState;
            }
        })).ToList();
        for (var i = 0; i < calls.Count; i++)
            Assert.That(await calls[i], Is.EqualTo(i % 3 == 0 ? "22012" : i));
    }

    [Test]
    public async Task A_result_of_any_size_arrives_whole([Values(10, 10_000, 300_000)] int rows)
    {
        const string Sql = "SELECT n, repeat('x', 20) FROM generate_series(1, $1::int) n";
        for (var i = 0; i < 3; i++)
        {
            var neighbours = Enumerable.Range(0, 20).Select(n => Call(() => Run("SELECT $1::int + 1", n))).ToList();
            await using (var connection = Source.CreateConnection())
            {
                await Mode.Open(connection);
                await using var command = new PgCommand(Sql, connection);
                command.Parameters.Add(new PgParameter { Value = rows });
                var reader = await Mode.ExecuteReader(command);
                var read = 0;
                while (await Mode.Read(reader))
                    Assert.That(reader.GetInt32(0), Is.EqualTo(++read));
                Assert.That(read, Is.EqualTo(rows));
                await Mode.Close(reader);
            }
            for (var n = 0; n < neighbours.Count; n++)
                Assert.That(await neighbours[n], Is.EqualTo(n + 1));
        }
    }

    [Test]
    public async Task A_reader_of_a_large_result_may_be_left_early()
    {
        for (var i = 0; i < 5; i++)
        {
            await using (var connection = Source.CreateConnection())
            {
                await Mode.Open(connection);
                await using var command = new PgCommand("SELECT n, repeat('x', 20) FROM generate_series(1, 100000) n", connection);
                var reader = await Mode.ExecuteReader(command);
                Assert.That(await Mode.Read(reader), Is.True);
                if (i % 2 == 0)
                    await Mode.Close(reader);
            }
            Assert.That(await Run("SELECT 1"), Is.EqualTo(1));
        }
    }

    [Test]
    public async Task A_broken_lane_fails_what_was_in_flight_and_is_replaced()
    {
        for (var i = 0; i < 10; i++)
            await Run(Process);
        await Scalar<long>(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'lanes' AND pid <> pg_backend_pid()");
        var failures = 0;
        for (var i = 0; i < 50; i++)
        {
            try
            {
                await Run(Process);
            }
            catch (PgException)
            {
                failures++;
            }
        }
        Assert.That(failures, Is.LessThan(20));
        for (var i = 0; i < 50; i++)
            await Run(Process);
    }

    [Test]
    public async Task A_slow_statement_does_not_hold_up_others()
    {
        await Run("SELECT pg_sleep($1::float8)::text", 0.0);
        var slow = Call(() => Run("SELECT pg_sleep($1::float8)::text", 3.0));
        await Task.Delay(300);
        for (var i = 0; i < 100; i++)
            await Run("SELECT $1::int", i);
        Assert.That(slow.IsCompleted, Is.False);
        await slow;
    }

    [Test]
    public async Task The_timeout_and_the_token_give_up_a_command_and_no_other()
    {
        await Run("SELECT pg_sleep($1::float8)::text", 0.0);
        await using var late = Source.CreateCommand("SELECT pg_sleep(30)::text");
        late.CommandTimeout = 1;
        for (var i = 0; i < 2; i++)
            Assert.That((await Catch<PgException>(() => Mode.ExecuteScalar(late))).Code, Is.EqualTo(PgErrorCode.Timeout));
        if (Mode == WaitMode.Async)
        {
            using var cancelled = new CancellationTokenSource(100);
            await using var command = Source.CreateCommand("SELECT pg_sleep($1::float8)::text");
            command.Parameters.Add(new PgParameter { Value = 30.0 });
            var error = await Catch<OperationCanceledException>(() => command.ExecuteScalarAsync(cancelled.Token));
            Assert.That(error.CancellationToken, Is.EqualTo(cancelled.Token));
        }
        Assert.That(await Run("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task Cancel_gives_up_a_command_and_no_other()
    {
        await Run("SELECT pg_sleep($1::float8)::text", 0.0);
        await using var command = Source.CreateCommand("SELECT pg_sleep($1::float8)::text");
        command.Parameters.Add(new PgParameter { Value = 3.0 });
        var running = Call(() => Mode.ExecuteScalar(command));
        while (!running.IsCompleted)
        {
            command.Cancel();
            await Task.Delay(20);
        }
        await Catch<OperationCanceledException>(() => running);
        command.Cancel();
        for (var i = 0; i < 50; i++)
            Assert.That(await Run("SELECT $1::int", i), Is.EqualTo(i));
    }

    [Test]
    public async Task A_lane_that_is_saturated_gets_others_beside_it_up_to_the_maximum()
    {
        await using var source = new PgDataSourceBuilder(Source.ConnectionString)
            .UseLanes(static lanes => (lanes.Minimum, lanes.Maximum) = (1, 6)).Build();
        await AwaitLane(source);
        while (source.GetLaneStatistics()!.QueryLanes == 0)
            await Run(source, "SELECT $1::int", 1);
        // A text that is slow twice in succession would leave the lanes.
        for (var rounds = 3; rounds > 0; rounds -= source.GetLaneStatistics()!.QueryLanes == 3 ? 1 : 0)
        {
            var sleeping = Task.WhenAll(Enumerable.Range(0, 8).Select(caller => Call(async () =>
            {
                await Run(source, $"SELECT pg_sleep($1::float8)::text, {caller}", 0.0);
                return await Run(source, $"SELECT pg_sleep($1::float8)::text, {caller}", 0.1);
            })));
            // Lanes are opened for callers that come while others are held up.
            var callers = new List<Task>();
            while (!sleeping.IsCompleted)
            {
                callers.Add(Call(() => Run(source, "SELECT $1::int", 1)));
                await Task.Delay(20);
            }
            await Task.WhenAll([sleeping, .. callers]);
            Assert.That(source.GetLaneStatistics(), Has.Property(nameof(PgLaneStatistics.QueryLanes)).LessThanOrEqualTo(3)
                .And.Property(nameof(PgLaneStatistics.MixedLanes)).LessThanOrEqualTo(3));
        }
    }

    [Test]
    public async Task Large_values_that_the_server_does_not_take_do_not_pile_up_in_a_lane()
    {
        const int Callers = 40;
        const string Update = "UPDATE laned_values SET value = value || $1 WHERE id = 1";
        await Execute("DROP TABLE IF EXISTS laned_values");
        await Execute("CREATE TABLE laned_values (id int, value text); INSERT INTO laned_values VALUES (1, '')");
        await using var source = new PgDataSourceBuilder(Source.ConnectionString)
            .UseLanes(static lanes => (lanes.Minimum, lanes.Maximum) = (1, 2)).Build();
        while (source.GetLaneStatistics()!.MixedLanes == 0)
        {
            await Run(source, Update, "");
            await Task.Delay(5);
        }
        var most = 0;
        using var ended = new CancellationTokenSource();
        var watching = Task.Factory.StartNew(() =>
        {
            while (!ended.IsCancellationRequested)
                most = Math.Max(most, source.Lanes!.All.Max(static lane => (int?)lane.Session.Output.PendingLength) ?? 0);
        }, TaskCreationOptions.LongRunning);
        await using (var locking = await OpenAnother())
        {
            await using var transaction = locking.BeginTransaction();
            await using var command = new PgCommand("SELECT 1 FROM laned_values WHERE id = 1 FOR UPDATE", locking);
            await command.ExecuteScalarAsync();
            var callers = Enumerable.Range(0, Callers).Select(_ => Call(() => Run(source, Update, new string('x', 1_000_000)))).ToList();
            while (source.GetLaneStatistics()!.CommandsInFlight + source.GetLaneStatistics()!.OwnSessions.Values.Sum() < Callers)
                await Task.Delay(5);
            await Mode.Commit(transaction);
            await Task.WhenAll(callers);
        }
        await ended.CancelAsync();
        await watching;
        Assert.That(await Scalar<int>("SELECT length(value) FROM laned_values"), Is.EqualTo(Callers * 1_000_000));
        // Callers that write at the same moment do not see each other's values.
        Assert.That(most, Is.LessThan(20_000_000));
        await Execute("DROP TABLE laned_values");
    }

    private async Task Insert(PgConnection connection) => await Run(connection, "INSERT INTO laned VALUES (1)");

    private async Task<object?> Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }
}
