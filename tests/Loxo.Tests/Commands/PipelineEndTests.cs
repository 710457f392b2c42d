using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Commands;

/// <summary>The end of a pipeline that does not come in time.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineEndTests(WaitMode mode) : WireTest(mode)
{
    private static Answer Begun => new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN");

    [Test]
    public async Task A_command_that_is_dropped_in_front_of_a_pooler_fails_its_transaction()
    {
        PgPipelineResult<int>? dropped = null;
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.LetTimePassUntil(() => dropped is { Error: not null });
            server.Send.Raw(Begun).Result(1).ReadyForQuery('T');
            server.ExpectUndoing();
            server.Expect<Sync>();
            server.Send.ErrorResponse("42601").ReadyForQuery('E');
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            server.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open("Pooler=Transaction;Command Timeout=2");
        var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        var pipeline = Connection.CreatePipeline();
        pipeline.AddScalar<int>(Command("SELECT 1"));
        pipeline.Sync();
        dropped = pipeline.AddNonQuery("DO IT");
        await Mode.Dispose(pipeline);
        var error = await Catch<PgException>(() => Mode.Run(transaction.Commit, () => transaction.CommitAsync()));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        await AssertUsable();
    }

    [Test]
    public async Task A_command_without_a_connection_takes_the_timeout_of_the_pipelines()
    {
        Play(static server => server.Login());
        await Open("Command Timeout=2");
        var pipeline = Connection.CreatePipeline();
        using var other = Server.DataSource("Command Timeout=5").CreateConnection();
        int[] timeouts =
        [
            pipeline.AddScalar<int>(new PgCommand("SELECT 1")).TimeoutMilliseconds,
            pipeline.AddScalar<int>(new PgCommand("SELECT 1") { CommandTimeout = 3 }).TimeoutMilliseconds,
            pipeline.AddScalar<int>(new PgCommand("SELECT 1", other)).TimeoutMilliseconds,
        ];
        Connection.Session!.Failed(new PgException("over", PgErrorCode.ConnectionClosed));
        await Mode.Dispose(pipeline);
        Assert.That(timeouts, Is.EqualTo(new[] { 2000, 3000, 5000 }));
    }

    [Test]
    public async Task A_handler_of_the_connection_cannot_use_the_pipeline_that_calls_it()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Send.NoticeResponse("listen").NotificationResponse("news", "listen").Result(1).Result(2).ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        var errors = new List<Type?>();
        void Use()
        {
            foreach (var action in (Action[])[pipeline.Flush, () => pipeline.Sync(), second.Wait, pipeline.Dispose])
            {
                try
                {
                    action();
                    errors.Add(null);
                }
                catch (Exception e)
                {
                    errors.Add(e.GetType());
                }
            }
        }
        Connection.Notice += (_, _) => Use();
        Connection.Notification += (_, _) => Use();
        Assert.That(await Mode.Run(first.GetResult, () => first.GetResultAsync()), Is.EqualTo(1));
        Assert.That(errors, Is.EqualTo(Enumerable.Repeat(typeof(PgOperationInProgressException), errors.Count)));
        Assert.That(errors, Has.Count.EqualTo(8));
        Assert.That(await Mode.Run(second.GetResult, () => second.GetResultAsync()), Is.EqualTo(2));
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }

    [Test]
    public async Task A_handler_of_the_connection_can_cancel_a_result()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.Send.NoticeResponse("stop").Result(1).Result(2).ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var second = pipeline.AddScalar<int>(new PgCommand("SELECT 2"));
        pipeline.Sync();
        Connection.Notice += (_, _) => second.Cancel();
        Assert.That(await Mode.Run(first.GetResult, () => first.GetResultAsync()), Is.EqualTo(1));
        await Catch<OperationCanceledException>(() => Mode.Run(second.GetResult, () => second.GetResultAsync()));
        await Mode.Dispose(pipeline);
        await AssertUsable();
    }
}
