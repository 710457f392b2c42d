using System.Security.Authentication;
using Loxo.Transport;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>How the keywords of TLS, and the files in the user's home, work together.</summary>
public class TlsSettingsTests
{
    [TestCase("", SslMode.Prefer)]
    [TestCase("Root Certificate=/ca", SslMode.VerifyFull)]
    [TestCase("Root Certificate=system", SslMode.VerifyFull)]
    [TestCase("Root Certificate=/ca;SSL Mode=Prefer", SslMode.Prefer)]
    [TestCase("Root Certificate=/ca;SSL Mode=Require", SslMode.Require)]
    [TestCase("Root Certificate=system;SSL Mode=VerifyFull", SslMode.VerifyFull)]
    [TestCase("Root Certificate=/ca;SSL Mode=VerifyCA", SslMode.VerifyCA)]
    public void A_root_certificate_makes_VerifyFull_the_default(string text, SslMode expected)
    {
        Assert.That(Tls(text).Mode, Is.EqualTo(expected));
        Assert.That(Given.Settings("postgres://h/?" + text.Replace(';', '&')).Transport.Tls.Mode, Is.EqualTo(expected));
    }

    [Test]
    public void A_variable_is_as_good_as_a_keyword()
    {
        var environment = Given.Environment(new() { ["PGSSLROOTCERT"] = "/ca" });

        Assert.That(Given.Settings("Host=h", environment).Transport.Tls.Mode, Is.EqualTo(SslMode.VerifyFull));
        Assert.That(Given.Settings("Host=h;SSL Mode=Disable", environment).Transport.Tls.Mode, Is.EqualTo(SslMode.Disable));
    }

    [TestCase("", false, false)]
    [TestCase("SSL Mode=Require", false, false)]
    [TestCase("SSL Mode=Prefer;Root Certificate=/ca", false, false)]
    [TestCase("SSL Mode=Require;Root Certificate=/ca", true, false)]
    [TestCase("SSL Mode=VerifyCA", true, false)]
    [TestCase("SSL Mode=VerifyFull", true, true)]
    [TestCase("Root Certificate=/ca", true, true)]
    public void The_mode_and_the_root_say_what_is_checked(string text, bool chain, bool host)
    {
        var settings = Tls(text);

        Assert.That((settings.ChecksChain, settings.ChecksHost), Is.EqualTo((chain, host)));
    }

    [TestCase("Root Certificate=system;SSL Mode=VerifyCA", "'Root Certificate' is 'system'")]
    [TestCase("Root Certificate=system;SSL Mode=Require", "use 'SSL Mode=VerifyFull'")]
    [TestCase("Root Certificate=system;SSL Mode=Disable", "'SSL Mode=Disable' would not protect")]
    [TestCase("SSL Negotiation=Direct", "'SSL Mode=Prefer' does")]
    [TestCase("SSL Negotiation=Direct;SSL Mode=Allow", "use 'SSL Mode=Require' or stricter")]
    [TestCase("SSL Negotiation=Direct;SSL Mode=Disable", "use 'SSL Mode=Require' or stricter")]
    [TestCase("sslcertmode=require;SSL Mode=Disable", "'sslcertmode' is 'require'")]
    [TestCase("SSL Key=/c.key", "name its file in 'SSL Certificate'")]
    [TestCase("ssl_max_protocol_version=TLSv1.1", "'ssl_max_protocol_version' is older than TLSv1.2")]
    [TestCase("ssl_min_protocol_version=TLSv1.3;ssl_max_protocol_version=TLSv1.2", "'ssl_min_protocol_version' is newer")]
    public void What_contradicts_itself_is_refused(string text, string message) =>
        Assert.That(() => Tls(text), Throws.ArgumentException.With.Message.Contains(message));

    [TestCase("ssl_min_protocol_version=SSLv3")]
    [TestCase("sslcertmode=maybe")]
    [TestCase("sslsni=2")]
    public void A_word_that_is_none_of_libpqs_is_refused(string text) =>
        Assert.That(() => Tls(text), Throws.ArgumentException.With.Message.Contains("expected"));

    [TestCase("", SslProtocols.None)]
    [TestCase("ssl_min_protocol_version=TLSv1", SslProtocols.Tls12 | SslProtocols.Tls13)]
    [TestCase("ssl_min_protocol_version=TLSv1.2", SslProtocols.Tls12 | SslProtocols.Tls13)]
    [TestCase("ssl_min_protocol_version=tlsv1.3", SslProtocols.Tls13)]
    [TestCase("ssl_max_protocol_version=TLSv1.2", SslProtocols.Tls12)]
    [TestCase("ssl_max_protocol_version=TLSv1.3", SslProtocols.Tls12 | SslProtocols.Tls13)]
    public void Versions_before_1_2_are_never_used(string text, SslProtocols expected) => Assert.That(Tls(text).Protocols, Is.EqualTo(expected));

    [Test]
    public void Files_in_the_users_home_count_where_they_exist_and_matter()
    {
        using var file = new TemporaryFile("");
        var environment = Given.NoEnvironment with
        {
            DefaultRootCertificate = file.Path, DefaultClientCertificate = file.Path, DefaultClientKey = "/home/key", DefaultRevocationList = file.Path,
        };
        var prefer = Given.Settings("Host=h", environment).Transport.Tls;
        var verify = Given.Settings("Host=h;SSL Mode=VerifyFull", environment).Transport.Tls;

        Assert.That((prefer.RootCertificate, prefer.RevocationList, prefer.ChecksChain), Is.EqualTo(((string?)null, (string?)null, false)));
        Assert.That((verify.RootCertificate, verify.RevocationList), Is.EqualTo((file.Path, file.Path)));
        Assert.That(prefer.ClientCertificate, Is.EqualTo(new ClientCertificateSettings(file.Path, null, "/home/key", null)));
        Assert.That(Given.Settings("Host=h;Root Certificate=system", environment).Transport.Tls.RevocationList, Is.Null);
        Assert.That(Given.Settings("Host=h;SSL Mode=VerifyFull;sslcrldir=/crls", environment).Transport.Tls.RevocationList, Is.Null);
        Assert.That(Given.Settings("Host=h", environment with { DefaultClientCertificate = "/none" }).Transport.Tls.ClientCertificate, Is.Null);
    }

    [Test]
    public void The_password_of_a_key_is_not_shown()
    {
        var settings = Given.Settings("Host=h;SSL Certificate=/c;SSL Password=hunter2");

        Assert.That($"{settings} {settings.Transport} {settings.Transport.Tls} {settings.Transport.Tls.ClientCertificate}", Does.Not.Contain("hunter2"));
    }

    private static TlsSettings Tls(string text) => Given.Settings("Host=h;" + text).Transport.Tls;
}
