using System.Text;
using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public sealed class OAuthBearerTests
{
    [Test]
    public void The_first_message_has_the_token_behind_an_empty_header() => Assert.That(
        Encoding.ASCII.GetString(OAuthBearer.ClientFirst("vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==")),
        Is.EqualTo("n,,\u0001auth=Bearer vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\u0001\u0001"), "the example of RFC 7628, 4.1, without host and port");

    [Test]
    public void Without_a_token_the_server_is_asked_where_tokens_come_from() => Assert.That(
        Encoding.ASCII.GetString(OAuthBearer.ClientFirst("")), Is.EqualTo("n,,\u0001auth=\u0001\u0001"), "RFC 7628, 4.3");

    [TestCase("a b")]
    [TestCase("a\u0001host=x")]
    [TestCase("ä")]
    [TestCase("a\n")]
    [TestCase("a,b")]
    public void A_token_that_could_be_taken_for_more_than_a_token_is_refused_and_not_shown(string token)
    {
        var error = Assert.Throws<PgException>(() => OAuthBearer.ClientFirst(token));
        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.ToString(), Does.Not.Contain(token));
    }

    [Test]
    public void The_reason_of_a_refusal_is_read() => Assert.That(
        OAuthBearer.ParseRefusal("""{"status":"invalid_token","scope":"a b","openid-configuration":"https://x/.well-known/openid-configuration","more":[1]}"""u8),
        Is.EqualTo(new OAuthRefusal("invalid_token", "https://x/.well-known/openid-configuration", "a b")));

    [Test]
    public void Only_the_status_is_due() => Assert.That(
        OAuthBearer.ParseRefusal("""{"status":"invalid_token","scope":null}"""u8), Is.EqualTo(new OAuthRefusal("invalid_token", null, null)));

    [TestCase("")]
    [TestCase("{")]
    [TestCase("[]")]
    [TestCase("{}")]
    [TestCase("{\"status\":1}")]
    [TestCase("null")]
    [TestCase("\u0001")]
    public void A_malformed_reason_is_an_error_of_the_login(string json) => Assert.That(
        () => OAuthBearer.ParseRefusal(Encoding.UTF8.GetBytes(json)),
        Throws.TypeOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.AuthenticationFailed));
}
