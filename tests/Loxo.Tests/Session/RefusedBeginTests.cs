using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>A batch with error barriers whose first group has the BEGIN of its transaction in front.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class RefusedBeginTests(WaitMode mode) : StatementTest(mode)
{
    [Test]
    public async Task No_group_runs_outside_of_a_transaction_whose_BEGIN_was_refused([Values] bool isPooled)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Assert.That(server.Channel.Unread, Is.Zero);
            server.Send.ErrorResponse("0A000").ReadyForQuery();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Send.Raw(BeginDone()).Result(42).ReadyForQuery('T');
        });
        await Open(isPooled ? "Pooler=Transaction" : "");
        await Begin();
        var error = await Catch<PostgresException>(() => Run(Barriers()));
        Assert.That(error.SqlState, Is.EqualTo("0A000"));
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task The_other_groups_are_sent_together_when_BEGIN_has_been_answered()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Send.Raw(BeginDone()).Command("INSERT 0 1").ReadyForQuery('T');
            server.ExpectCommand();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ReadyForQuery('T').Command("INSERT 0 1").ReadyForQuery('T');
            server.AnswerCommand();
        });
        await Open();
        await Begin();
        await Run(Barriers());
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task A_named_statement_of_a_group_that_was_not_sent_is_parsed_with_its_next_use()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Ba D E S", new Answer().ErrorResponse("0A000").ReadyForQuery());
            client.Expect("P B E Pb Bb D E S", BeginDone().Command("INSERT 0 1").ReadyForQuery('T'));
        });
        await Open(AtOnce);
        await Begin();
        await Catch<PostgresException>(() => Run(Barriers()));
        await Execute("INSERT INTO t VALUES (2)");
    }

    private PgBatch Barriers()
    {
        var batch = Connection.CreateBatch();
        batch.EnableErrorBarriers = true;
        for (var i = 1; i <= 3; i++)
            batch.BatchCommands.Add(new PgBatchCommand($"INSERT INTO t VALUES ({i})"));
        return batch;
    }

    private Task<int> Run(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
}
