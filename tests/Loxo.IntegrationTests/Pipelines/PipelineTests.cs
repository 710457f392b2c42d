namespace Loxo.IntegrationTests.Pipelines;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineTests(WaitMode mode) : PipelineTest(mode)
{
    [SetUp]
    public Task MakeTable() => Execute("CREATE TEMP TABLE piped (id int PRIMARY KEY, name text)");

    [Test]
    public async Task A_statement_that_could_be_prepared_only_the_second_time_is_prepared_once()
    {
        await using var connection = new PgConnection($"{ConnectionString};Pooling=false;Max Auto Prepare=10;Auto Prepare Min Usages=1");
        await Mode.Open(connection);
        await using var pipeline = connection.CreatePipeline();
        var early = pipeline.AddScalar<long>(new PgCommand("SELECT count(*) FROM comes_later"));
        pipeline.Sync();
        pipeline.AddNonQuery("CREATE TEMP TABLE comes_later (id int)");
        pipeline.Sync();
        var inTime = pipeline.AddScalar<long>(new PgCommand("SELECT count(*) FROM comes_later"));
        Assert.That((await Catch<PostgresException>(() => Result(early))).SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedTable));
        Assert.That(await Result(inTime), Is.Zero);
        for (var i = 0; i < 3; i++)
            Assert.That(await Result(pipeline.AddScalar<long>(new PgCommand("SELECT count(*) FROM comes_later"))), Is.Zero);
    }

    [Test]
    public async Task Each_command_has_its_own_result()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var insert = pipeline.AddNonQuery(Command("INSERT INTO piped VALUES (1, 'a'), (2, 'b')"));
            var count = pipeline.AddScalar<long>(Command("SELECT count(*) FROM piped"));
            var name = pipeline.AddScalar(Command("SELECT name FROM piped WHERE id = $1", 2));
            var rows = pipeline.AddReader(Command("SELECT id FROM piped ORDER BY id"));
            var none = pipeline.AddScalar<int?>(Command("SELECT id FROM piped WHERE id = 3"));
            var isNull = pipeline.AddScalar(Command("SELECT NULL"));
            Assert.That(await Result(insert), Is.EqualTo(2));
            Assert.That(await Result(count), Is.EqualTo(2));
            Assert.That(await Result(name), Is.EqualTo("b"));
            Assert.That(await Values<int>(rows), Is.EqualTo([1, 2]));
            Assert.That(await Result(none), Is.Null);
            Assert.That(await Result(isNull), Is.EqualTo(DBNull.Value));
        }
        await AssertUsable();
    }

    [Test]
    public async Task What_the_error_of_a_NULL_advises_works()
    {
        await using var pipeline = Connection.CreatePipeline();
        var text = pipeline.AddScalar<string>(Command("SELECT NULL"));
        var number = pipeline.AddScalar<int>(Command("SELECT NULL::int"));
        Assert.That((await Catch<InvalidCastException>(() => Result(text))).Message, Does.EndWith("or read it as object, which can be DBNull.Value."));
        Assert.That((await Catch<InvalidCastException>(() => Result(number))).Message, Does.EndWith("or read it as a nullable type."));
        Assert.That(await Result(pipeline.AddScalar<object>(Command("SELECT NULL"))), Is.EqualTo(DBNull.Value));
        Assert.That(await Result(pipeline.AddScalar<int?>(Command("SELECT NULL::int"))), Is.Null);
    }

    [Test]
    public async Task Results_are_taken_in_any_order()
    {
        await using var pipeline = Connection.CreatePipeline();
        // More rows than a reader keeps ahead.
        var results = Enumerable.Range(0, 5)
            .Select(i => pipeline.AddReader(Command("SELECT n + $1::int, repeat('x', 100) FROM generate_series(1, 30000) n", i))).ToList();
        foreach (var i in new[] { 3, 4, 0, 2, 1 })
            Assert.That(await Values<int>(results[i]), Is.EqualTo(Enumerable.Range(i + 1, 30000)));
    }

    [Test]
    public async Task A_result_is_the_same_each_time_it_is_taken()
    {
        await using var pipeline = Connection.CreatePipeline();
        var number = pipeline.AddScalar<int>(Command("SELECT 7"));
        var failure = pipeline.AddNonQuery("SELECT 1/0");
        Assert.That(await Result(number), Is.EqualTo(7));
        Assert.That(await Result(number), Is.EqualTo(7));
        Assert.That((await Catch<PostgresException>(() => Result(failure))).SqlState, Is.EqualTo("22012"));
        Assert.That((await Catch<PostgresException>(() => Result(failure))).SqlState, Is.EqualTo("22012"));
    }

    [Test]
    public async Task Commands_are_added_after_results_were_taken()
    {
        await using var pipeline = Connection.CreatePipeline();
        var id = 0;
        for (var i = 1; i <= 20; i++)
            id = await Result(pipeline.AddScalar<int>(Command("SELECT $1 + 1", id)));
        Assert.That(id, Is.EqualTo(20));
    }

    [Test]
    public async Task A_command_is_changed_and_added_again()
    {
        await using var pipeline = Connection.CreatePipeline();
        var command = Command("SELECT $1 || 'x'", "a");
        var results = new List<PgPipelineResult<string?>>();
        foreach (var value in new[] { "a", "b", "c" })
        {
            command.Parameters[0].Value = value;
            results.Add(pipeline.AddScalar<string>(command));
        }
        command.CommandText = "SELECT 'other'";
        command.Parameters.Clear();
        results.Add(pipeline.AddScalar<string>(command));
        var values = new List<string?>();
        foreach (var result in results)
            values.Add(await Result(result));
        Assert.That(values, Is.EqualTo(["ax", "bx", "cx", "other"]));
    }

    [Test]
    public async Task A_command_that_takes_long_comes_after_the_results_in_front_of_it()
    {
        await using var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(Command("SELECT 1"));
        pipeline.Flush();
        Assert.That(await Result(first), Is.EqualTo(1));
        var second = pipeline.AddScalar<string>(Command("SELECT pg_sleep(0.2)::text"));
        Assert.That(await Result(second), Is.Empty);
    }

    [Test]
    public async Task An_error_skips_the_rest_of_its_group_and_no_other()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var first = pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            var failure = pipeline.AddNonQuery("INSERT INTO piped VALUES (1)");
            var skipped = pipeline.AddScalar<long>(Command("SELECT count(*) FROM piped"));
            var read = pipeline.AddReader(Command("SELECT 1"));
            var sync = pipeline.Sync();
            var next = pipeline.AddScalar<long>(Command("SELECT count(*) FROM piped"));
            Assert.That(await Result(first), Is.EqualTo(1));
            Assert.That((await Catch<PostgresException>(() => Result(failure))).SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
            var aborted = await Catch<PgException>(() => Result(skipped));
            Assert.That(aborted.Code, Is.EqualTo(PgErrorCode.PipelineAborted));
            Assert.That(aborted.InnerException, Is.InstanceOf<PostgresException>());
            Assert.That((await Catch<PgException>(() => Result(read))).Code, Is.EqualTo(PgErrorCode.PipelineAborted));
            Assert.That((await Catch<PostgresException>(() => Wait(sync))).SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
            Assert.That(await Result(next), Is.EqualTo(0), "the group was undone");
        }
        await AssertUsable();
    }

    [Test]
    public async Task The_end_of_a_group_throws_the_error_of_its_commit()
    {
        await Execute("CREATE TEMP TABLE checked (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        await using var pipeline = Connection.CreatePipeline();
        pipeline.AddNonQuery("INSERT INTO checked VALUES (1)");
        var second = pipeline.AddNonQuery("INSERT INTO checked VALUES (1)");
        var sync = pipeline.Sync();
        Assert.That(await Result(second), Is.EqualTo(1));
        Assert.That((await Catch<PostgresException>(() => Wait(sync))).SqlState, Is.EqualTo(PostgresErrorCodes.UniqueViolation));
        Assert.That(await Result(pipeline.AddScalar<long>(Command("SELECT count(*) FROM checked"))), Is.EqualTo(0));
    }

    [Test]
    public async Task Groups_without_results_taken_have_run_when_the_pipeline_is_disposed()
    {
        var pipeline = Connection.CreatePipeline();
        for (var i = 0; i < 1000; i++)
        {
            pipeline.AddNonQuery(Command("INSERT INTO piped VALUES ($1, $2)", i, $"name {i}"));
            if (i % 10 == 0)
                pipeline.Sync();
        }
        await Mode.Dispose(pipeline);
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(1000));
    }

    [Test]
    public async Task A_last_group_that_was_flushed_is_committed_by_dispose()
    {
        var pipeline = Connection.CreatePipeline();
        Assert.That(await Result(pipeline.AddNonQuery("INSERT INTO piped VALUES (1)")), Is.EqualTo(1));
        await Mode.Dispose(pipeline);
        Assert.That(await Scalar<long>("SELECT count(*) FROM piped"), Is.EqualTo(1));
        await AssertUsable();
    }

    [Test]
    public async Task Statements_prepared_in_a_pipeline_are_used_in_it_and_after_it()
    {
        var command = Command("SELECT $1 * 2", 1);
        await using (var pipeline = Connection.CreatePipeline())
        {
            var results = new List<PgPipelineResult<int>>();
            for (var i = 0; i < 10; i++)
            {
                command.Parameters[0].Value = i;
                results.Add(pipeline.AddScalar<int>(command));
            }
            for (var i = 0; i < 10; i++)
                Assert.That(await Result(results[i]), Is.EqualTo(2 * i));
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1 * 2'"), Is.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(18));
    }

    [Test]
    public async Task A_result_of_several_statements_is_read_like_any()
    {
        await using var pipeline = Connection.CreatePipeline();
        var both = pipeline.AddReader(Command("SELECT 1; SELECT 2 UNION ALL SELECT 3"));
        var other = pipeline.AddReader(Command("SELECT 4; SELECT 5"), System.Data.CommandBehavior.SingleResult);
        var reader = await Result(both);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
        reader = await Result(other);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.NextResult(reader), Is.False);
        await Mode.Close(reader);
    }

    [Test]
    public async Task Different_tasks_take_results()
    {
        await using var pipeline = Connection.CreatePipeline();
        var taking = new List<Task>();
        for (var i = 0; i < 200; i++)
        {
            var expected = i;
            var result = pipeline.AddReader(Command("SELECT $1::int + n FROM generate_series(0, 99) n", i));
            taking.Add(Task.Run(async () => Assert.That(await Values<int>(result), Is.EqualTo(Enumerable.Range(expected, 100)))));
        }
        await Task.WhenAll(taking);
    }

    [Test]
    public async Task Large_requests_and_large_results_do_not_wait_for_each_other([Values(1, 200)] int kilobytes)
    {
        var text = new string('x', kilobytes * 1024);
        await using var pipeline = Connection.CreatePipeline();
        var results = Enumerable.Range(0, 100).Select(_ => pipeline.AddScalar<string>(Command("SELECT $1 || 'y'", text))).ToList();
        foreach (var result in results)
            Assert.That(await Result(result), Has.Length.EqualTo(text.Length + 1));
    }

    [Test]
    public async Task More_than_the_server_takes_is_refused_until_results_are_taken()
    {
        var text = new string('x', 4 * 1024 * 1024);
        await using var pipeline = Connection.CreatePipeline();
        var results = new List<PgPipelineResult<string?>>();
        var refusal = await Catch<InvalidOperationException>(() =>
        {
            for (var i = 0; i < 100; i++)
                results.Add(pipeline.AddScalar<string>(Command("SELECT $1", text)));
            return Task.CompletedTask;
        });
        Assert.That(refusal.Message, Does.Contain("Take results"));
        foreach (var result in results)
            Assert.That(await Result(result), Has.Length.EqualTo(text.Length));
        Assert.That(await Result(pipeline.AddScalar<int>(Command("SELECT 1"))), Is.EqualTo(1));
    }

    [Test]
    public async Task A_parameter_that_cannot_be_sent_adds_nothing()
    {
        await using var pipeline = Connection.CreatePipeline();
        var before = pipeline.AddScalar<int>(Command("SELECT 1"));
        Assert.Throws<PgException>(() => pipeline.AddNonQuery(Command("SELECT $1", "a\0b")));
        var after = pipeline.AddScalar<int>(Command("SELECT 2"));
        Assert.That(await Result(before), Is.EqualTo(1));
        Assert.That(await Result(after), Is.EqualTo(2));
    }

    [Test]
    public async Task While_it_is_open_the_connection_runs_no_other_command()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            Assert.Throws<PgOperationInProgressException>(() => Connection.CreatePipeline());
            await Catch<PgOperationInProgressException>(() => Scalar<int>("SELECT 1"));
            Assert.That(await Result(pipeline.AddScalar<int>(Command("SELECT 2"))), Is.EqualTo(2));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_disposed_pipeline_takes_no_commands_and_gives_no_results()
    {
        var pipeline = Connection.CreatePipeline();
        var result = pipeline.AddScalar<int>(Command("SELECT 1"));
        var rows = pipeline.AddReader(Command("SELECT * FROM generate_series(1, 3)"));
        var reader = await Result(rows);
        await Mode.Dispose(pipeline);
        await Mode.Dispose(pipeline);
        Assert.Throws<ObjectDisposedException>(() => pipeline.AddNonQuery("SELECT 1"));
        await Catch<InvalidOperationException>(() => Result(result));
        Assert.That(reader.IsClosed, Is.True);
        await AssertUsable();
    }

    [Test]
    public async Task Closing_the_connection_ends_the_pipeline()
    {
        var other = await OpenAnother();
        var process = other.ProcessID;
        var pipeline = other.CreatePipeline();
        pipeline.AddReader(Command("SELECT * FROM generate_series(1, 100000)"));
        await Mode.Close(other);
        Assert.Throws<ObjectDisposedException>(() => pipeline.AddNonQuery("SELECT 1"));
        await using var next = await OpenAnother();
        Assert.That(next.ProcessID, Is.EqualTo(process), "the session went back to the pool");
        await using var command = new PgCommand("SELECT 42", next);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
    }

    [Test]
    public void Output_parameters_and_unsuitable_behaviors_are_refused()
    {
        using var pipeline = Connection.CreatePipeline();
        var command = Command("SELECT 1 AS a", new PgParameter("a", PgDbType.Integer) { Direction = System.Data.ParameterDirection.Output });
        Assert.Throws<InvalidOperationException>(() => pipeline.AddNonQuery(command));
        Assert.Throws<ArgumentException>(() => pipeline.AddReader(Command("SELECT 1"), System.Data.CommandBehavior.SchemaOnly));
        foreach (var unknown in new[] { 64, 4096 })
            Assert.Throws<ArgumentOutOfRangeException>(() => pipeline.AddReader(Command("SELECT 1"), (System.Data.CommandBehavior)unknown));
        Assert.Throws<ArgumentNullException>(() => pipeline.AddNonQuery((PgCommand)null!));
    }

    [TestCase("COPY piped FROM STDIN")]
    [TestCase("COPY piped TO STDOUT")]
    [TestCase("COPY piped (U&\"id\") FROM STDIN")]
    public async Task COPY_through_the_client_is_refused_when_it_is_added_and_costs_nothing(string copy)
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var before = pipeline.AddScalar<int>(Command("SELECT 1"));
            Assert.That(Assert.Throws<PgException>(() => pipeline.AddNonQuery(copy))!.Code, Is.EqualTo(PgErrorCode.NotSupported));
            var behind = pipeline.AddScalar<int>(Command("SELECT 2"));
            pipeline.Sync();
            Assert.That((await Result(before), await Result(behind)), Is.EqualTo((1, 2)));
        }
        await AssertUsable();
    }
}
