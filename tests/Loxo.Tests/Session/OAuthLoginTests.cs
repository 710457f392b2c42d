using System.Text;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Logins with the method oauth; tests with a real server are in Loxo.IntegrationTests.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class OAuthLoginTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public Task Without_a_token_provider_the_error_names_the_method_that_sets_one() => Refused("UseOAuthTokenProvider", PgErrorCode.AuthenticationNotSupported);

    [Test]
    public Task Without_TLS_no_token_is_asked_for_and_none_is_sent() => Refused("'SSL Mode=VerifyFull'", PgErrorCode.AuthenticationNotSupported, () =>
        throw new AssertionException("the program was asked"));

    [Test]
    public async Task Require_Auth_can_exclude_OAuth([Values("!oauth", "scram-sha-256", "none")] string allowed)
    {
        Play(OfferOAuth);
        var error = await Catch<PgException>(() => Open("Require Auth=" + allowed));
        Assert.That(error.Message, Does.Contain("'Require Auth'"));
    }

    [Test]
    public async Task Without_a_token_provider_SCRAM_is_used_where_both_are_offered()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.Authentication(10, [.. Answer.Text("OAUTHBEARER"), .. Answer.Text("SCRAM-SHA-256"), 0]);
            Assert.That(Encoding.ASCII.GetString(server.Expect<Password>().Body), Does.StartWith("SCRAM-SHA-256\0"));
            server.Channel.Shutdown();
        });
        await Catch<PgException>(() => Open());
    }

    private async Task Refused(string text, PgErrorCode code, Func<PgCredential>? provider = null)
    {
        Play(OfferOAuth);
        var source = Server.DataSource();
        if (provider is not null)
            source.Context.Tokens = new(new(_ => provider(), (_, _) => new(provider())), TimeProvider.System);
        await using var connection = source.CreateConnection();
        var error = await Catch<PgException>(() => Mode.Open(connection));
        Assert.That(error.Code, Is.EqualTo(code));
        Assert.That(error.Message, Does.Contain(text));
    }

    private static void OfferOAuth(ScriptedPeer server)
    {
        server.Expect<Startup>();
        server.Send.Authentication(10, [.. Answer.Text("OAUTHBEARER"), 0]);
        server.Channel.AwaitShutdown();
        Assert.That(server.Channel.Unread, Is.Zero, "something was sent");
    }
}
