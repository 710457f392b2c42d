using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Commands;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineQueueTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Giving_up_the_end_of_a_group_that_has_ended_leaves_those_behind_it_alone()
    {
        using var isCancelled = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(Answer.Select(1).Bytes);
            server.ExpectStatement();
            server.Expect<Sync>();
            isCancelled.Wait();
            server.Write(Answer.Select(2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var sync = pipeline.Sync();
        Assert.That(await Take(first), Is.EqualTo(1));
        await Mode.Run(sync.Wait, () => sync.WaitAsync());
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        sync.Cancel();
        isCancelled.Set();
        Assert.That(await Take(second), Is.EqualTo(2));
        await Mode.Dispose(pipeline);
        sync.Cancel();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1), "no cancel request");
    }

    [Test]
    public async Task Nothing_runs_outside_of_a_transaction_whose_BEGIN_was_refused([Values] bool isSent)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectStatement();
            server.Expect<Sync>();
            if (isSent)
            {
                server.ExpectStatement();
                server.Expect<Sync>();
            }
            server.Write(new Answer().ErrorResponse("0A000").ReadyForQuery().Bytes);
            if (isSent)
                return;
            server.ExpectBegin();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(new Answer().ErrorResponse("0A000").ReadyForQuery().Bytes);
        });
        await Open();
        await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var sync = pipeline.Sync();
        if (!isSent)
        {
            await Catch<PostgresException>(() => Take(first));
            await Catch<PostgresException>(() => Mode.Run(sync.Wait, () => sync.WaitAsync()));
        }
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        if (isSent)
        {
            await Catch<PostgresException>(() => Take(first));
            await Catch<PgException>(() => Take(second));
        }
        else
        {
            await Catch<PostgresException>(() => Take(second));
        }
        Assert.That(Connection.Session!.State == SessionState.Broken, Is.EqualTo(isSent));
        await Mode.Dispose(pipeline);
    }

    [Test]
    public async Task Nothing_is_flushed_behind_the_end_of_a_pipeline()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(Answer.Select(1).Bytes);
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        await Mode.Dispose(pipeline);
        var unsent = Connection.Session!.Wire.Unsent;
        Assert.That(pipeline.Flush, Throws.InstanceOf<ObjectDisposedException>());
        Assert.That(Connection.Session.Wire.Unsent, Is.EqualTo(unsent));
    }

    [Test]
    public async Task A_group_that_is_given_up_before_its_end_takes_its_commands_with_it()
    {
        using var isCancelled = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.ExpectStatement();
            server.Expect<Sync>();
            isCancelled.Wait();
            server.Write(Answer.Select(1).Bytes);
            server.Write(Answer.Select(2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var sync = pipeline.Sync();
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        sync.Cancel();
        isCancelled.Set();
        await Catch<OperationCanceledException>(() => Take(first));
        Assert.That(await Take(second), Is.EqualTo(2));
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    [Test]
    public async Task What_waits_for_an_earlier_cancel_request_is_written_later_or_dropped()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCancel().End();
            server.Write(new Answer().ErrorResponse("57014").ReadyForQuery().Bytes);
            // Settles the request.
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.ExpectUndoing();
            server.Expect<Sync>();
            server.Write(new Answer().ErrorResponse("42601").ReadyForQuery().Bytes);
            Assert.That(server.ExpectStatement(), Is.EqualTo("SELECT 2"));
            server.Expect<Sync>();
            server.Write(Answer.Select(2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var command = Command("SELECT 0");
        var running = Task.Run(() => Mode.ExecuteScalar(command));
        while (Connection.Session!.State != SessionState.Busy || !Connection.Session.Wire.IsInUse)
            await Task.Yield();
        command.Cancel();
        await Catch<OperationCanceledException>(() => running);
        var pipeline = Connection.CreatePipeline();
        var dropped = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        pipeline.Sync();
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        dropped.Cancel();
        dropped.Cancel();
        await Catch<OperationCanceledException>(() => Take(dropped));
        Assert.That(await Take(second), Is.EqualTo(2));
        dropped.Cancel();
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    [Test]
    public async Task Nothing_is_added_to_a_pipeline_that_has_ended()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Write(Answer.Select(1).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var untaken = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        await Catch<PgOperationInProgressException>(() => Scalar());
        await Mode.Dispose(pipeline);
        await Mode.Dispose(pipeline);
        Assert.That(() => pipeline.AddScalar<int>(new PgCommand("SELECT 2")), Throws.TypeOf<ObjectDisposedException>());
        await Catch<InvalidOperationException>(() => Take(untaken));
        await AssertUsable();
    }

    private Task<T> Take<T>(PgPipelineResult<T> result) => Mode.Run(result.GetResult, () => result.GetResultAsync());
}
