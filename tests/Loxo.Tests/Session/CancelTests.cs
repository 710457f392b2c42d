using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Timeouts and cancels: what goes to the server and what the caller sees.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CancelTests(WaitMode mode) : CancelTest(mode)
{
    [Test]
    public async Task A_command_that_takes_too_long_is_cancelled_and_the_connection_stays_usable()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.Send.ErrorResponse("57014", "canceling statement due to user request").ReadyForQuery();
            AnswerAfterSync(server);
        });
        await Open();
        var error = await Catch<PgException>(() => Run());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.InnerException, Is.TypeOf<TimeoutException>());
        Assert.That(error.Message, Does.Contain("can be used"));
        Assert.That(Server.Dialer.Redialed, Is.EqualTo(new[] { ScriptedDialer.Address }));
        await AssertUsable();
    }

    [Test]
    public async Task A_request_that_the_server_has_ignored_is_sent_again_until_the_command_stops()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            for (var requests = 1; requests < 4; requests++)
            {
                server.ExpectCancel().End();
                server.LetTimePassUntil(() => server.Server.Dialer.Redialed.Count > requests);
            }
            server.ExpectCancel().End();
            server.Send.ErrorResponse("57014").ReadyForQuery();
            AnswerAfterSync(server);
        });
        await Open("Cancellation Timeout=3600000");
        await Catch<OperationCanceledException>(() => Run());
        await AssertUsable();
        Assert.That(Server.Dialer.Redialed, Has.Count.EqualTo(4));
    }

    [Test]
    public async Task Each_wait_has_its_own_time()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            foreach (var message in Answer.Select(1, 2).Messages)
            {
                server.LetTimePass(29);
                server.Write(message);
            }
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_timeout_of_zero_waits_for_ever()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(1_000_000);
            server.Write(Answer.Select(1).Bytes);
        });
        await Open("Command Timeout=0");
        Assert.That(await Rows(), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_timeout_that_the_server_does_not_answer_closes_the_connection_after_Cancellation_Timeout()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.LetTimePass(1.9);
            Assert.That(server.Channel.IsShutDown, Is.False, "given up before Cancellation Timeout");
            server.LetTimePassUntilShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Run());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("has been closed"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_cancel_request_that_is_never_closed_does_not_hold_the_command_longer_than_Cancellation_Timeout()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            var cancel = server.ExpectCancel();
            cancel.LetTimePass(1.9);
            Assert.That(server.Channel.IsShutDown, Is.False, "given up before Cancellation Timeout");
            server.LetTimePassUntilShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Run());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task A_cancel_request_that_cannot_connect_does_not_hold_the_command_longer_than_Cancellation_Timeout()
    {
        Server.Dialer.Next(Dialing.Succeeds, Dialing.NeverEnds);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            server.Server.Dialer.AwaitRedial();
            server.LetTimePassUntilShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Run());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task A_cancel_request_that_is_refused_leaves_the_server_Cancellation_Timeout_to_answer()
    {
        // Each attempt, until the server has answered by itself.
        Server.Dialer.Next(Dialing.Succeeds, Dialing.IsRefused, Dialing.IsRefused, Dialing.IsRefused, Dialing.IsRefused);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            server.Server.Dialer.AwaitRedial();
            server.LetTimePass(1.5);
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            AnswerAfterSync(server);
        });
        await Open();
        Assert.That(await Run(), Is.EqualTo(-1));
        await AssertUsable();
    }

    [TestCase("Cancellation Timeout=-1")]
    [TestCase("", false)]
    public async Task Where_nothing_can_be_cancelled_a_timeout_closes_the_connection_at_once(string more, bool hasKey = true)
    {
        Play(server =>
        {
            if (hasKey)
                server.Login();
            else
                LoginWithoutKey(server);
            server.ExpectCommand();
            server.LetTimePass(30.1);
            server.Channel.AwaitShutdown();
        });
        await Open(more);
        var error = await Catch<PgException>(() => Run());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancelled_command_says_so_and_the_connection_stays_usable()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            server.ExpectCancel().End();
            server.Send.ErrorResponse("57014").ReadyForQuery();
            AnswerAfterSync(server);
        });
        await Open();
        var error = await Catch<OperationCanceledException>(() => Run());
        Assert.That(error.InnerException, Is.TypeOf<PostgresException>());
        await AssertUsable();
    }

    [Test]
    public async Task Cancelling_never_blocks_whoever_cancels()
    {
        Server.Dialer.Next(Dialing.Succeeds, Dialing.NeverEnds);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            server.Server.Dialer.AwaitRedial();
            Cancel();
            server.LetTimePassUntilShutdown();
        });
        await Open();
        var error = await Catch<OperationCanceledException>(() => Run());
        Assert.That(error.Message, Does.Contain("has been closed"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_cancel_after_the_end_does_nothing()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        await Run();
        Cancel();
        Running.Cancel();
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task An_old_command_cannot_cancel_a_later_one()
    {
        var later = default(Action);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            later!();
            server.Write(Answer.Select(42).Bytes);
        });
        await Open();
        await Run();
        var first = Running;
        later = first.Cancel;
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task An_error_that_is_no_cancel_is_reported_as_itself_although_a_cancel_was_sent()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            server.ExpectCancel().End();
            server.Send.ErrorResponse("23505").ReadyForQuery();
            AnswerAfterSync(server);
        });
        await Open();
        var error = await Catch<PostgresException>(() => Run());
        Assert.That(error.SqlState, Is.EqualTo("23505"));
        await AssertUsable();
    }

    [Test]
    public async Task A_cancel_that_was_not_ours_is_the_servers_error()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ErrorResponse("57014", "canceling statement due to statement timeout").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Run());
        Assert.That(error.SqlState, Is.EqualTo("57014"));
        await AssertUsable();
    }

    [Test]
    public async Task Two_commands_at_once_are_refused_and_the_first_goes_on()
    {
        var refused = default(Exception);
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            refused = Assert.Throws<PgOperationInProgressException>(() => Command("SELECT 2").ExecuteScalar());
            Assert.That(Command("SELECT 2").ExecuteScalarAsync().Exception?.InnerException, Is.TypeOf<PgOperationInProgressException>());
            server.Write(Answer.Select(1).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1 }));
        await AssertUsable();
        Assert.That(refused, Is.Not.Null);
    }

    private static void LoginWithoutKey(ScriptedPeer server)
    {
        server.Expect<Startup>();
        server.Send.AuthenticationOk().ReadyForQuery();
    }
}
