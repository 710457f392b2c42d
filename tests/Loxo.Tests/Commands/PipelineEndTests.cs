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
}
