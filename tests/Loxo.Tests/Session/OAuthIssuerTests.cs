using Loxo.Session;

namespace Loxo.Tests.Session;

public sealed class OAuthIssuerTests
{
    [TestCase("https://id.example/.well-known/openid-configuration", "https://id.example")]
    [TestCase("https://id.example/tenant/.well-known/openid-configuration", "https://id.example/tenant")]
    [TestCase("https://id.example/.well-known/oauth-authorization-server", "https://id.example")]
    [TestCase("https://id.example/.well-known/oauth-authorization-server/tenant", "https://id.example/tenant")]
    [TestCase("https://id.example/.well-known/openid-configuration/tenant", "https://id.example/tenant")]
    [TestCase("https://id.example/.well-known/openid-configuration", "https://id.example/.well-known/openid-configuration")]
    [TestCase("https://id.example/.well-known/openid-configuration", null)]
    public void The_document_of_the_expected_issuer_is_taken(string uri, string? issuer) =>
        Assert.That(OAuthIssuer.Checked(uri, issuer), Is.EqualTo(new Uri(uri)));

    [Test]
    public void A_server_need_not_name_an_issuer() => Assert.That(OAuthIssuer.Checked(null, "https://id.example"), Is.Null);

    [TestCase("https://evil.example/.well-known/openid-configuration", "https://id.example")]
    [TestCase("https://id.example.evil/.well-known/openid-configuration", "https://id.example")]
    [TestCase("https://id.example/other/.well-known/openid-configuration", "https://id.example")]
    [TestCase("https://id.example/.well-known/openid-configuration", "https://id.example/")]
    [TestCase("https://ID.example/.well-known/openid-configuration", "https://id.example")]
    [TestCase("https://id.example/x/.well-known/openid-configuration", "https://id.example/.well-known/openid-configuration")]
    [TestCase("http://id.example/.well-known/openid-configuration", "http://id.example")]
    [TestCase("http://id.example/.well-known/openid-configuration", null)]
    [TestCase("https://id.example/.well-known/other", null)]
    [TestCase("https://id.example/.well-known/openid-configurationx", null)]
    [TestCase("https://id.example/", null)]
    [TestCase("file:///.well-known/openid-configuration", null)]
    [TestCase("not an address", null)]
    [TestCase("", null)]
    public void Any_other_is_refused_before_the_program_is_asked_for_a_token(string uri, string? issuer) => Assert.That(
        () => OAuthIssuer.Checked(uri, issuer),
        Throws.TypeOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.AuthenticationFailed));
}
