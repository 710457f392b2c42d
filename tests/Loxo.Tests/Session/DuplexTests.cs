using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Both sides have more to send than fits: whoever stops reading to write would wait for ever.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class DuplexTests(WaitMode mode) : WireTest(mode)
{
    private const int Megabyte = 1 << 20;

    [Test]
    public async Task A_server_that_sends_a_megabyte_before_it_reads_gets_a_megabyte()
    {
        var received = 0;
        Play(server =>
        {
            NarrowBoth(server);
            server.Login();
            for (var sent = 0; sent < Megabyte; sent += 1024)
                server.Send.NoticeResponse(new string('n', 1024));
            server.Expect<Parse>();
            received = server.Expect<Bind>().Values[0]!.Length;
            server.Expect<Describe>();
            server.Expect<Execute>();
            server.Expect<Sync>();
            server.Write(new Answer().Command("INSERT 0 1").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var notices = 0;
        Connection.Notice += (_, _) => notices++;
        Assert.That(await Mode.ExecuteNonQuery(Large()), Is.EqualTo(1));
        Assert.That((received, notices), Is.EqualTo((Megabyte, 1024)));
        await AssertUsable();
    }

    [Test]
    public async Task Rows_are_handed_out_while_output_is_stuck()
    {
        Play(server =>
        {
            NarrowBoth(server);
            server.Login();
            server.Expect<Parse>();
            server.Write(new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1).DataRow(2).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Expect<Bind>();
            server.Expect<Describe>();
            server.Expect<Execute>();
            server.Expect<Sync>();
            server.Write(new Answer().DataRow(3).CommandComplete("SELECT 3").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Large());
        var values = new List<int>();
        while (await Mode.Read(reader))
            values.Add(reader.GetInt32(0));
        await Mode.Close(reader);
        Assert.That(values, Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
    }

    [Test]
    public async Task A_server_that_reads_nothing_is_given_up_in_time()
    {
        Play(server =>
        {
            NarrowBoth(server);
            server.Login();
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.LetTimePassUntilShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Mode.ExecuteNonQuery(Large()));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task A_server_that_says_why_before_it_breaks_off_is_heard_although_sending_failed()
    {
        Play(server =>
        {
            NarrowBoth(server);
            server.Login();
            server.Channel.AwaitClientWaiting();
            server.Send.ErrorResponse("57P01", "terminating connection", "FATAL");
            server.Reset();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(Large()));
        Assert.That(error.SqlState, Is.EqualTo("57P01"));
    }

    [Test]
    public async Task What_one_mode_began_to_send_the_other_can_finish()
    {
        Play(server =>
        {
            NarrowBoth(server);
            server.Login();
            server.Expect<Parse>();
            server.Write(new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Expect<Bind>();
            server.Expect<Describe>();
            server.Expect<Execute>();
            server.Expect<Sync>();
            server.Write(new Answer().DataRow(2).CommandComplete("SELECT 2").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var other = Mode == WaitMode.Async ? WaitMode.Blocking : WaitMode.Async;
        var reader = await Mode.ExecuteReader(Large());
        Assert.That(await other.Read(reader), Is.True);
        Assert.That(await other.Read(reader), Is.True);
        Assert.That(await other.Read(reader), Is.False);
        await other.Close(reader);
        await AssertUsable();
    }

    private static void NarrowBoth(ScriptedPeer server)
    {
        server.Channel.Window = server.Channel.ClientWindow = 4096;
    }

    private PgCommand Large() => new("INSERT INTO t VALUES ($1)", Connection) { Parameters = { new PgParameter { Value = new byte[Megabyte] } } };
}
