using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>A cancel that comes too late for its command hits nobody else.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class LateCancelTests(WaitMode mode) : CancelTest(mode)
{
    private enum LateSignal
    {
        None,
        Comes,
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

    private void CancelTooLate(ScriptedPeer server)
    {
        server.Login();
        server.ExpectCommand();
        server.Channel.AwaitClientWaiting();
        Cancel();
        server.ExpectCancel().End();
        server.Write(new Answer().Command("DO").ReadyForQuery().Bytes);
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
