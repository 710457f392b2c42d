using Loxo.IntegrationTests.Multiplexing;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>Behind a pooler in session mode, lanes and pipelines are clients as any other: nothing of one is met by the next.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class SessionPoolerTests(WaitMode mode) : LaneTest(mode)
{
    protected override string Lanes => PgBouncer.Shared.ConnectionString(PgBouncer.Session);

    [OneTimeSetUp]
    public void FindPooler() => _ = PgBouncer.Shared;

    [Test]
    public async Task Lanes_answer_each_caller()
    {
        await Run("SELECT $1::int, repeat('x', $2::int)", 1, 1);
        var callers = Enumerable.Range(0, 32).Select(caller => Call(async () =>
        {
            for (var i = 0; i < 100; i++)
                Assert.That(await Run("SELECT $1::int, repeat('x', $2::int)", (caller * 1000) + i, i * 30), Is.EqualTo((caller * 1000) + i));
            return true;
        })).ToList();
        foreach (var caller in callers)
            await caller;
        Assert.That(Source.Lanes!.Count, Is.GreaterThan(0));
    }

    [Test]
    public async Task A_server_process_that_a_lane_has_left_is_as_any_other()
    {
        for (var round = 0; round < 3; round++)
        {
            for (var i = 0; i < 200; i++)
                await Run("SELECT $1::int + 1", i);
            Source.Clear();
            // The pooler cleans a process up before it hands it on.
            await using var connection = new PgConnection(Lanes + ";Pooling=false");
            await Mode.Open(connection);
            Assert.That(await Value(connection, "SELECT count(*) FROM pg_prepared_statements"), Is.EqualTo(0L));
            Assert.That(await Value(connection, "SELECT $1::int + 1", 41), Is.EqualTo(42));
            Assert.That(await Value(connection, "SELECT count(*) FROM pg_settings WHERE source = 'session' AND name = 'search_path'"), Is.EqualTo(0L));
        }
    }

    [Test]
    public async Task A_pipeline_and_a_transaction_run_on_one_process()
    {
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using (var pipeline = connection.CreatePipeline())
        {
            var processes = Enumerable.Range(0, 10).Select(_ => pipeline.AddScalar<int>(new PgCommand("SELECT pg_backend_pid()"))).ToList();
            var failing = pipeline.AddScalar<int>(new PgCommand("SELECT 1 / 0"));
            var skipped = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
            var sync = pipeline.Sync();
            var next = pipeline.AddScalar<int>(new PgCommand("SELECT pg_backend_pid()"));
            var found = new HashSet<int>();
            foreach (var process in processes)
                found.Add(await Mode.Run(process.GetResult, () => process.GetResultAsync()));
            Assert.That((await Catch<PostgresException>(() => Mode.Run(failing.GetResult, () => failing.GetResultAsync()))).SqlState, Is.EqualTo("22012"));
            Assert.That((await Catch<PgException>(() => Mode.Run(skipped.GetResult, () => skipped.GetResultAsync()))).Code,
                Is.EqualTo(PgErrorCode.PipelineAborted));
            await Catch<PostgresException>(() => Mode.Run(sync.Wait, () => sync.WaitAsync()));
            found.Add(await Mode.Run(next.GetResult, () => next.GetResultAsync()));
            Assert.That(found, Has.Count.EqualTo(1));
        }
        await using (var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask()))
        {
            var process = await Value(connection, "SELECT pg_backend_pid()");
            Assert.That(await Value(connection, "SELECT pg_backend_pid()"), Is.EqualTo(process));
            await Mode.Commit(transaction);
        }
        Assert.That(await Value(connection, "SELECT 1"), Is.EqualTo(1));
    }

    private async Task<object?> Value(PgConnection connection, string sql, params object[] values)
    {
        await using var command = new PgCommand(sql, connection);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter { Value = value });
        return await Mode.ExecuteScalar(command);
    }
}
