using Loxo.IntegrationTests.UserTypes;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>A command that is never sent fails its group, as one does that the server refuses.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineFailureTests(WaitMode mode) : UserTypeTest(mode)
{
    private const string Insert = "INSERT INTO written VALUES (1)";

    [SetUp]
    public async Task MakeTable()
    {
        await Execute("CREATE TABLE written (id int)");
        await Execute("CREATE TYPE shade AS ENUM ('light', 'dark')");
    }

    [Test]
    public async Task A_transaction_is_not_committed_without_one_of_its_commands(
        [Values] Reason reason, [Values] bool isFirst, [Values] bool isTaken)
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            await using var pipeline = Connection.CreatePipeline();
            var before = isFirst ? null : pipeline.AddNonQuery(Insert);
            var unsent = AddUnsent(pipeline, reason);
            var after = pipeline.AddNonQuery(Insert);
            var commit = pipeline.AddCommit();
            if (isTaken)
                await CatchUnsent(unsent, reason);
            await AssertAborted(commit, reason);
            await AssertAborted(after, reason);
            if (before is not null)
                Assert.That(await Take(before), Is.EqualTo(1));
            await CatchUnsent(unsent, reason);
        }
        await AssertWritten(0);
    }

    [Test]
    public async Task A_group_is_not_committed_without_one_of_its_commands([Values] Reason reason, [Values] bool isFirst)
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            if (!isFirst)
                pipeline.AddNonQuery(Insert);
            var unsent = AddUnsent(pipeline, reason);
            var after = pipeline.AddNonQuery(Insert);
            var sync = pipeline.Sync();
            var next = pipeline.AddNonQuery(Insert);
            var last = pipeline.Sync();
            await AssertAborted(sync, reason);
            await AssertAborted(after, reason);
            await CatchUnsent(unsent, reason);
            Assert.That(await Take(next), Is.EqualTo(1), "the next group runs");
            await Mode.Run(last.Wait, () => last.WaitAsync());
        }
        await AssertWritten(1);
    }

    [Test]
    public async Task A_transaction_is_not_committed_behind_a_pipeline_without_one_of_its_commands([Values] Reason reason)
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            await using (var pipeline = Connection.CreatePipeline())
            {
                pipeline.AddNonQuery(Insert);
                AddUnsent(pipeline, reason);
            }
            await Catch<PgException>(() => Mode.Commit(transaction));
        }
        await AssertWritten(0);
    }

    [Test]
    public async Task A_group_that_a_cancel_request_splits_fails_as_a_whole([Values] bool isTaken)
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var before = pipeline.AddNonQuery(Insert);
            Assert.That(await Take(before), Is.EqualTo(1));
            var slow = pipeline.AddNonQuery("SELECT pg_sleep(600)");
            pipeline.Flush();
            await UntilSleeping("SELECT pg_sleep(600)");
            slow.Cancel();
            if (isTaken)
                await Catch<OperationCanceledException>(() => Take(slow));
            var after = pipeline.AddNonQuery(Insert);
            var sync = pipeline.Sync();
            Assert.That((await Catch<PgException>(() => Take(after))).Code, Is.EqualTo(PgErrorCode.PipelineAborted));
            Assert.That((await Catch<PgException>(() => Mode.Run(sync.Wait, () => sync.WaitAsync()))).Code, Is.EqualTo(PgErrorCode.PipelineAborted));
            Assert.That(await Take(pipeline.AddNonQuery(Insert)), Is.EqualTo(1), "the next group runs");
        }
        await AssertWritten(1);
    }

    [Test]
    public async Task A_group_that_a_cancel_request_hits_at_its_commit_is_not_called_committed()
    {
        await Execute("CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END'");
        await Execute("CREATE TABLE slow (id int)");
        await Execute("CREATE CONSTRAINT TRIGGER sleeps AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sleep()");
        await using (var pipeline = Connection.CreatePipeline())
        {
            Assert.That(await Take(pipeline.AddNonQuery(Insert)), Is.EqualTo(1));
            var slow = pipeline.AddNonQuery("INSERT INTO slow VALUES (1)");
            var sync = pipeline.Sync();
            await UntilSleeping("INSERT INTO slow VALUES (1)");
            slow.Cancel();
            Assert.That((await Catch<PgException>(() => Mode.Run(sync.Wait, () => sync.WaitAsync()))).Code, Is.EqualTo(PgErrorCode.Cancelled));
        }
        await AssertWritten(0);
    }

    /// <summary>Why a command is not sent.</summary>
    public enum Reason
    {
        NoSuchType,
        NoSuchValue,
        Cancelled,
    }

    private async Task UntilSleeping(string query)
    {
        await using var other = await OpenAnother();
        await using var command = new PgCommand(
            $"SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '{query}' AND wait_event = 'PgSleep'", other);
        while ((long)(await Mode.ExecuteScalar(command))! == 0)
            await Task.Delay(20);
    }

    private PgPipelineResult<int> AddUnsent(PgPipeline pipeline, Reason reason)
    {
        var type = reason == Reason.NoSuchType ? "no_such_type" : $"{Schema}.shade";
        object value = reason == Reason.NoSuchValue ? new TimeOnly(1, 2) : "light";
        var unsent = pipeline.AddNonQuery(
            Command("INSERT INTO written SELECT 1 WHERE $1::text <> ''", new PgParameter { Value = value, DataTypeName = type }));
        if (reason == Reason.Cancelled)
            unsent.Cancel();
        return unsent;
    }

    private async Task CatchUnsent(PgPipelineResult<int> unsent, Reason reason)
    {
        var error = await Catch<Exception>(() => Take(unsent));
        Assert.That(error is OperationCanceledException, Is.EqualTo(reason == Reason.Cancelled));
        Assert.That((error as PgException)?.Code, Is.Not.EqualTo(PgErrorCode.PipelineAborted));
    }

    private async Task AssertAborted(PgPipelineResult result, Reason reason)
    {
        var error = await Catch<PgException>(() => Mode.Run(result.Wait, () => result.WaitAsync()));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.PipelineAborted));
        Assert.That(error.Message, Does.Contain(reason switch
        {
            Reason.NoSuchType => "no_such_type",
            Reason.NoSuchValue => "TimeOnly",
            _ => "cancelled",
        }));
    }

    private async Task AssertWritten(int rows)
    {
        Assert.That(await Scalar<long>("SELECT count(*) FROM written"), Is.EqualTo(rows));
        await AssertUsable();
    }

    private Task<T> Take<T>(PgPipelineResult<T> result) => Mode.Run(result.GetResult, () => result.GetResultAsync());
}
