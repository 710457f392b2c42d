using Loxo.Pool;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Session;
using Loxo.Tests.Wire;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Tests.Pool;

/// <summary>The pool on a server in memory and a clock that the test moves: what is sent when, and how long a rent may take.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SessionPolicyTests(WaitMode mode) : WireTest(mode)
{
    public enum TokenEnds
    {
        WithTheLogin,
        WithTheCommand,
        WithTheReset,
    }

    private const string Pooled = "Pooling=true;Maximum Pool Size=1;Session Reset=";

    [Test]
    public async Task The_first_return_under_Auto_sends_reset_and_question_and_those_after_the_answer_nothing()
    {
        Play(peer =>
        {
            peer.Login();
            peer.AnswerCommand();
            // The next renter waits for the reply to the first reset: whether the server knows its statements is not known before.
            AnswerResetAndQuestion(peer);
            for (var i = 0; i < 3; i++)
                peer.AnswerCommand();
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Auto");

        for (var i = 0; i < 4; i++)
            await UseOnce(source);
    }

    [Test]
    public async Task A_plain_statement_after_which_the_server_reports_another_setting_is_followed_by_a_reset()
    {
        Play(peer =>
        {
            peer.Login(answer => answer.ParameterStatus("TimeZone", "UTC"));
            peer.AnswerCommand();
            AnswerResetAndQuestion(peer);
            peer.ExpectCommand();
            peer.Send.Result(42).ParameterStatus("TimeZone", "Asia/Kathmandu").ReadyForQuery();
            var reset = peer.Expect<Query>().Sql;
            Assert.That(reset, Does.Contain("RESET ALL"));
            var answer = peer.Send.Reset();
            // Until the answer to the question has been read, a function may have forgotten the statements.
            if (reset.Contains("DEALLOCATE ALL", StringComparison.Ordinal))
                answer.CommandComplete("DEALLOCATE ALL");
            answer.ParameterStatus("TimeZone", "UTC").ReadyForQuery();
            peer.AnswerCommand();
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Auto");
        for (var i = 0; i < 3; i++)
            await UseOnce(source);
    }

    [Test]
    public async Task What_comes_in_front_of_the_answer_to_the_reset_is_not_for_the_next_user()
    {
        Play(peer =>
        {
            peer.Login();
            peer.AnswerCommand();
            AnswerResetAndQuestion(peer);
            peer.AnswerCommand();
            var reset = peer.Expect<Query>().Sql;
            Assert.That(reset, Does.Contain("UNLISTEN"));
            peer.ExpectCommand();
            var answer = peer.Send.NotificationResponse("news", "former").NoticeResponse("former").Reset();
            if (reset.Contains("DEALLOCATE ALL", StringComparison.Ordinal))
                answer.CommandComplete("DEALLOCATE ALL");
            answer.NotificationResponse("news", "former").ReadyForQuery();
            peer.Send.NotificationResponse("news", "own").NoticeResponse("own").Result(42).ReadyForQuery();
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Auto");
        await UseOnce(source);
        await using (var former = await Start(source))
            await Mode.ExecuteScalar(new PgCommand("LISTEN news", former));

        var heard = new List<string>();
        await using var next = await Start(source);
        next.Notification += (_, e) => heard.Add(e.Payload);
        next.Notice += (_, e) => heard.Add(e.Notice.MessageText);
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", next)), Is.EqualTo(42));

        Assert.That(heard, Is.EqualTo(new[] { "own", "own" }));
    }

    [Test]
    public async Task A_session_whose_reset_was_refused_is_not_used_again()
    {
        Play(peer =>
        {
            peer.Login();
            peer.AnswerCommand();
            peer.Expect<Query>();
            peer.Expect<Query>();
            peer.Send.ErrorResponse("42501", "permission denied").ReadyForQuery();
            AnswerQuestion(peer);
            var other = peer.Server.Accept();
            other.Login();
            other.AnswerCommand();
            Assert.That(other.Expect<Query>().Sql, Does.Contain("RESET ALL"));
        });
        await using var source = Server.DataSource(Pooled + "Always");
        await UseOnce(source);
        await using (var refused = source.CreateConnection())
        {
            // Whether the refusal has arrived by then or not, the command does not run in a session that was not reset.
            try
            {
                await Mode.Open(refused);
                Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", refused)), Is.EqualTo(42));
                return;
            }
            catch (PgException e)
            {
                Assert.That(e.Message, Does.Contain("permission denied"));
            }
        }
        await UseOnce(source);
    }

    [Test]
    public async Task A_rent_that_waited_has_only_the_rest_of_its_time_to_connect()
    {
        Play(static peer =>
        {
            peer.Login();
            peer.ExpectCommand();
            peer.Reset();
        });
        await using var source = Server.DataSource(Pooled + "Never");
        await using var holder = source.CreateConnection();
        await Mode.Open(holder);
        var waiting = Start(source);
        await Until(() => source.GetPoolStatistics()!.Waiting == 1);
        Server.Time.Advance(TimeSpan.FromSeconds(10));
        Server.Dialer.Next(Dialing.NeverEnds);

        await Catch<PgException>(() => Mode.ExecuteScalar(new PgCommand("SELECT 1", holder)));
        await Mode.Close(holder);
        await Until(() => Server.Dialer.Hanging == 1);
        Server.Time.Advance(TimeSpan.FromSeconds(4.9));
        Assert.That(waiting.IsCompleted, Is.False);
        while (!waiting.IsCompleted && Server.Time.Now < TimeSpan.FromHours(1) + TimeSpan.FromSeconds(16))
        {
            Server.Time.Advance(TimeSpan.FromSeconds(0.1));
            await Task.WhenAny(waiting, Task.Delay(50));
        }

        var error = await Catch<PgException>(() => waiting);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(source.GetPoolStatistics(), Has.Property("Total").EqualTo(0));
    }

    [Test]
    public async Task The_error_of_an_exhausted_pool_tells_who_waits_and_what_failed_lately()
    {
        Play(static peer => peer.Login());
        Server.Dialer.Next(Dialing.IsRefused);
        await using var source = Server.DataSource(Pooled + "Never");
        await using var holder = source.CreateConnection();
        Assert.That((await Catch<PgException>(() => Mode.Open(holder))).Code, Is.EqualTo(PgErrorCode.ConnectionRefused));
        await Mode.Open(holder);
        var first = Start(source);
        await Until(() => source.GetPoolStatistics()!.Waiting == 1);
        Server.Time.Advance(TimeSpan.FromSeconds(5));
        var second = Start(source);
        await Until(() => source.GetPoolStatistics()!.Waiting == 2);

        Server.Time.Advance(TimeSpan.FromSeconds(10));

        var error = await Catch<PgException>(() => first);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.PoolExhausted));
        Assert.That(error.Message, Does.Contain("within 15 s").And.Contains("1 are in use, 0 idle and 0 opening, and 1 others wait"));
        Assert.That(error.Message, Does.Contain("In use for 15 s").And.Match("Opening failed at .*: refused"));
        Assert.That(second.IsCompleted, Is.False, "it has time left");
        await Mode.Close(holder);
        await using var connection = await second;
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
    }

    [Test]
    public async Task A_command_cancelled_before_the_reset_in_front_of_it_is_answered_never_hits_the_reset()
    {
        using var cancellation = new CancellationTokenSource();
        Play(peer =>
        {
            peer.Login();
            peer.AnswerCommand();
            AnswerResetAndQuestion(peer);
            peer.AnswerCommand();
            var reset = ResetFor(peer.Expect<Query>().Sql);
            peer.ExpectCommand();
            cancellation.Cancel();
            Assert.That(peer.Server.Connections, Is.EqualTo(1), "nothing is cancelled yet");
            peer.Write(reset.ReadyForQuery().Bytes);
            var cancel = peer.ExpectCancel();
            peer.Send.ErrorResponse("57014", "canceling statement due to user request").ReadyForQuery();
            cancel.End();
            peer.Expect<Sync>();
            peer.Send.ReadyForQuery();
            peer.AnswerCommand();
            peer.Write(ResetFor(peer.Expect<Query>().Sql).ReadyForQuery().Bytes);
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Always");
        await UseOnce(source);
        await UseOnce(source);
        await using (var connection = await source.OpenConnectionAsync())
        {
            await using var command = new PgCommand("SELECT 1", connection);
            // Cancel for blocking calls, a token for the others.
            await using var registration = cancellation.Token.Register(Mode == WaitMode.Blocking ? command.Cancel : static () => { });
            await Catch<OperationCanceledException>(() => Mode.Run(command.ExecuteScalar, () => command.ExecuteScalarAsync(cancellation.Token)));
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 42", connection)), Is.EqualTo(42));
        }
    }

    [Test]
    public async Task Under_Never_an_open_transaction_is_rolled_back_and_nothing_else_is_sent()
    {
        Play(static peer =>
        {
            peer.Login();
            peer.AnswerCommand();
            peer.ExpectCommand();
            peer.Send.Result(42).ReadyForQuery('T');
            Assert.That(peer.Expect<Query>().Sql, Is.EqualTo("ROLLBACK"));
            peer.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            peer.AnswerCommand();
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Never");
        for (var i = 0; i < 3; i++)
            await UseOnce(source);
    }

    [Test]
    public async Task A_reset_that_a_late_cancel_could_hit_is_sent_by_the_next_renter()
    {
        var command = default(PgCommand);
        Play(peer =>
        {
            peer.Login();
            peer.ExpectCommand();
            peer.Channel.AwaitClientWaiting();
            command!.Cancel();
            var cancel = peer.ExpectCancel();
            peer.Write(Answer.Select(42).Bytes);
            cancel.End();
            peer.Expect<Sync>();
            peer.Send.ReadyForQuery();
            peer.Write(ResetFor(peer.Expect<Query>().Sql).ReadyForQuery().Bytes);
            peer.AnswerCommand();
            peer.Write(ResetFor(peer.Expect<Query>().Sql).ReadyForQuery().Bytes);
            peer.Expect<Query>();
            AnswerQuestion(peer);
            peer.Expect<Terminate>();
        });
        await using var source = Server.DataSource(Pooled + "Always");
        await using (var connection = source.CreateConnection())
        {
            await Mode.Open(connection);
            command = new PgCommand("SELECT 1", connection);
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
            await Mode.Close(connection);
        }
        await UseOnce(source);
    }

    [Test]
    public void A_session_that_nothing_is_to_be_done_for_is_kept_as_it_is()
    {
        var pooled = Idle();
        pooled.Session.PendingBegin = "BEGIN";
        Assert.That(Policy(pooled, SessionReset.Never).Reset(pooled), Is.True);
        Assert.That((pooled.DueReset, pooled.Session.PendingBegin), Is.EqualTo(((string?)null, (string?)null)), "the BEGIN was never sent");
        Assert.That(pooled.Session.Output.Pending.Length, Is.Zero);
        Assert.That(Policy(pooled, SessionReset.Never).NeedsAttention(pooled), Is.False);
    }

    [Test]
    public void A_session_is_not_kept_while_its_command_runs()
    {
        var pooled = Idle();
        pooled.Session.Claim(owner: null);
        Assert.That(Policy(pooled, SessionReset.Never).Reset(pooled), Is.False);
    }

    [Test]
    public void A_notice_left_unread_is_read_and_a_reply_that_nobody_waits_for_ends_the_session([Values] bool isNotice)
    {
        var pooled = Idle();
        pooled.Session.Wire.Input.Append((isNotice ? new Answer().NoticeResponse("mind") : new Answer().CommandComplete("SELECT 1")).Bytes);
        Assert.That(Policy(pooled, SessionReset.Never).Reset(pooled), Is.EqualTo(isNotice));
        Assert.That(pooled.Session.State, Is.EqualTo(isNotice ? SessionState.Idle : SessionState.Broken));
    }

    [Test]
    public void A_session_needs_attention_when_a_reset_has_been_due_for_a_second([Values] bool isDue, [Values] bool isOld)
    {
        var pooled = Idle();
        pooled.DueReset = isDue ? "RESET ALL" : null;
        pooled.IdleSince = Environment.TickCount64 + (isOld ? -1000 : 1_000_000);
        Assert.That(Policy(pooled, SessionReset.Never).NeedsAttention(pooled), Is.EqualTo(isDue && isOld));
    }

    private static PooledSession Idle()
    {
        var session = NoChannel.Session();
        session.Opened();
        return new PooledSession(session);
    }

    private static SessionPolicy Policy(PooledSession pooled, SessionReset reset) => new(
        pooled.Session.Context, Given.Settings("Host=nowhere;Username=alice").Pool with { Reset = reset }, NullLogger.Instance, leaked: null);

    // Whether the statements are forgotten with it depends on the clock: what is known of the database is looked at once a tick.
    private static Answer ResetFor(string sql) =>
        sql.EndsWith("DEALLOCATE ALL", StringComparison.Ordinal) ? new Answer().Reset().CommandComplete("DEALLOCATE ALL") : new Answer().Reset();

    // The client ends its wait by closing the channel, and then finds that the answer has arrived.
    [Test]
    public async Task A_token_that_ends_while_the_answer_arrives_leaves_nobody_a_closed_session([Values] TokenEnds ends)
    {
        using var token = new CancellationTokenSource();
        Play(peer =>
        {
            peer.Expect<Startup>();
            peer.Send.AuthenticationOk();
            peer.Channel.AwaitClientWaiting();
            peer.Channel.Arriving = ends == TokenEnds.WithTheLogin ? token.Cancel : null;
            peer.Welcome();
            if (ends == TokenEnds.WithTheCommand)
            {
                peer.ExpectCommand();
                peer.Channel.AwaitClientWaiting();
                peer.Channel.Arriving = token.Cancel;
                peer.Channel.Write(new Answer().Result(42).ReadyForQuery().Bytes);
            }
            else if (ends == TokenEnds.WithTheReset)
            {
                peer.AnswerCommand();
                ExpectResetAndQuestion(peer);
                peer.Channel.AwaitClientWaiting();
                peer.Channel.Arriving = token.Cancel;
                peer.Channel.Write(new Answer().Reset().CommandComplete("DEALLOCATE ALL").ReadyForQuery()
                    .RowDescription(("identity", 25)).DataRow([null]).CommandComplete("SELECT 1").ReadyForQuery().Bytes);
            }
            var other = peer.Server.Accept();
            other.Login();
            other.AnswerCommand();
        });
        var reset = ends == TokenEnds.WithTheReset ? "Always" : "Never";
        await using var source = Server.DataSource($"{Pooled}{reset};Cancellation Timeout=-1");
        if (ends == TokenEnds.WithTheReset)
            await UseOnce(source);

        await using var connection = source.CreateConnection();
        await using var command = new PgCommand("SELECT 1", connection);
        try
        {
            await connection.OpenAsync(token.Token);
            await command.ExecuteScalarAsync(token.Token);
        }
        catch (OperationCanceledException)
        {
        }
        await Mode.Close(connection);

        await UseOnce(source);
    }

    private static void AnswerResetAndQuestion(ScriptedPeer peer)
    {
        ExpectResetAndQuestion(peer);
        SendResetAndAnswer(peer);
    }

    private static void ExpectResetAndQuestion(ScriptedPeer peer)
    {
        Assert.That(peer.Expect<Query>().Sql, Does.StartWith("SET SESSION AUTHORIZATION DEFAULT; RESET ALL"));
        Assert.That(peer.Expect<Query>().Sql, Does.Contain("pg_proc"));
    }

    private static void SendResetAndAnswer(ScriptedPeer peer)
    {
        peer.Send.Reset().CommandComplete("DEALLOCATE ALL").ReadyForQuery();
        AnswerQuestion(peer);
    }

    private static void AnswerQuestion(ScriptedPeer peer) => peer.Send
        .RowDescription(("identity", 25), ("reason", 25), ("statements", 16), ("functions", 25)).DataRow(null, null, "f"u8.ToArray(), null)
        .CommandComplete("SELECT 1").ReadyForQuery();

    private static async Task Until(Func<bool> isSo)
    {
        while (!isSo())
            await Task.Delay(1);
    }

    private async Task UseOnce(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT 1", connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        await Mode.Close(connection);
    }

    // A blocking rent has a thread of its own, so that the test can go on.
    private Task<PgConnection> Start(PgDataSource source) => Mode == WaitMode.Async
        ? source.OpenConnectionAsync().AsTask()
        : Task.Factory.StartNew(source.OpenConnection, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
