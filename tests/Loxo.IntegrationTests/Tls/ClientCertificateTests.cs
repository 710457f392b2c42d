using System.Security.Cryptography.X509Certificates;

namespace Loxo.IntegrationTests.Tls;

/// <summary>Logins with a certificate of the client, from files and from code, against pg_hba.conf's <c>cert</c> and <c>clientcert</c>.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ClientCertificateTests(WaitMode mode) : TlsTest(mode)
{
    private const string Secret = "key's secret";

    private static readonly X509Certificate2 _own = Authority.Client(CertificateServer.ByCertificate);

    private static string As => $"SSL Mode=Require;Username={CertificateServer.ByCertificate};";

    [Test]
    public async Task A_certificate_and_its_key_log_in()
    {
        var (certificate, key) = (Write(_own.ExportCertificatePem()), Write(TestAuthority.KeyPem(_own)));

        Assert.That(await Encrypts($"{As}SSL Certificate={certificate};SSL Key={key}"), Is.True);
        Assert.That(await Encrypts($"{As}SSL Certificate={certificate};SSL Key={key};SSL Password=not needed"), Is.True);
        Assert.That(await Encrypts($"{As}SSL Certificate={certificate};SSL Key={key};sslcertmode=require"), Is.True);
        Assert.That(await Encrypts($"{As}SSL Certificate={certificate};SSL Key={key};SSL Mode=Prefer"), Is.True);
    }

    [Test]
    public async Task Both_may_be_in_one_file() =>
        Assert.That(await Encrypts($"{As}SSL Certificate={Write(TestAuthority.KeyPem(_own) + _own.ExportCertificatePem())}"), Is.True);

    [Test]
    public async Task Files_may_begin_with_the_mark_of_UTF_8()
    {
        const string mark = "\uFEFF";
        var (certificate, key) = (Write(mark + _own.ExportCertificatePem()), Write(mark + TestAuthority.KeyPem(_own)));

        Assert.That(await Encrypts($"{As}SSL Certificate={certificate};SSL Key={key};SSL Mode=VerifyFull;Root Certificate={Write(mark + Authority.Pem)}"), Is.True);
    }

    [Test]
    public async Task The_key_may_be_encrypted()
    {
        var settings = $"{As}SSL Certificate={Write(_own.ExportCertificatePem())};SSL Key={Write(TestAuthority.KeyPem(_own, Secret))}";

        Assert.That(await Encrypts($"{settings};SSL Password={Secret}"), Is.True);
        await Unusable(settings, "SSL Key", "the key is encrypted. Set 'SSL Password'");
        await Unusable($"{settings};SSL Password=wrong {Secret}", "SSL Key", "'SSL Password' does not decrypt the key");
    }

    [Test]
    public async Task PKCS_12_files_hold_all_in_one()
    {
        var intermediate = Authority.Intermediate("authority of clients");
        var certificate = intermediate.Client(CertificateServer.ByCertificate);
        var path = Write(new X509Certificate2Collection { certificate, intermediate.Certificate }.Export(X509ContentType.Pkcs12, Secret)!);
        var open = Write(_own.Export(X509ContentType.Pkcs12));

        Assert.That(await Encrypts($"{As}SSL Certificate={path};SSL Password={Secret}"), Is.True);
        Assert.That(await Encrypts($"{As}SSL Certificate={open}"), Is.True);
        await Unusable($"{As}SSL Certificate={path}", "SSL Certificate", "it needs a password");
        await Unusable($"{As}SSL Certificate={path};SSL Password=wrong {Secret}", "SSL Certificate", "'SSL Password' does not decrypt it");
    }

    [Test]
    public async Task Intermediate_certificates_behind_the_own_one_are_sent()
    {
        var intermediate = Authority.Intermediate("authority of clients").Intermediate("another");
        var certificate = intermediate.Client(CertificateServer.ByCertificate);
        var key = Write(TestAuthority.KeyPem(certificate));

        Assert.That(await Encrypts($"{As}SSL Certificate={Write(intermediate.Chain(certificate))};SSL Key={key}"), Is.True);
        await NotAccepted($"{As}SSL Certificate={Write(certificate.ExportCertificatePem())};SSL Key={key}");
    }

    [Test]
    public async Task RSA_keys_log_in_too()
    {
        var certificate = Authority.Issue(CertificateServer.ByCertificate, [], use: "1.3.6.1.5.5.7.3.2", rsa: true);
        using var rsa = certificate.GetRSAPrivateKey()!;
        foreach (var key in new[] { rsa.ExportPkcs8PrivateKeyPem(), rsa.ExportRSAPrivateKeyPem() })
            Assert.That(await Encrypts($"{As}SSL Certificate={Write(certificate.ExportCertificatePem())};SSL Key={Write(key)}"), Is.True);
    }

    [Test]
    public async Task A_certificate_and_a_password_may_both_be_demanded()
    {
        var certificate = Authority.Client(CertificateServer.AlsoCertificate);
        var settings = $"SSL Mode=Require;Username={CertificateServer.AlsoCertificate};Password={CertificateServer.Password};";
        var files = $"SSL Certificate={Write(certificate.ExportCertificatePem())};SSL Key={Write(TestAuthority.KeyPem(certificate))}";

        Assert.That(await Encrypts(settings + files), Is.True);
        Assert.That((await Refused(settings)).Message, Does.Contain("certificate"));
        Assert.That((await Refused(settings + "sslcertmode=disable;" + files)).Message, Does.Contain("certificate"));
    }

    [Test]
    public async Task A_program_may_give_certificates_in_code()
    {
        Assert.That(await Encrypts(Builder(As).UseClientCertificate(_own)), Is.True);
        Assert.That(await Encrypts(Builder(As).UseClientCertificates(new X509CertificateCollection { _own })), Is.True);
        Assert.That(await Encrypts(Builder(As).UseClientCertificatesCallback(certificates => certificates.Add(_own))), Is.True);
        Assert.That(await Encrypts(Builder(As).UseSslClientAuthenticationOptionsCallback(
            options => options.ClientCertificates = new X509CertificateCollection { _own })), Is.True);
        Assert.That(await Encrypts(Builder(As + "sslcertmode=require").UseClientCertificate(_own)), Is.True);
        Assert.That(await Refused(Builder(As).UseClientCertificate(_own).UseClientCertificate(null)), Is.InstanceOf<PostgresException>());
        Assert.That(await Refused(Builder(As + "sslcertmode=disable").UseClientCertificate(_own)), Is.InstanceOf<PostgresException>());
    }

    [Test]
    public async Task A_server_that_demands_a_certificate_says_so()
    {
        var error = (PostgresException)await Refused(As);

        Assert.That(error.SqlState, Is.EqualTo("28000"));
        Assert.That(error.Message, Does.Contain("certificate"));
    }

    [Test]
    public async Task A_certificate_that_the_server_does_not_accept_is_an_error_in_every_mode()
    {
        var stranger = TestAuthority.Root("authority of strangers").Client("postgres");
        var expired = Authority.Client("postgres", until: DateTimeOffset.UtcNow.AddDays(-1));
        foreach (var certificate in new[] { stranger, expired })
        {
            foreach (var ssl in new[] { SslMode.Prefer, SslMode.Require })
            {
                foreach (var version in new[] { "TLSv1.2", "TLSv1.3" })
                    await NotAccepted($"SSL Mode={ssl};ssl_max_protocol_version={version};SSL Certificate={Write(certificate.ExportCertificatePem())};"
                        + $"SSL Key={Write(TestAuthority.KeyPem(certificate))}");
            }
        }
    }

    [Test]
    public async Task Files_that_cannot_be_used_are_named()
    {
        var (certificate, key) = (Write(_own.ExportCertificatePem()), Write(TestAuthority.KeyPem(_own)));
        var other = Write(TestAuthority.KeyPem(Authority.Client("x")));
        var rsa = Write(TestAuthority.KeyPem(Authority.Issue("x", [], rsa: true)));

        await Unusable($"{As}SSL Certificate=/nonexistent/c.crt;SSL Key={key}", "SSL Certificate", "cannot be read");
        await Unusable($"{As}SSL Certificate={certificate};SSL Key=/nonexistent/c.key", "SSL Key", "cannot be read");
        await Unusable($"{As}SSL Certificate={certificate}", "SSL Certificate", "holds no private key");
        await Unusable($"{As}SSL Certificate={key};SSL Key={key}", "SSL Certificate", "no certificate in PEM form");
        await Unusable($"{As}SSL Certificate={certificate};SSL Key={certificate}", "SSL Key", "no private key");
        await Unusable($"{As}SSL Certificate={certificate};SSL Key={other}", "SSL Key", "does not match the certificate");
        await Unusable($"{As}SSL Certificate={certificate};SSL Key={rsa}", "SSL Key", "does not match the certificate");
        await Unusable($"{As}SSL Certificate={Write([1, 2, 3])}", "SSL Certificate", "neither PEM nor PKCS #12");
        await Unusable($"{As}SSL Certificate={certificate};SSL Key={Write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")}", "SSL Key", "cannot be read");
    }

    [TestCase(0b110_100_000, true)] // 0640, by root
    [TestCase(0b110_000_000, true)]
    [TestCase(0b100_000_000, true)]
    [TestCase(0b110_110_000, false)]
    [TestCase(0b110_100_100, false)]
    [TestCase(0b110_000_100, false)]
    public async Task A_key_that_others_may_read_is_refused(int access, bool isAccepted)
    {
        if (Environment.UserName != "root" && access == 0b110_100_000)
            isAccepted = false;
        var key = Write(System.Text.Encoding.UTF8.GetBytes(TestAuthority.KeyPem(_own)), (UnixFileMode)access);
        var settings = $"{As}SSL Certificate={Write(_own.ExportCertificatePem())};SSL Key={key}";

        if (isAccepted)
            Assert.That(await Encrypts(settings), Is.True);
        else
            await Unusable(settings, "SSL Key", "chmod 0600");
    }

    [Test]
    public async Task A_certificate_may_be_demanded_to_be_asked_for()
    {
        var files = $"SSL Certificate={Write(_own.ExportCertificatePem())};SSL Key={Write(TestAuthority.KeyPem(_own))}";
        Assert.That((await Refused(As + "sslcertmode=require")).Message, Does.Contain("there is none").And.Contain("SSL Certificate"));

        Server.Switch(false);

        foreach (var ssl in new[] { SslMode.Allow, SslMode.Prefer })
        {
            var error = await Refused($"SSL Mode={ssl};sslcertmode=require;{files}");
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
            Assert.That(error.Message, Does.Contain("sslcertmode=require"));
        }
    }

    [Test]
    public async Task Default_files_in_the_users_home_are_used()
    {
        var (certificate, key) = (Write(_own.ExportCertificatePem()), Write(TestAuthority.KeyPem(_own)));
        var environment = Settings.SettingsEnvironment.OfProcess() with
        {
            Variable = static _ => null, DefaultClientCertificate = certificate, DefaultClientKey = key, DefaultRootCertificate = Write(Authority.Pem),
            DefaultRevocationList = Write(Authority.RevocationList([])),
        };
        await using var source = new PgDataSource(Builder($"{As}SSL Mode=VerifyFull").ConnectionStringBuilder.ToSettings(environment));
        Assert.That(await Encrypts(source), Is.True);

        await using var other = new PgDataSource(Builder($"{As}SSL Mode=VerifyFull").ConnectionStringBuilder.ToSettings(
            environment with { DefaultRevocationList = Write(Authority.RevocationList([CertificateServer.Good])) }));
        Assert.That((await Refused(other)).Message, Does.Contain("is revoked"));
    }

    private async Task Unusable(string settings, string keyword, string message)
    {
        foreach (var ssl in new[] { "", ";SSL Mode=Prefer" })
        {
            var error = await Refused(settings + ssl);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.CertificateUnusable), error.ToString());
            Assert.That(error.IsTransient, Is.False, "the file does not mend itself");
            Assert.That(error.Message, Does.Contain($"'{keyword}=").And.Contain(message));
            Assert.That(error.ToString(), Does.Not.Contain(Secret));
        }
    }

    // The server's alert may be lost when it closes the connection with bytes unread: then the error is that of a lost connection.
    private async Task NotAccepted(string settings)
    {
        var error = await Refused(settings);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CertificateUnusable).Or.EqualTo(PgErrorCode.ConnectionClosed), error.ToString());
        if (error.Code == PgErrorCode.CertificateUnusable)
            Assert.That(error.Message, Does.Contain("SSL Certificate").And.Contain($"localhost:{Server.Port}").And.Contain("TLS alert"));
    }
}
