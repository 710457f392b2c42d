using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>The stream ends, breaks or stalls: at every byte, at every message.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CutTests(WaitMode mode) : WireTest(mode)
{
    private static readonly Answer Query = Answer.Select(1, 2);

    private static readonly Answer Login = new Answer().AuthenticationOk().ParameterStatus("server_version", "18.1").BackendKeyData(1, [1, 2, 3, 4]);

    [Test]
    public async Task A_query_whose_answer_ends_at_any_byte_fails_and_the_connection_is_closed()
    {
        for (var cut = 0; cut < Query.Bytes.Length; cut++)
        {
            var error = await QueryCutAt(cut, server => server.End());
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), $"at {cut}: {error}");
            Assert.That(error.Message, Does.Contain("closed the connection without saying why"), $"at {cut}");
        }
    }

    [Test]
    public async Task A_query_whose_connection_breaks_at_any_message_fails_and_the_connection_is_closed()
    {
        foreach (var cut in Query.Boundaries.SkipLast(1))
        {
            var error = await QueryCutAt(cut, server => server.Reset());
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), $"at {cut}: {error}");
            Assert.That(error.Message, Does.Contain("was lost"), $"at {cut}");
        }
    }

    [Test]
    public async Task A_query_that_stalls_at_any_message_is_cancelled_and_then_given_up_in_time()
    {
        foreach (var cut in Query.Boundaries.SkipLast(1))
        {
            var error = await QueryCutAt(cut, server =>
            {
                server.LetTimePass(30.1);
                server.ExpectCancel().End();
                server.LetTimePassUntilShutdown();
            });
            Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.Timeout, error.InnerException as TimeoutException)), $"at {cut}: {error}");
        }
    }

    [Test]
    public async Task A_login_that_ends_at_any_byte_fails()
    {
        for (var cut = 0; cut < Login.Bytes.Length; cut++)
        {
            var error = await LoginCutAt(cut, server => server.End());
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), $"at {cut}: {error}");
            Assert.That(error.Message, Does.StartWith("Logging in to scripted:5432 failed: The server closed the connection"), $"at {cut}");
        }
    }

    [Test]
    public async Task A_login_whose_connection_breaks_at_any_message_fails()
    {
        foreach (var cut in Login.Boundaries)
        {
            var error = await LoginCutAt(cut, server => server.Reset());
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed), $"at {cut}: {error}");
        }
    }

    [Test]
    public async Task A_login_that_stalls_at_any_byte_ends_in_time()
    {
        for (var cut = 0; cut < Login.Bytes.Length; cut++)
        {
            var error = await LoginCutAt(cut, server =>
            {
                server.LetTimePass(15.1);
                server.Channel.AwaitShutdown();
            });
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), $"at {cut}: {error}");
            Assert.That(error.Message, Does.Contain("'Timeout'"), $"at {cut}");
        }
    }

    [Test]
    public async Task A_login_that_only_trickles_ends_in_time()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            foreach (var one in Login.Bytes.Take(14))
            {
                server.Write([one]);
                server.LetTimePass(1);
            }
            server.Write([Login.Bytes[14]]);
            server.LetTimePass(1.1);
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task A_fatal_error_before_the_end_is_what_the_caller_sees()
    {
        foreach (var cut in Query.Boundaries.SkipLast(1))
        {
            foreach (var reset in new[] { false, true })
            {
                var error = await CutAt<PostgresException>(cut, server =>
                {
                    server.Send.ErrorResponse("57P01", "terminating connection", "FATAL");
                    if (reset)
                        server.Reset();
                    else
                        server.End();
                });
                Assert.That(error.SqlState, Is.EqualTo("57P01"), $"at {cut}");
            }
        }
    }

    [Test]
    public async Task A_fatal_error_that_came_between_two_commands_is_what_the_next_one_sees([Values] bool reset)
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
            server.Send.ErrorResponse("57P01", "terminating connection", "FATAL");
            if (reset)
                server.Reset();
            else
                server.End();
        });
        await Open();
        await AssertUsable();
        Server.Finish();
        var error = await Catch<PostgresException>(() => Scalar());
        Assert.That(error.SqlState, Is.EqualTo("57P01"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_fatal_error_in_place_of_a_deferred_reply_is_what_the_command_behind_it_sees([Values] bool reset)
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Query>();
            server.Send.ErrorResponse("57P01", "terminating connection", "FATAL");
            if (reset)
                server.Reset();
            else
                server.End();
        });
        await Open();
        await Mode.Run(Connection.DeferRollback, () => Connection.DeferRollbackAsync().AsTask());
        Server.Finish();
        var error = await Catch<PostgresException>(() => Scalar());
        Assert.That(error.SqlState, Is.EqualTo("57P01"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_connection_that_was_lost_can_be_opened_again()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.End();
            var again = server.Server.Accept();
            again.Login();
            again.AnswerCommand();
        });
        await Open();
        await Catch<PgException>(() => Scalar());
        var later = await Catch<PgException>(() => Scalar());
        Assert.That(later.Message, Does.Contain("broken"));
        await Mode.Open(Connection);
        await AssertUsable();
    }

    private Task<PgException> QueryCutAt(int cut, Action<ScriptedPeer> then) => CutAt<PgException>(cut, then);

    private async Task<T> CutAt<T>(int cut, Action<ScriptedPeer> then)
        where T : PgException
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Query.Bytes.AsSpan(0, cut));
            then(server);
        });
        await Open();
        var error = await Catch<T>(() => Rows());
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed), $"at {cut}");
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Broken), $"at {cut}");
        StartOver();
        return error;
    }

    private async Task<PgException> LoginCutAt(int cut, Action<ScriptedPeer> then)
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Write(Login.Bytes.AsSpan(0, cut));
            then(server);
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open());
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed), $"at {cut}");
        StartOver();
        return error;
    }
}
