namespace Loxo.IntegrationTests.Pipelines;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineCancellationTests(WaitMode mode) : PipelineTest(mode)
{
    [Test]
    public async Task A_running_command_is_stopped_if_nobody_wants_another_result()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var slow = pipeline.AddNonQuery("SELECT pg_sleep(600)");
            var sync = pipeline.Sync();
            var taking = Task.Run(() => Result(slow));
            await Until(IsSleeping);
            slow.Cancel();
            await Catch<OperationCanceledException>(() => taking);
            Assert.That((await Catch<PostgresException>(() => Wait(sync))).SqlState, Is.EqualTo(PostgresErrorCodes.QueryCanceled));
            Assert.That(await Result(pipeline.AddScalar<int>(Command("SELECT 5"))), Is.EqualTo(5), "the pipeline goes on");
        }
        await AssertUsable();
    }

    // The server has stopped at once. Nobody looks until the time for that is over.
    [Test]
    public async Task A_pipeline_may_rest_after_a_cancellation([Values] bool isTransaction, [Values("1", "0")] string cancellationTimeout)
    {
        await using var connection = new PgConnection($"{ConnectionString};Pooling=false;Cancellation Timeout={(cancellationTimeout == "1" ? 1000 : 0)}");
        await Mode.Open(connection);
        if (isTransaction)
            await Mode.ExecuteNonQuery(new PgCommand("BEGIN", connection));
        await using (var pipeline = connection.CreatePipeline())
        {
            var slow = pipeline.AddNonQuery("SELECT pg_sleep(600)");
            var sync = pipeline.Sync();
            var taking = Task.Run(() => Result(slow));
            await Until(IsSleeping);
            slow.Cancel();
            await Catch<OperationCanceledException>(() => taking);
            await Task.Delay(2000);
            await Catch<PostgresException>(() => Wait(sync));
            if (isTransaction)
                pipeline.AddNonQuery("ROLLBACK");
            var next = pipeline.AddScalar<int>(Command("SELECT 5"));
            pipeline.Sync();
            Assert.That(await Result(next), Is.EqualTo(5));
        }
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 6", connection)), Is.EqualTo(6));
    }

    [Test]
    public async Task Cancelling_a_result_that_was_taken_touches_no_later_command([Values] bool inAnotherPipeline)
    {
        var pipeline = Connection.CreatePipeline();
        var taken = new List<PgPipelineResult<int>>();
        for (var i = 0; i < 40; i++)
            taken.Add(pipeline.AddNonQuery("SELECT 1"));
        foreach (var result in taken)
            await Result(result);
        if (inAnotherPipeline)
        {
            await Mode.Dispose(pipeline);
            pipeline = Connection.CreatePipeline();
        }
        await using var held = await HeldLock.Take(await OpenAnother());
        await using (pipeline)
        {
            var later = pipeline.AddNonQuery(held.Await);
            var taking = Task.Run(() => Result(later));
            await Until(held.IsAwaited);
            foreach (var result in taken)
                result.Cancel();
            await held.Release();
            Assert.That(await taking, Is.EqualTo(-1));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_token_gives_up_a_queued_command_and_leaves_the_others()
    {
        await using var pipeline = Connection.CreatePipeline();
        using var cancelled = new CancellationTokenSource();
        var first = pipeline.AddScalar<string>(Command("SELECT pg_sleep(0.3)::text"));
        var second = pipeline.AddScalar<int>(Command("SELECT 2"));
        var third = pipeline.AddScalar<int>(Command("SELECT 3"));
        var taking = second.GetResultAsync(cancelled.Token);
        await cancelled.CancelAsync();
        Assert.That((await Catch<OperationCanceledException>(() => taking)).CancellationToken, Is.EqualTo(cancelled.Token));
        Assert.That(await Result(third), Is.EqualTo(3));
        Assert.That(await Result(first), Is.Empty);
    }

    [Test]
    public async Task A_token_that_was_cancelled_before_gives_the_command_up()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var result = pipeline.AddScalar<int>(Command("SELECT 1"));
            await Catch<OperationCanceledException>(() => result.GetResultAsync(new CancellationToken(true)));
        }
        await AssertUsable();
    }

    [Test]
    public async Task The_end_of_a_group_that_takes_too_long_stops_the_group()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            using var cancelled = new CancellationTokenSource();
            var slow = pipeline.AddNonQuery("SELECT pg_sleep(600)");
            var waiting = pipeline.Sync().WaitAsync(cancelled.Token);
            await Until(IsSleeping);
            await cancelled.CancelAsync();
            await Catch<OperationCanceledException>(() => waiting);
            await Catch<OperationCanceledException>(() => Result(slow));
        }
        await AssertUsable();
    }

    [Test]
    public async Task The_timeout_of_a_command_gives_it_up()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var command = Command("SELECT pg_sleep(600)");
            command.CommandTimeout = 1;
            var slow = pipeline.AddNonQuery(command);
            Assert.That((await Catch<PgException>(() => Result(slow))).Code, Is.EqualTo(PgErrorCode.Timeout));
        }
        await AssertUsable();
    }

    // The value has arrived, and what it says of the table will not be true.
    [Test]
    public async Task A_value_in_front_of_a_change_that_is_stopped_is_not_returned()
    {
        await Execute("CREATE TEMP TABLE stopped (id int)");
        await using (var pipeline = Connection.CreatePipeline())
        {
            var value = pipeline.AddScalar<int>(Command("SELECT 1 FROM generate_series(1, 10000); INSERT INTO stopped SELECT 1 FROM pg_sleep(600)"));
            var taking = Task.Run(() => Result(value));
            await Until(() => IsAsleep("INSERT INTO stopped SELECT 1 FROM pg_sleep(600)"));
            value.Cancel();
            await Catch<OperationCanceledException>(() => taking);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM stopped"), Is.Zero);
    }

    // A pipeline is disposed within the connection's time.
    [Test]
    public async Task What_runs_when_the_time_of_a_dispose_is_over_is_stopped()
    {
        await using var connection = new PgConnection(ConnectionString + ";Pooling=false;Command Timeout=1");
        await Mode.Open(connection);
        await Mode.ExecuteNonQuery(new PgCommand("CREATE TEMP TABLE stopped (id int)", connection));
        var pipeline = connection.CreatePipeline();
        pipeline.AddNonQuery("INSERT INTO stopped SELECT 1 FROM pg_sleep(600)");
        await Mode.Dispose(pipeline);
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT count(*) FROM stopped", connection)), Is.Zero);
    }

    [Test]
    public async Task The_end_of_a_group_that_was_lost_before_it_was_written_may_be_cancelled()
    {
        await using var connection = new PgConnection(ConnectionString + ";Pooling=false");
        await Mode.Open(connection);
        await using var pipeline = connection.CreatePipeline();
        var first = pipeline.AddNonQuery("SELECT pg_sleep(600)");
        pipeline.Flush();
        var delayed = pipeline.AddScalar<string>(Command("SELECT $1::text", new PgParameter { Value = "x", DataTypeName = "no_such_type" }));
        var sync = pipeline.Sync();
        await Scalar<bool>("SELECT pg_terminate_backend($1, 5000)", connection.ProcessID);
        var lost = await Catch<PgException>(() => Result(first));
        Assert.That(lost.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That((lost.InnerException as PostgresException)?.SqlState, Is.EqualTo(PostgresErrorCodes.AdminShutdown));
        Assert.That(lost.Message, Does.Contain("command. It is not known"));
        Assert.That((await Catch<PgException>(() => Result(delayed))).Message, Does.Contain("had not been sent"));
        await Catch<PgException>(() => Wait(sync));
        Assert.That(sync.Cancel, Throws.Nothing);
    }

    [Test]
    public async Task A_cancelled_reader_leaves_the_others()
    {
        await using var pipeline = Connection.CreatePipeline();
        using var cancelled = new CancellationTokenSource();
        var rows = pipeline.AddReader(Command("SELECT n FROM generate_series(1, 1000) n"));
        var after = pipeline.AddScalar<int>(Command("SELECT 3"));
        var reader = await rows.GetResultAsync(cancelled.Token);
        Assert.That(await reader.ReadAsync(cancelled.Token), Is.True);
        await cancelled.CancelAsync();
        await Catch<OperationCanceledException>(() => reader.ReadAsync(cancelled.Token));
        await Mode.Close(reader);
        Assert.That(await Result(after), Is.EqualTo(3));
    }

    [Test]
    public async Task A_killed_session_fails_every_result_that_is_due()
    {
        await using var other = await OpenAnother();
        await using var pipeline = other.CreatePipeline();
        var arrived = pipeline.AddScalar<int>(Command("SELECT 1"));
        Assert.That(await Result(arrived), Is.EqualTo(1));
        var due = Enumerable.Range(0, 5).Select(_ => pipeline.AddNonQuery("SELECT pg_sleep(600)")).ToList();
        pipeline.Flush();
        await Scalar<bool>("SELECT pg_terminate_backend($1, 5000)", other.ProcessID);
        foreach (var result in due)
            Assert.That((await Catch<PgException>(() => Result(result))).Message, Does.Contain("not known whether"));
        Assert.That(await Result(arrived), Is.EqualTo(1));
    }

    private Task<bool> IsSleeping() => IsAsleep("SELECT pg_sleep(600)");

    private async Task<bool> IsAsleep(string text)
    {
        await using var other = await OpenAnother();
        await using var command = new PgCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND starts_with(query, $1) AND wait_event = 'PgSleep'", other);
        command.Parameters.Add(new PgParameter { Value = text });
        return (long)(await Mode.ExecuteScalar(command))! > 0;
    }
}
