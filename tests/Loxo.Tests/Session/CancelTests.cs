using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Timeouts and cancels: what goes to the server, what the caller sees, and that a late cancel hits nobody else.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CancelTests(WaitMode mode) : WireTest(mode)
{
    private CancellationTokenSource _source = new();
    private PgCommand? _running;

    private enum LateSignal
    {
        None,
        Comes,
    }

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
        Server.Dialer.Next(Dialing.Succeeds, Dialing.IsRefused);
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
    public async Task A_cancel_may_come_at_any_byte_of_a_transactions_first_answer()
    {
        var answer = new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1, 2).ReadyForQuery('T');
        for (var at = 0; at < answer.Bytes.Length; at++)
        {
            await CancelAt(answer.Bytes, at, answer.Bytes[at..], at % 2 == 0 ? LateSignal.Comes : LateSignal.None);
            StartOver();
        }
    }

    [Test]
    public async Task A_cancel_may_take_effect_at_any_message_of_a_transactions_first_answer()
    {
        var answer = new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1, 2);
        foreach (var at in answer.Boundaries)
        {
            var hasBegun = at >= answer.Boundaries[3];
            var failure = new Answer().ErrorResponse("57014").ReadyForQuery(hasBegun ? 'E' : 'I').Bytes;
            var error = await CancelAt(answer.Bytes, at, failure, LateSignal.None, hasBegun);
            Assert.That(error, Is.InstanceOf<OperationCanceledException>(), $"at {at}");
            StartOver();
        }
    }

    [Test]
    public async Task A_cancel_that_is_still_on_its_way_is_waited_for_by_the_next_command()
    {
        using var ended = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            var cancel = server.ExpectCancel();
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            ended.Wait();
            Assert.That(server.Channel.Unread, Is.Zero, "the next command went ahead of the cancel");
            cancel.End();
            server.Expect<Sync>();
            server.Send.ErrorResponse("57014").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Run(), Is.EqualTo(-1));
        ended.Set();
        await AssertUsable();
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
        _running!.Cancel();
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
        var first = _running!;
        later = first.Cancel;
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_session_that_cannot_be_settled_says_so_and_not_that_the_next_command_was_cancelled()
    {
        Play(server =>
        {
            CancelTooLate(server);
            server.Expect<Sync>();
            server.LetTimePassUntilShutdown();
        });
        await Open();
        await Run();
        var error = await Catch<PgException>(() => Scalar());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(error.Message, Does.StartWith("The cancel request of an earlier command"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_cancel_that_was_given_up_on_its_way_is_followed_by_no_other_command()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Cancel();
            var cancel = server.ExpectCancel();
            server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
            cancel.LetTimePassUntilShutdown();
            server.Channel.AwaitShutdown();
            Assert.That(server.Channel.Unread, Is.Zero, "a command was sent that the cancel may hit");
        });
        await Open();
        await Run();
        var error = await Catch<PgException>(() => Scalar());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_session_that_is_lost_while_it_is_settled_says_so()
    {
        Play(server =>
        {
            CancelTooLate(server);
            server.Expect<Sync>();
            server.End();
        });
        await Open();
        await Run();
        var error = await Catch<PgException>(() => Scalar());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
    }

    [Test]
    public async Task A_fatal_error_while_a_session_is_settled_is_what_the_caller_sees()
    {
        Play(server =>
        {
            CancelTooLate(server);
            server.Expect<Sync>();
            server.Send.ErrorResponse("57P01", "terminating connection", "FATAL");
            server.End();
        });
        await Open();
        await Run();
        var error = await Catch<PostgresException>(() => Scalar());
        Assert.That(error.SqlState, Is.EqualTo("57P01"));
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
            Assert.ThrowsAsync<PgOperationInProgressException>(() => Command("SELECT 2").ExecuteScalarAsync());
            server.Write(Answer.Select(1).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1 }));
        await AssertUsable();
        Assert.That(refused, Is.Not.Null);
    }

    [SetUp]
    public void FreshToken() => _source = new CancellationTokenSource();

    private static void LoginWithoutKey(ScriptedPeer server)
    {
        server.Expect<Startup>();
        server.Send.AuthenticationOk().ReadyForQuery();
    }

    private static void AnswerAfterSync(ScriptedPeer server)
    {
        server.Expect<Sync>();
        server.Send.ReadyForQuery();
        server.AnswerCommand();
    }

    private void CancelTooLate(ScriptedPeer server)
    {
        server.Login();
        server.ExpectCommand();
        server.Channel.AwaitClientWaiting();
        Cancel();
        server.ExpectCancel().End();
        server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
    }

    private Task<int> Run()
    {
        _running = Command("DO");
        return Mode.ExecuteNonQuery(_running, _source.Token);
    }

    private void Cancel()
    {
        if (Mode == WaitMode.Async)
            _source.Cancel();
        else
            _running!.Cancel();
    }

    // Cancels when the client has that many bytes of the answer, sends the rest, and runs another command.
    private async Task<Exception?> CancelAt(byte[] answer, int at, byte[] rest, LateSignal signal, bool hasBegun = true)
    {
        FreshToken();
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Write(answer.AsSpan(0, at));
            server.Channel.AwaitClientWaiting();
            Cancel();
            server.ExpectCancel().End();
            server.Write(rest);
            server.Expect<Sync>();
            if (signal == LateSignal.Comes)
                server.Send.ErrorResponse("57014");
            server.Send.ReadyForQuery(hasBegun ? 'T' : 'I');
            if (!hasBegun)
            {
                // The transaction's BEGIN has not run: it stays due.
                server.ExpectBegin();
                server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN");
            }
            server.AnswerCommand();
        });
        await Open();
        _ = Connection.BeginTransaction();
        var error = default(Exception);
        try
        {
            await Run();
        }
        catch (OperationCanceledException e)
        {
            error = e;
        }
        await AssertUsable();
        return error;
    }
}
