using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Which version of the protocol a login asks for, and what it makes of the server's answer.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ProtocolVersionTests(WaitMode mode) : WireTest(mode)
{
    private const int V30 = 3 << 16, V31 = V30 + 1, V32 = V30 + 2;

    [TestCase("", V30)]
    [TestCase("max_protocol_version=3.0", V30)]
    [TestCase("max_protocol_version=3.2", V32)]
    [TestCase("max_protocol_version=latest", V32)]
    [TestCase("min_protocol_version=3.2", V32)]
    public async Task The_startup_message_asks_for_the_newest_version_that_is_allowed(string more, int version)
    {
        var asked = 0;
        Play(server =>
        {
            asked = server.Login().Version;
            server.AnswerCommand();
        });
        await Open(more);
        await AssertUsable();
        Assert.That(asked, Is.EqualTo(version));
    }

    [TestCase(V30)]
    [TestCase(0, Description = "the minor version alone")]
    public async Task A_server_that_offers_an_older_version_is_followed(int answer)
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.Add('v', [.. Answer.Int32(answer), .. Answer.Int32(0)]).AuthenticationOk();
            server.Welcome();
            server.AnswerCommand();
        });
        await Open("max_protocol_version=3.2");
        await AssertUsable();
    }

    [TestCase(V32, 0)]
    [TestCase(V32 + 1, 0)]
    [TestCase(V31, 0)]
    [TestCase(2 << 16, 0)]
    [TestCase(4 << 16, 0)]
    [TestCase(-1, 0)]
    [TestCase(V30, 1)]
    [TestCase(V30, -1)]
    public Task An_answer_that_makes_no_sense_ends_the_login(int answer, int options) =>
        Refused(answer, options, "max_protocol_version=3.2", PgErrorCode.ProtocolViolation, "without options");

    [Test]
    public Task A_version_that_was_not_asked_for_ends_the_login() =>
        Refused(V32, 0, "", PgErrorCode.ProtocolViolation, "3.2");

    [Test]
    public Task An_older_version_than_the_oldest_allowed_ends_the_login() =>
        Refused(V30, 0, "min_protocol_version=3.2", PgErrorCode.AuthenticationNotSupported, "'min_protocol_version' asks for 3.2");

    [Test]
    public void A_minimum_above_the_maximum_is_refused() => Assert.That(
        () => Server.DataSource("min_protocol_version=3.2;max_protocol_version=3.0"),
        Throws.ArgumentException.With.Message.Contains("min_protocol_version"));

    [Test]
    public async Task A_key_of_any_length_comes_back_with_the_cancel_request([Values(1, 4, 32, 256)] int length)
    {
        var key = Enumerable.Range(0, length).Select(i => (byte)(i * 7)).ToArray();
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.AuthenticationOk().BackendKeyData(4711, key).ReadyForQuery();
            server.ExpectCommand();
            server.LetTimePass(30.1);
            var other = server.Server.Accept();
            Assert.That(other.Expect<Cancel>().Key, Is.EqualTo(key));
            other.End();
            server.Send.ErrorResponse("57014", "canceling statement due to user request").ReadyForQuery();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open("max_protocol_version=3.2");
        Assert.That((await Catch<PgException>(() => Execute())).Code, Is.EqualTo(PgErrorCode.Timeout));
        await AssertUsable();
    }

    private async Task Refused(int answer, int options, string more, PgErrorCode code, string text)
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.Add('v', [.. Answer.Int32(answer), .. Answer.Int32(options)]);
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open(more));
        Assert.That(error.Code, Is.EqualTo(code));
        Assert.That(error.Message, Does.Contain(text));
    }
}
