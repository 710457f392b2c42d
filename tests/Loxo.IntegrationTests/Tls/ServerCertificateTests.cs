using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Loxo.IntegrationTests.Tls;

/// <summary>What is wrong with a server's certificate is found, and the error says which check has failed and what to change.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ServerCertificateTests(WaitMode mode) : TlsTest(mode)
{
    private static readonly LibpqLibrary? _libpq = LibpqLibrary.Load(Server.BinaryDirectory);

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
    [TestCase("VerifyCA", "empty", "it is empty")]
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

    // What is in the file, and what the error says. libpq refuses the same files, but for its "trusted" certificates.
    [TestCase("good", null)]
    [TestCase("two", null)]
    [TestCase("with text around", null)]
    [TestCase("with a key", null)]
    [TestCase("trusted", "TRUSTED CERTIFICATE")]
    [TestCase("empty", "it is empty")]
    [TestCase("garbage", "it holds no certificate in PEM form")]
    [TestCase("binary", "-inform der")]
    [TestCase("only a key", "it holds no certificate in PEM form")]
    [TestCase("cut off", "certificate 1, which begins in line 1, is cut off: its line '-----END CERTIFICATE-----' is missing")]
    [TestCase("cut off in the second", "certificate 2, which begins in line ")]
    [TestCase("cut off in the first", "certificate 1, which begins in line 1, is cut off")]
    [TestCase("cut off before the end line", "is cut off")]
    [TestCase("no base64", "is damaged: it is not in base64")]
    [TestCase("no base64 in the second", "certificate 2, which begins in line ")]
    [TestCase("no certificate inside", "certificate 1, which begins in line 1, is damaged")]
    [TestCase("bytes missing", "certificate 1, which begins in line 1, is damaged")]
    public async Task A_file_of_authorities_that_is_damaged_is_named_with_what_is_wrong(string kind, string? fault)
    {
        var path = Write(Damaged(kind));
        var settings = $"SSL Mode=VerifyFull;Root Certificate={path}";
        if (fault is null)
        {
            Assert.That(await Encrypts(settings), Is.True);
        }
        else
        {
            var error = await Refused(settings);
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.CertificateUnusable));
            Assert.That(error.Message, Does.StartWith($"'Root Certificate={path}' cannot be used: ").And.Contain(fault));
        }
        if (kind != "trusted")
            Assert.That(Libpq(path), Is.Null.Or.EqualTo(fault is null ? "encrypted" : "refused"));
    }

    [TestCase(X509KeyUsageFlags.KeyCertSign, false)]
    [TestCase(X509KeyUsageFlags.CrlSign | X509KeyUsageFlags.NonRepudiation, false)]
    [TestCase(X509KeyUsageFlags.KeyEncipherment, true)]
    [TestCase(X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyCertSign, true)]
    [TestCase(null, true)]
    public async Task A_key_that_is_not_for_TLS_is_refused_as_by_libpq(X509KeyUsageFlags? usage, bool isAccepted)
    {
        Show(Authority.Issue("server", ["localhost"], usage: usage), Authority);

        var theirs = Libpq(Write(Authority.Pem));
        if (isAccepted)
            Assert.That(await Encrypts(With(SslMode.VerifyFull)), Is.True);
        else
            Assert.That((await Refused(With(SslMode.VerifyCA))).Message, Does.Contain($"its key is not for TLS servers, but for {usage}"));
        Assert.That(theirs, Is.Null.Or.EqualTo(isAccepted ? "encrypted" : "refused"));
        Assert.That(await Encrypts("SSL Mode=Require"), Is.True, "without a root certificate nothing is checked");
    }

    private static string? Libpq(string root) => _libpq?.Try(new Dictionary<string, string>
    {
        ["host"] = "localhost", ["port"] = Server.Port.ToString(CultureInfo.InvariantCulture), ["user"] = "postgres",
        ["dbname"] = "postgres", ["gssencmode"] = "disable", ["sslmode"] = "verify-full", ["sslrootcert"] = root,
    }).Outcome;

    private static byte[] Damaged(string kind)
    {
        var (own, other) = (Authority.Pem, TestAuthority.Root("another").Pem);
        var lines = own.Split('\n');
        return kind switch
        {
            "good" => Bytes(own),
            "two" => Bytes(other + own),
            "with text around" => Bytes("Issuer: the tests\n" + own + "\nSome words.\n" + other),
            "with a key" => Bytes(TestAuthority.KeyPem(TestAuthority.Root("x").Certificate) + own),
            "trusted" => Bytes(own.Replace("CERTIFICATE", "TRUSTED CERTIFICATE", StringComparison.Ordinal)),
            "empty" => [],
            "garbage" => Bytes("This is not a certificate."),
            "binary" => Authority.Certificate.RawData,
            "only a key" => Bytes(TestAuthority.KeyPem(Authority.Certificate)),
            "cut off" => Bytes(own[..(own.Length / 2)]),
            "cut off in the second" => Bytes(own + other[..(other.Length / 2)]),
            "cut off in the first" => Bytes(other[..(other.Length / 2)] + "\n" + own),
            "cut off before the end line" => Bytes(own[..own.IndexOf("-----END", StringComparison.Ordinal)]),
            "no base64" => Bytes(own.Replace(lines[2], "!!" + lines[2][2..], StringComparison.Ordinal)),
            "no base64 in the second" => Bytes(other + own.Replace(lines[2], "!!" + lines[2][2..], StringComparison.Ordinal)),
            "no certificate inside" => Bytes("-----BEGIN CERTIFICATE-----\naGVsbG8gd29ybGQh\n-----END CERTIFICATE-----\n"),
            "bytes missing" => Bytes(own.Replace(lines[2] + "\n", "", StringComparison.Ordinal)),
            _ => throw new ArgumentOutOfRangeException(nameof(kind)),
        };

        static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
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
