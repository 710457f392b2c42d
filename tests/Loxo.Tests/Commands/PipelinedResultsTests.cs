using Loxo.Tests.Wire;

namespace Loxo.Tests.Commands;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelinedResultsTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_reader_that_is_given_up_between_two_rows_does_not_end_as_if_there_were_no_more()
    {
        using var isRead = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectStatement();
            server.Expect<Sync>();
            var whole = new Answer().Result(1, 2, 3).Bytes;
            var rest = new Answer().DataRow(3).CommandComplete("SELECT 3").Bytes.Length;
            server.Write(whole.AsSpan()[..^rest]);
            isRead.Wait();
            server.Write(whole.AsSpan()[^rest..]);
            server.Write(Answer.Select(4).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var result = pipeline.AddReader(new PgCommand("SELECT n"));
        var next = pipeline.AddScalar<int>(new PgCommand("SELECT 4"));
        pipeline.Sync();
        var reader = await Take(result);
        Assert.That(await Mode.Read(reader), Is.True);
        result.Cancel();
        isRead.Set();
        await Catch<OperationCanceledException>(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
        });
        await Mode.Close(reader);
        Assert.That(await Take(next), Is.EqualTo(4));
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    [Test]
    public async Task A_result_is_the_same_each_time_it_is_taken_errors_included()
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 3; i++)
                server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(new Answer().Result(1).Command("UPDATE 7").ErrorResponse("22012").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var value = pipeline.AddScalar(new PgCommand("SELECT 1"));
        var affected = pipeline.AddNonQuery("UPDATE");
        var failing = pipeline.AddScalar<string>(new PgCommand("SELECT 1 / 0"));
        pipeline.Sync();
        for (var i = 0; i < 2; i++)
        {
            Assert.That((await Catch<PostgresException>(() => Take(failing))).SqlState, Is.EqualTo("22012"));
            Assert.That(await Take(affected), Is.EqualTo(7));
            Assert.That(await Take(value), Is.EqualTo(1));
        }
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    [Test]
    public async Task A_commit_that_rolled_back_says_so()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(new Answer().Command("ROLLBACK").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var commit = pipeline.AddCommit();
        Assert.That((await Catch<PgException>(() => Mode.Run(commit.Wait, () => commit.WaitAsync()))).Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    private Task<T> Take<T>(PgPipelineResult<T> result) => Mode.Run(result.GetResult, () => result.GetResultAsync());
}
