using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Wait and WaitAsync: what ends them, and what they leave behind.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class MessageWaitTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_notice_or_a_notification_ends_it_and_a_changed_setting_does_not([Values] bool notice)
    {
        Play(server =>
        {
            server.Login();
            server.Channel.AwaitClientWaiting();
            server.Write(new Answer().ParameterStatus("application_name", "other").Bytes);
            server.Channel.AwaitClientWaiting();
            server.Write((notice ? new Answer().NoticeResponse("mind") : new Answer().NotificationResponse("c", "p")).Bytes);
            server.AnswerCommand();
        });
        await Open();
        var heard = new List<string>();
        Connection.Notice += (_, e) => heard.Add(e.Notice.MessageText);
        Connection.Notification += (_, e) => heard.Add(e.Payload);

        Assert.That(await Wait(0), Is.True);

        Assert.That(heard, Is.EqualTo(new[] { notice ? "mind" : "p" }));
        Assert.That(Connection.PostgresParameters["application_name"], Is.EqualTo("other"));
        await AssertUsable();
    }

    [Test]
    public async Task The_end_of_the_time_leaves_the_connection_usable_and_loses_nothing()
    {
        Play(server =>
        {
            server.Login();
            server.LetTimePass(5);
            server.ExpectCommand();
            server.Write([.. new Answer().NotificationResponse("c", "late").Bytes, .. Answer.Select(42).Bytes]);
        });
        await Open();
        var heard = new List<string>();
        Connection.Notification += (_, e) => heard.Add(e.Payload);

        Assert.That(await Wait(4000), Is.False);

        await AssertUsable();
        Assert.That(heard, Is.EqualTo(new[] { "late" }));
    }

    [Test]
    public async Task What_is_neither_breaks_the_connection([Values] bool fatal)
    {
        Play(server =>
        {
            server.Login();
            server.Channel.AwaitClientWaiting();
            server.Write((fatal ? new Answer().ErrorResponse("57P01", severity: "FATAL") : new Answer().CommandComplete("SELECT 1")).Bytes);
        });
        await Open();
        if (fatal)
            Assert.That((await Catch<PostgresException>(() => Wait(0))).SqlState, Is.EqualTo("57P01"));
        else
            Assert.That((await Catch<PgException>(() => Wait(0))).Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Broken));
    }

    [Test]
    public async Task Behind_a_pooler_there_is_nothing_to_wait_for()
    {
        Play(server => server.Login());
        await Open("Pooler=Transaction");
        Assert.That((await Catch<PgException>(() => Wait(0))).Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task Keepalive_asks_the_server_while_it_waits_and_what_comes_with_the_answer_ends_it([Values] bool before)
    {
        Play(server =>
        {
            server.Login();
            for (var i = 0; i < 3; i++)
            {
                server.LetTimePass(10);
                server.Expect<Sync>();
                if (i == 2 && before)
                    server.Send.NotificationResponse("c", "p");
                server.Send.ReadyForQuery();
            }
            if (!before)
                server.Send.NotificationResponse("c", "p");
            server.AnswerCommand();
        });
        await Open("Keepalive=10");
        var heard = new List<string>();
        Connection.Notification += (_, e) => heard.Add(e.Payload);

        Assert.That(await Wait(0), Is.True);

        Assert.That(heard, Is.EqualTo(new[] { "p" }));
        await AssertUsable();
    }

    [Test]
    public async Task The_time_may_end_while_an_answer_is_to_come_which_the_next_command_reads()
    {
        Play(server =>
        {
            server.Login();
            server.LetTimePass(10);
            server.Expect<Sync>();
            server.LetTimePass(5);
            server.ExpectCommand();
            server.Send.ReadyForQuery();
            server.Write(Answer.Select(42).Bytes);
        });
        await Open("Keepalive=10;Command Timeout=30");

        Assert.That(await Wait(15_000), Is.False);

        await AssertUsable();
    }

    [Test]
    public async Task A_server_that_does_not_answer_while_it_waits_has_the_time_of_a_command()
    {
        Play(server =>
        {
            server.Login();
            server.LetTimePass(10);
            server.Expect<Sync>();
            for (var i = 0; i < 3; i++)
                server.LetTimePass(10);
        });
        await Open("Keepalive=10;Command Timeout=30");

        var error = await Catch<PgException>(() => Wait(0));

        Assert.That(error.Message, Does.Contain("sign of life ('Keepalive')"));
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Broken));
    }

    private Task<bool> Wait(int timeout) => Mode.Run(() => Connection.Wait(timeout), () => Connection.WaitAsync(timeout));
}
