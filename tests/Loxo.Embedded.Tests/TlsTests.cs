using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Embedded.Tests;

public class TlsTests
{
    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public void Start() => _server = Servers.Start(new PgEmbeddedServerOptions
    {
        Tls = new() { HostNames = { "db.example" }, ClientName = "some one" },
        InitialStatements = ["CREATE ROLE \"some one\" LOGIN"],
        HbaLines = ["hostssl all \"some one\" all cert"],
    });

    [OneTimeTearDown]
    public void Stop() => _server.Dispose();

    [TestCase("localhost")]
    [TestCase("127.0.0.1")]
    [TestCase("::1")]
    [TestCase("db.example")]
    public void The_servers_certificate_is_the_authoritys_and_fits_every_name(string name)
    {
        using var client = Open(_server).UpgradeToTls(Trusting(_server, name)).LogIn("postgres");

        Assert.That(client.Ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), Is.EqualTo("t"));
    }

    [Test]
    public void A_name_that_the_certificate_lacks_is_noticed()
    {
        Assert.That(() => Open(_server).UpgradeToTls(Trusting(_server, "elsewhere.example")), Throws.InstanceOf<AuthenticationException>());
    }

    [Test]
    public void A_server_with_TLS_still_takes_plain_connections_and_one_without_refuses_TLS()
    {
        using var without = Servers.Start();

        Assert.That(MiniClient.Ask(_server, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), Is.EqualTo("f"));
        Assert.That(() => Open(without).UpgradeToTls(new SslClientAuthenticationOptions()), Throws.InvalidOperationException);
        Assert.That(without.AuthorityCertificatePath, Is.Null);
    }

    [Test]
    public void The_client_certificate_lets_its_role_in()
    {
        using var pem = X509Certificate2.CreateFromPemFile(_server.ClientCertificatePath!, _server.ClientKeyPath!);
        using var certificate = X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pkcs12), null); // a key that every platform's TLS takes
        var options = Trusting(_server, "localhost");
        options.ClientCertificates = [certificate];

        using var client = Open(_server).UpgradeToTls(options).LogIn("some one");

        Assert.That(client.Ask("SELECT client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), Is.EqualTo("/CN=some one"));
        Assert.That(() => Open(_server).UpgradeToTls(Trusting(_server, "localhost")).LogIn("some one"), Throws.InvalidOperationException.With.Message.Contains("certificate"));
    }

    private static MiniClient Open(PgEmbeddedServer server) => MiniClient.Open(new IPEndPoint(IPAddress.Loopback, server.Port));

    private static SslClientAuthenticationOptions Trusting(PgEmbeddedServer server, string name) => new()
    {
        TargetHost = name,
        CertificateChainPolicy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(server.AuthorityCertificatePath!) },
            RevocationMode = X509RevocationMode.NoCheck,
        },
    };
}
