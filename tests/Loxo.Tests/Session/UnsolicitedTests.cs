using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Notices, settings and notifications may come between any two messages (manual, "Asynchronous Operations").</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class UnsolicitedTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task They_may_come_between_any_two_messages_of_a_query()
    {
        var answer = WithOthersBetween(Answer.Select(1, 2, 3));
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(answer.Bytes);
            server.AnswerCommand();
        });
        await Open();
        var (notices, notifications) = (0, 0);
        Connection.Notice += (_, e) => notices += e.Notice.MessageText == "mind" ? 1 : 0;
        Connection.Notification += (_, e) => notifications += (e.Channel, e.Payload) == ("news", "extra") ? 1 : 0;
        Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }));
        var messages = Answer.Select(1, 2, 3).Messages.Count();
        Assert.That((notices, notifications), Is.EqualTo((messages, messages)));
        Assert.That(Connection.PostgresParameters["search_path"], Is.EqualTo("other"));
        await AssertUsable();
    }

    [Test]
    public async Task They_may_come_byte_by_byte_and_while_the_rows_are_read()
    {
        Play(server =>
        {
            server.Channel.OneByteAtATime = true;
            server.Login();
            server.ExpectCommand();
            server.Write(WithOthersBetween(Answer.Select(1, 2, 3)).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
    }

    [Test]
    public async Task They_may_come_between_any_two_messages_of_the_login()
    {
        var welcome = new Answer().Authentication(3, []).AuthenticationOk().ParameterStatus("server_version", "18.1")
            .BackendKeyData(ScriptedPeer.ProcessId, ScriptedPeer.Key).ReadyForQuery();
        var mixed = WithOthersBetween(welcome);
        Play(server =>
        {
            server.Expect<Startup>();
            server.Write(mixed.Bytes);
            Assert.That(server.Expect<Password>().Text, Is.EqualTo("secret"));
            server.AnswerCommand();
        });
        await Open();
        Assert.That(Connection.ProcessID, Is.EqualTo(ScriptedPeer.ProcessId));
        await AssertUsable();
    }

    [Test]
    public async Task They_may_come_between_two_commands()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
            server.Write(Others().Bytes);
            server.AnswerCommand(43);
        });
        await Open();
        var notices = 0;
        Connection.Notice += (_, _) => notices++;
        await AssertUsable();
        await AssertUsable(43);
        Assert.That(notices, Is.EqualTo(1));
    }

    [Test]
    public async Task They_may_come_while_a_late_cancel_is_settled()
    {
        var command = default(PgCommand);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            command!.Cancel();
            server.ExpectCancel().End();
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            server.Expect<Sync>();
            server.Write(WithOthersBetween(new Answer().ErrorResponse("57014").ReadyForQuery()).Bytes);
            server.AnswerCommand();
        });
        await Open();
        command = Command("DO");
        await Mode.ExecuteNonQuery(command);
        await AssertUsable();
    }

    [Test]
    public async Task A_session_that_has_ended_behind_an_answer_costs_the_end_of_its_transaction_nothing()
    {
        Play(static server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Write(new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1).ReadyForQuery('T')
                .ErrorResponse("25P03", "idle in transaction", "FATAL").Bytes);
        });
        await Open();
        var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        Assert.That(await Rows(), Is.EqualTo(new[] { 1 }));
        await Mode.Dispose(transaction);
        Assert.That(Connection.State, Is.Not.EqualTo(System.Data.ConnectionState.Open));
        Assert.That(transaction.Connection, Is.Null);
    }

    [Test]
    public async Task An_error_of_a_handler_is_not_an_error_of_the_command()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(WithOthersBetween(Answer.Select(1)).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Connection.Notice += (_, _) => throw new InvalidOperationException("handler");
        Connection.Notification += (_, _) => throw new InvalidOperationException("handler");
        Assert.That(await Rows(), Is.EqualTo(new[] { 1 }));
        await AssertUsable();
    }

    private static Answer Others() => new Answer().NoticeResponse("mind").ParameterStatus("search_path", "other").NotificationResponse("news", "extra");

    private static Answer WithOthersBetween(Answer answer)
    {
        var mixed = new Answer();
        foreach (var message in answer.Messages)
            mixed.Raw(Others()).Raw(message);
        return mixed;
    }
}
