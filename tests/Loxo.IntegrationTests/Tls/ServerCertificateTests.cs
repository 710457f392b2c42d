using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.IntegrationTests.Tls;

/// <summary>What is wrong with a server's certificate is found, and the error says which check has failed and what to change.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ServerCertificateTests(WaitMode mode) : TlsTest(mode)
{
    private const string Known = "Root Certificate={root}";

    [TestCase(SslMode.VerifyCA)]
    [TestCase(SslMode.VerifyFull)]
    public async Task A_chain_over_an_intermediate_authority_is_followed(SslMode ssl)
    {
        var intermediate = Authority.Intermediate("authority in between").Intermediate("another in between");
        Show(intermediate.Server("localhost"), intermediate);

        Assert.That(await Encrypts(With(ssl)), Is.True);
    }

    [Test]
    public async Task A_missing_intermediate_certificate_is_named()
    {
        var intermediate = Authority.Intermediate("authority in between");
        Show(intermediate.Server("localhost"));

        var error = await Refused(With(SslMode.VerifyFull));

        Assert.That(error.Message, Does.Contain("certificate of 'CN=authority in between' is neither sent by the server").And.Contain("ssl_cert_file")
            .And.Contain("Root Certificate").And.Contain($"localhost:{Server.Port}"));
        var both = Write(Authority.Pem + intermediate.Pem);
        Assert.That(await Encrypts($"SSL Mode=VerifyFull;Root Certificate={both}"), Is.True);
    }

    [TestCase(SslMode.VerifyCA)]
    [TestCase(SslMode.VerifyFull)]
    public async Task A_root_that_is_not_known_is_named(SslMode ssl)
    {
        var other = TestAuthority.Root("another authority");
        Show(other.Server("localhost"), other);

        var error = await Refused(With(ssl));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed));
        Assert.That(error.Message, Does.Contain("not trusted").And.Contain("CN=another authority").And.Contain("Root Certificate"));
        var both = Write(Authority.Pem + other.Pem);
        Assert.That(await Encrypts($"SSL Mode={ssl};Root Certificate={both}"), Is.True, "a file may hold several authorities");
    }

    [Test]
    public async Task A_self_signed_certificate_is_trusted_only_by_itself()
    {
        var certificate = TestAuthority.SelfSigned("localhost");
        Show(certificate);

        Assert.That((await Refused(With(SslMode.VerifyFull))).Message, Does.Contain("self-signed"));
        Assert.That(await Encrypts($"SSL Mode=VerifyFull;Root Certificate={Write(certificate.ExportCertificatePem())}"), Is.True);
    }

    [Test]
    public async Task The_systems_authorities_do_not_know_ours([Values("SSL Mode=VerifyFull", "Root Certificate=system")] string settings)
    {
        var error = await Refused(settings);

        Assert.That(error.Message, Does.Contain("the system's authorities"));
    }

    [Test]
    public async Task A_certificate_for_other_hosts_is_refused_by_VerifyFull_with_their_names([Values] bool sni)
    {
        Show(Authority.Server("db.example", "10.1.2.3"), Authority);
        var settings = With(SslMode.VerifyFull) + (sni ? "" : ";sslsni=0");

        var error = await Refused(settings);

        Assert.That(error.Message, Does.Contain("'localhost'").And.Contain("db.example, 10.1.2.3").And.Contain("VerifyCA"));
        Assert.That(await Encrypts(settings.Replace("VerifyFull", "VerifyCA", StringComparison.Ordinal)), Is.True);
        Assert.That(await Encrypts(settings + ";Host=db.example;Host Address=127.0.0.1"), Is.True);
    }

    [Test]
    public async Task A_name_with_a_wildcard_fits_one_label([Values] bool sni)
    {
        Show(Authority.Server("*.shop.example"), Authority);
        var settings = With(SslMode.VerifyFull) + $";Host Address=127.0.0.1;sslsni={(sni ? 1 : 0)};Host=";

        Assert.That(await Encrypts(settings + "db.shop.example"), Is.True);
        Assert.That((await Refused(settings + "a.db.shop.example")).Message, Does.Contain("*.shop.example"));
        Assert.That((await Refused(settings + "shop.example")).Message, Does.Contain("*.shop.example"));
    }

    [Test]
    public async Task An_expired_certificate_is_refused_with_its_date()
    {
        Show(Authority.Issue("server", ["localhost"], until: new DateTimeOffset(2025, 3, 4, 5, 6, 0, TimeSpan.Zero)), Authority);

        var error = await Refused(With(SslMode.VerifyCA));

        Assert.That(error.Message, Does.Contain("it expired on 2025-03-04 05:06Z").And.Contain("subject CN=server").And.Contain("issuer CN=authority of the tests"));
        Assert.That(await Encrypts("SSL Mode=Require"), Is.True, "without a root certificate nothing is checked");
    }

    [Test]
    public async Task A_certificate_that_is_not_yet_valid_is_refused_with_its_date()
    {
        var from = DateTimeOffset.UtcNow.AddDays(10);
        Show(Authority.Issue("server", ["localhost"], from: from, until: from.AddDays(1)), Authority);

        Assert.That((await Refused(With(SslMode.VerifyFull))).Message, Does.Contain($"not valid before {from:yyyy-MM-dd}").And.Contain("clocks"));
    }

    [Test]
    public async Task An_expired_certificate_of_an_authority_is_named()
    {
        var intermediate = Authority.Intermediate("old authority", until: DateTimeOffset.UtcNow.AddDays(-1));
        Show(intermediate.Issue("server", ["localhost"], until: DateTimeOffset.UtcNow.AddDays(-2)), intermediate);

        Assert.That((await Refused(With(SslMode.VerifyFull))).Message, Does.Contain("the certificate of 'CN=old authority'").And.Contain("expired"));
    }

    [Test]
    public async Task All_faults_are_named_at_once()
    {
        var other = TestAuthority.Root("another authority");
        Show(other.Issue("server", ["db.example"], until: DateTimeOffset.UtcNow.AddDays(-1)), other);

        Assert.That((await Refused(With(SslMode.VerifyFull))).Message,
            Does.Contain("not trusted").And.Contain("expired").And.Contain("not for the host name"));
    }

    [Test]
    public async Task A_certificate_for_clients_is_refused()
    {
        Show(Authority.Client("not a server"), Authority);

        Assert.That((await Refused(With(SslMode.VerifyCA))).Message, Does.Contain("it is not valid"));
    }

    [Test]
    public async Task Require_checks_the_chain_where_a_root_certificate_is_named()
    {
        Assert.That(await Encrypts($"SSL Mode=Require;Root Certificate={Write(Authority.Pem)}"), Is.True);
        Assert.That(await Encrypts($"SSL Mode=Require;Root Certificate={Write(Authority.Pem)};Host=127.0.0.1"), Is.True);

        var error = await Refused($"SSL Mode=Require;Root Certificate={Write(TestAuthority.Root("another").Pem)}");

        Assert.That(error.Message, Does.Contain("not trusted"));
    }

    [Test]
    public async Task A_root_certificate_makes_VerifyFull_the_default()
    {
        var root = Write(Authority.Pem);
        Assert.That(await Encrypts($"Root Certificate={root}"), Is.True);
        Show(Authority.Server("db.example"), Authority);
        Assert.That((await Refused($"Root Certificate={root}")).Message, Does.Contain("not for the host name"));

        Server.Switch(false);
        var error = await Refused($"Root Certificate={root}");

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
        Assert.That(error.Message, Does.Contain("SSL Mode=VerifyFull").And.Contain("the default where a root certificate is given"));
    }

    [Test]
    public async Task A_root_certificate_of_the_program_counts_like_a_file([Values("", "SSL Mode=VerifyCA", "SSL Mode=Require")] string settings)
    {
        var (own, other) = (Authority.Certificate, TestAuthority.Root("another").Certificate);

        Assert.That(await Encrypts(Builder(settings).UseRootCertificate(own)), Is.True);
        Assert.That(await Encrypts(Builder(settings).UseRootCertificates([other, own])), Is.True);
        Assert.That(await Encrypts(Builder(settings).UseRootCertificateCallback(() => own)), Is.True);
        Assert.That(await Encrypts(Builder(settings).UseRootCertificatesCallback(() => [own])), Is.True);
        var error = await Refused(Builder(settings).UseRootCertificate(other));
        Assert.That(error.Message, Does.Contain("the authorities that the program has given"));
        Assert.That(await Encrypts(Builder("SSL Mode=Require").UseRootCertificate(other).UseRootCertificate(null)), Is.True);
    }

    [TestCase("VerifyFull", "absent", "cannot be read as PEM")]
    [TestCase("VerifyCA", "empty", "no certificate in PEM form")]
    [TestCase("Prefer", "absent", null)]
    public async Task A_root_certificate_that_cannot_be_read_is_an_error_where_it_matters(string ssl, string kind, string? message)
    {
        var path = kind == "empty" ? Write("") : "/nonexistent/root.crt";
        var settings = $"SSL Mode={ssl};Root Certificate={path}";
        if (message is null)
        {
            Assert.That(await Encrypts(settings), Is.True);
            return;
        }

        var error = await Refused(settings);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CertificateUnusable));
        Assert.That(error.Message, Does.Contain($"'Root Certificate={path}'").And.Contain(message));
    }

    private static readonly object?[][] _signatures =
    [
        [false, "SHA256", false], [false, "SHA384", false], [false, "SHA512", false],
        [true, "SHA256", false], [true, "SHA384", false], [true, "SHA512", false], [true, "SHA256", true], [true, "SHA512", true],
    ];

    // The server computes the same hash for SCRAM-SHA-256-PLUS: it refuses the login if ours is another.
    [TestCaseSource(nameof(_signatures))]
    public async Task Logins_are_bound_to_certificates_by_the_hash_of_their_signature(bool rsa, string hash, bool pss)
    {
        var root = TestAuthority.Root("authority of a signature", rsa: rsa);
        var certificate = root.Issue("server", ["localhost"], rsa: rsa, hash: new HashAlgorithmName(hash),
            padding: pss ? RSASignaturePadding.Pss : RSASignaturePadding.Pkcs1);
        Show(certificate, root);
        await using var source = Builder($"SSL Mode=VerifyFull;Root Certificate={Write(root.Pem)};Channel Binding=Require;"
            + $"Username={CertificateServer.Scram};Password={CertificateServer.Password}").Build();

        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        Assert.That(connection.IsScramPlus, Is.True);
    }

    private string With(SslMode ssl) => $"SSL Mode={ssl};{Known.Replace("{root}", Write(Authority.Pem), StringComparison.Ordinal)}";
}
