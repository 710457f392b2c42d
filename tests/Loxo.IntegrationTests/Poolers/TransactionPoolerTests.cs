using System.Collections.Concurrent;
using System.Data;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>With <c>Pooler=Transaction</c> nobody notices that each transaction may have another server process.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TransactionPoolerTests(WaitMode mode) : PoolerTest(mode, PgBouncer.Aware, Pooler.Transaction)
{
    private string _table = "";

    [SetUp]
    public async Task CreateTable()
    {
        await StartAll();
        _table = "pooler_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int PRIMARY KEY, name text)");
    }

    [TearDown]
    public async Task Nothing_is_left_behind()
    {
        await Execute($"DROP TABLE {_table}");
        Assert.That(await Leftovers(), Is.Empty);
    }

    [Test]
    public async Task One_connection_meets_several_server_processes_and_the_same_text_works_on_all_of_them()
    {
        var processes = new HashSet<int>();
        for (var i = 0; i < 12; i++)
        {
            var row = (await Rows("SELECT pg_backend_pid(), $1, $2, (SELECT count(*) FROM pg_prepared_statements)", i, Text(i)))[0];
            Assert.That(row[1..], Is.EqualTo(new object[] { i, Text(i), 0L }));
            processes.Add((int)row[0]!);
        }
        Assert.That(processes, Has.Count.EqualTo(PgBouncer.Servers));
    }

    // The first part of the command may reach the server process in front of the answer to the rollback that nobody waits for.
    [Test]
    public async Task A_long_command_may_follow_a_transaction_that_was_left([Values] bool inPortions)
    {
        var text = new string('x', 200_000);
        for (var i = 0; i < 100; i++)
        {
            await using (await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync()))
                await Execute($"INSERT INTO {_table} VALUES ({i})");
            await using var command = Command("SELECT length($1) + n FROM generate_series(1, 10) n", text);
            command.FetchSize = inPortions ? 3 : 0;
            command.CommandTimeout = 20;
            await using var reader = await Mode.ExecuteReader(command);
            for (var n = 1; n <= 10; n++)
            {
                Assert.That(await Mode.Read(reader), Is.True);
                Assert.That(reader.GetInt32(0), Is.EqualTo(text.Length + n));
            }
        }
    }

    [Test]
    public async Task Types_of_the_users_are_found_and_followed_whatever_server_process_answers()
    {
        var name = "pooler_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TYPE {name}_mood AS ENUM ('sad', 'ok')");
        await Execute($"CREATE TYPE {name}_pair AS (mood {name}_mood, number int)");
        for (var i = 0; i < 12; i++)
        {
            if (i == 6)
                await Execute($"ALTER TYPE {name}_mood ADD VALUE 'glad'");
            var mood = new PgParameter(null, i < 6 ? "ok" : "glad") { DataTypeName = name + "_mood" };
            var row = (await Rows($"SELECT $1, ARRAY[$1, 'sad'], ROW($1, {i})::{name}_pair, pg_backend_pid()", mood))[0];
            Assert.That(row[0], Is.EqualTo(mood.Value));
            Assert.That(row[1], Is.EqualTo(new[] { mood.Value, "sad" }));
            Assert.That(row[2], Is.EqualTo(new[] { mood.Value, i }));
        }
        await Execute($"DROP TYPE {name}_pair; DROP TYPE {name}_mood");
    }

    [Test]
    public async Task Groups_of_a_pipeline_are_transactions_of_their_own_each_in_the_server_process_that_is_free()
    {
        var text = new string('x', 100_000);
        await using var pipeline = Connection.CreatePipeline();
        var results = new List<(PgPipelineResult<int> Length, PgPipelineResult<int> Inserted)>();
        for (var i = 0; i < 30; i++)
        {
            results.Add((pipeline.AddScalar<int>(Command("SELECT length($1)", text)), pipeline.AddNonQuery($"INSERT INTO {_table} VALUES ({i % 20})")));
            pipeline.Sync();
        }
        for (var i = 0; i < results.Count; i++)
        {
            Assert.That(await Mode.Run(results[i].Length.GetResult, () => results[i].Length.GetResultAsync()), Is.EqualTo(text.Length));
            var insert = () => Mode.Run(results[i].Inserted.GetResult, () => results[i].Inserted.GetResultAsync());
            if (i < 20)
                Assert.That(await insert(), Is.EqualTo(1));
            else
                Assert.That((await Catch<PostgresException>(insert)).SqlState, Is.EqualTo(SqlStates.UniqueViolation));
        }
    }

    [Test]
    public async Task Each_group_of_a_batch_is_a_transaction_however_long_it_is([Values] bool fails)
    {
        var text = new string('x', 50_000);
        await using var batch = new PgBatch(Connection) { EnableErrorBarriers = true };
        for (var i = 0; i < 40; i++)
        {
            var command = new PgBatchCommand($"INSERT INTO {_table} VALUES ({(fails && i == 20 ? 0 : i)}, left($1, 10)) RETURNING id, length($1)");
            command.Parameters.Add(new PgParameter<string>(text));
            batch.BatchCommands.Add(command);
        }
        var read = new List<(int, int)>();
        async Task ReadAll()
        {
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                while (await Mode.Read(reader))
                    read.Add((reader.GetInt32(0), reader.GetInt32(1)));
            }
            while (await Mode.NextResult(reader));
        }
        if (fails)
            await Catch<PostgresException>(ReadAll);
        else
            await ReadAll();

        Assert.That(read, Is.EqualTo(Enumerable.Range(0, 40).Where(i => !fails || i != 20).Select(i => (i, text.Length))));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(fails ? 39 : 40));
    }

    [Test]
    public async Task Callers_that_ask_for_multiplexing_get_their_own_answers()
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Pooling=true;Multiplexing=true;Maximum Pool Size=4;Command Timeout=10");
        await Task.WhenAll(Enumerable.Range(0, 40).Select(async caller =>
        {
            for (var i = 0; i < 100; i++)
            {
                var text = new string((char)('a' + (caller % 26)), 1 + (caller * 997 * (i % 7)));
                await using var command = source.CreateCommand("SELECT $1 || $2");
                command.Parameters.Add(new PgParameter<string>(text));
                command.Parameters.Add(new PgParameter<string>(caller + "." + i));
                Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(text + caller + "." + i));
            }
        }));
    }

    [TestCase(Pooler.Transaction)]
    [TestCase(Pooler.TransactionPrepared)]
    public async Task A_command_runs_for_many_rows(Pooler pooler)
    {
        await using var connection = new PgConnection(ConnectionString + $";Pooler={pooler}");
        await Mode.Open(connection);
        await using var command = new PgCommand($"INSERT INTO {_table} VALUES ($1, $2)", connection)
        {
            Parameters = { new PgParameter<int>(), new PgParameter<string>() },
        };
        for (var run = 0; run < 5; run++)
            Assert.That(await Run(Enumerable.Range(run * 2_000, 2_000)), Is.EqualTo(2_000));
        var error = await Catch<PostgresException>(() => Run([100_000, 100_001, 0]));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo((SqlStates.UniqueViolation, 2L)));
        await Catch<FormatException>(() => Run(Enumerable.Range(200_000, 20_000).Select(i => i < 219_999 ? i : throw new FormatException())));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(10_000));
        Assert.That(await Run([100_000]), Is.EqualTo(1));

        Task<long> Run(IEnumerable<int> rows) => Mode.Run(() => command.ExecuteMany(rows, Bind), () => command.ExecuteManyAsync(rows, Bind));

        static void Bind(int row, PgParameterCollection parameters)
        {
            ((PgParameter<int>)parameters[0]).TypedValue = row;
            ((PgParameter<string>)parameters[1]).TypedValue = Text(row);
        }
    }

    [Test]
    public async Task Many_connections_at_once_get_each_their_own_answers()
    {
        var processes = new ConcurrentDictionary<int, bool>();
        await Together(20, async number =>
        {
            await using var connection = await OpenAnother();
            for (var i = 0; i < 25; i++)
            {
                await using var command = new PgCommand("SELECT pg_backend_pid(), @number * 1000 + @i, @name", connection);
                command.Parameters.AddWithValue("number", number);
                command.Parameters.AddWithValue("i", i);
                command.Parameters.AddWithValue("name", Text(number));
                var reader = await Mode.ExecuteReader(command);
                Assert.That(await Mode.Read(reader), Is.True);
                processes[reader.GetInt32(0)] = true;
                Assert.That((reader.GetInt32(1), reader.GetString(2)), Is.EqualTo((number * 1000 + i, Text(number))));
                Assert.That(await Mode.Read(reader), Is.False);
                await Mode.Close(reader);
            }
        });
        Assert.That(processes, Has.Count.EqualTo(PgBouncer.Servers));
    }

    [Test]
    public async Task A_pool_in_front_of_the_pooler_works_and_resets_nothing()
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Pooling=true;Maximum Pool Size=4");
        var processes = new ConcurrentDictionary<int, bool>();
        await Together(8, async number =>
        {
            for (var i = 0; i < 20; i++)
            {
                await using var connection = source.CreateConnection();
                await Mode.Open(connection);
                await using var command = new PgCommand("SELECT pg_backend_pid() + $1", connection) { Parameters = { new PgParameter { Value = 0 } } };
                processes[(int)(await Mode.ExecuteScalar(command))!] = true;
                await Mode.Dispose(connection);
            }
        });
        Assert.That(processes, Has.Count.EqualTo(PgBouncer.Servers));
    }

    [Test]
    public async Task A_transaction_stays_on_one_server_process()
    {
        for (var round = 0; round < 4; round++)
        {
            await using var transaction = await Begin();
            var processes = new HashSet<int>();
            for (var i = 0; i < 4; i++)
            {
                processes.Add((await Scalar<int>("SELECT pg_backend_pid() + $1", 0))!);
                await Execute($"INSERT INTO {_table} VALUES ($1, $2)", round * 10 + i, Text(i));
            }
            Assert.That(processes, Has.Count.EqualTo(1));
            await (round % 2 == 0 ? Mode.Commit(transaction) : Mode.Rollback(transaction));
        }
        Assert.That((await Rows($"SELECT id FROM {_table} ORDER BY id")).Select(row => row[0]), Is.EqualTo(new[] { 0, 1, 2, 3, 20, 21, 22, 23 }));
    }

    [Test]
    public async Task Transactions_of_many_connections_do_not_mix()
    {
        await Together(8, async number =>
        {
            await using var connection = await OpenAnother();
            for (var i = 0; i < 10; i++)
            {
                await using var transaction = await Mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync());
                await using var insert = new PgCommand($"INSERT INTO {_table} VALUES ($1)", connection) { Parameters = { new PgParameter { Value = number * 100 + i } } };
                Assert.That(await Mode.ExecuteNonQuery(insert), Is.EqualTo(1));
                if (i % 2 == 0)
                    await Mode.Commit(transaction);
                else
                    await Mode.Dispose(transaction);
            }
        });
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table} WHERE id % 2 = 0"), Is.EqualTo(40));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(40));
    }

    [Test]
    public async Task A_transaction_that_failed_or_was_disposed_of_reaches_nobody_else()
    {
        for (var i = 0; i < 6; i++)
        {
            await using (await Begin())
            {
                await Execute($"INSERT INTO {_table} VALUES ($1)", 1);
                Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1 / $1", 0))).SqlState, Is.EqualTo(PostgresErrorCodes.DivisionByZero));
                Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1"))).SqlState, Is.EqualTo(PostgresErrorCodes.InFailedSqlTransaction));
            }
            Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.Zero);
        }
    }

    [Test]
    public async Task An_error_outside_of_a_transaction_leaves_the_connection_usable()
    {
        for (var i = 0; i < 6; i++)
        {
            Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT 1 / $1", 0))).SqlState, Is.EqualTo(PostgresErrorCodes.DivisionByZero));
            Assert.That((await Catch<PostgresException>(() => Scalar<int>("SELECT nothing"))).SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedColumn));
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_batch_runs_on_one_server_process_and_is_one_transaction()
    {
        for (var i = 0; i < 6; i++)
        {
            var rows = await Rows($"INSERT INTO {_table} VALUES ({i}); SELECT pg_backend_pid(); SELECT pg_backend_pid()");
            Assert.That(rows[0], Is.EqualTo(rows[1]));
        }
        await using var batch = Batch(barriers: false);
        var error = await Catch<PostgresException>(() => NonQuery(batch));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
        Assert.That(await Scalar<long>($"SELECT count(*) FROM {_table}"), Is.EqualTo(6));
    }

    [Test]
    public async Task Error_barriers_divide_a_batch_into_transactions()
    {
        await Execute($"INSERT INTO {_table} VALUES (0)");
        await using var batch = Batch(barriers: true);
        var error = await Catch<PostgresException>(() => NonQuery(batch));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
        Assert.That((await Rows($"SELECT id FROM {_table} ORDER BY id")).Select(row => row[0]), Is.EqualTo(new[] { 0, 10, 11 }));
        await AssertUsable();
    }

    // The second group is sent when the first one is answered, so whoever looks a type up must not wait for both.
    [Test]
    public async Task A_batch_with_barriers_returns_types_of_the_users_that_are_not_known_yet()
    {
        var name = "pooler_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TYPE {name}_mood AS ENUM ('sad', 'ok')");
        try
        {
            await using var batch = new PgBatch(Connection) { EnableErrorBarriers = true, Timeout = 10 };
            batch.BatchCommands.Add(new PgBatchCommand($"SELECT 'ok'::{name}_mood"));
            batch.BatchCommands.Add(new PgBatchCommand($"SELECT ARRAY['sad'::{name}_mood]"));
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), async () => await batch.ExecuteReaderAsync());
            await Mode.Read(reader);
            Assert.That(reader.GetValue(0), Is.EqualTo("ok"));
            await Mode.NextResult(reader);
            await Mode.Read(reader);
            Assert.That(reader.GetValue(0), Is.EqualTo(new[] { "sad" }));
        }
        finally
        {
            await Execute($"DROP TYPE {name}_mood");
        }
    }

    [Test]
    public async Task A_pipeline_of_one_group_runs_on_one_server_process()
    {
        for (var i = 0; i < 6; i++)
        {
            await using var pipeline = Connection.CreatePipeline();
            var results = Enumerable.Range(0, 10).Select(_ => pipeline.AddScalar<int>(new PgCommand("SELECT pg_backend_pid()"))).ToList();
            var processes = new HashSet<int>();
            foreach (var result in results)
                processes.Add(await Mode.Run(result.GetResult, () => result.GetResultAsync()));
            Assert.That(processes, Has.Count.EqualTo(1));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_refused_copy_leaves_the_connection_usable()
    {
        for (var i = 0; i < 300; i++)
        {
            var error = await Catch<PostgresException>(() => Execute($"COPY {_table} FROM STDIN WHERE id <> {i}"));
            Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.FeatureNotSupported));
            await AssertUsable();
            Assert.That((await Catch<PgException>(() => Execute($"SELECT {i}; COPY {_table} FROM STDIN"))).Code, Is.EqualTo(PgErrorCode.NotSupported));
            await AssertUsable();
        }
    }

    [Test]
    public async Task Large_results_arrive_whole()
    {
        await Together(3, async _ =>
        {
            await using var connection = await OpenAnother();
            await using var command = new PgCommand("SELECT i, repeat(chr(65 + i % 26), 500) FROM generate_series(1, 20000) AS i", connection);
            var reader = await Mode.ExecuteReader(command);
            var seen = 0;
            while (await Mode.Read(reader))
            {
                Assert.That(reader.GetInt32(0), Is.EqualTo(++seen));
                Assert.That(reader.GetString(1), Is.EqualTo(new string((char)(65 + seen % 26), 500)));
            }
            await Mode.Close(reader);
            Assert.That(seen, Is.EqualTo(20000));
        });
    }

    [Test]
    public async Task A_large_result_that_is_left_early_leaves_nothing_for_the_next()
    {
        for (var i = 0; i < 4; i++)
        {
            await using var command = Command("SELECT i, repeat('x', 500) FROM generate_series(1, 20000) AS i");
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Close(reader);
            await AssertUsable();
        }
    }

    [Test]
    public async Task A_command_that_takes_too_long_is_cancelled_and_the_connection_stays_usable()
    {
        await using var command = Command("SELECT pg_sleep(600)");
        command.CommandTimeout = 1;
        var error = await Catch<PgException>(() => Mode.ExecuteScalar(command));
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>().Or.InstanceOf<PostgresException>(), error.ToString());
        await AssertUsable();
        await AssertUsable();
    }

    [Test]
    public async Task Cancel_stops_the_command_on_its_server_process_and_nothing_else()
    {
        await using var others = new PgConnection(TestServer.Default.ConnectionString);
        await others.OpenAsync();
        for (var i = 0; i < 3; i++)
        {
            await using var bystander = await OpenAnother();
            var marker = "pooler cancel " + Guid.NewGuid().ToString("N");
            await using var command = Command($"SELECT pg_sleep(600) /* {marker} */");
            var running = Together(1, _ => Mode.ExecuteScalar(command));
            await using var look = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%' || $1 || '%'", others)
            {
                Parameters = { new PgParameter { Value = marker } },
            };
            while ((long)(await look.ExecuteScalarAsync())! == 0)
                Assert.That(running.IsCompleted, Is.False, () => running.Exception?.ToString() ?? "The command ended by itself.");
            command.Cancel();
            await Catch<OperationCanceledException>(() => running);
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 7", bystander)), Is.EqualTo(7));
            await AssertUsable();
        }
    }

    private PgBatch Batch(bool barriers)
    {
        var batch = new PgBatch(Connection) { EnableErrorBarriers = barriers };
        foreach (var id in new[] { 10, 0, 11 })
            batch.BatchCommands.Add(new PgBatchCommand($"INSERT INTO {_table} VALUES ($1)") { Parameters = { new PgParameter { Value = id } } });
        return batch;
    }

    private Task<int> NonQuery(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
}
