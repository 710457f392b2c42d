using System.Net.Security;

namespace Loxo.IntegrationTests.Tls;

/// <summary>TLS from the first byte, which PostgreSQL 17 and later understand.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class DirectNegotiationTests(WaitMode mode) : TlsTest(mode)
{
    private const string Direct = "SSL Negotiation=Direct;SSL Mode=";

    [Test]
    public async Task A_connection_is_encrypted_without_asking([Values(SslMode.Require, SslMode.VerifyCA, SslMode.VerifyFull)] SslMode ssl)
    {
        IgnoreBefore17();
        Assert.That(await Encrypts($"{Direct}{ssl};Root Certificate={Write(Authority.Pem)}"), Is.True);
        Assert.That(await Encrypts($"SSL Negotiation=Direct;Root Certificate={Write(Authority.Pem)}"), Is.True);
    }

    [Test]
    public async Task The_first_byte_is_one_of_TLS()
    {
        await using var server = new FakeServer(FakeServer.ReadToEnd);
        await using var source = server.Builder($"{Direct}Require;Timeout=1").Build();

        await Refused(source);

        Assert.That(server.Received[0], Is.EqualTo('\u0016'));
        Assert.That(server.Received, Does.Contain("postgresql"), "the protocol is named (ALPN)");
    }

    [Test]
    public async Task An_older_server_is_named_as_the_likely_reason()
    {
        if (TestServer.Version >= 17)
            Assert.Ignore("This server understands direct negotiation.");

        var error = await Refused($"{Direct}Require");

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed));
        Assert.That(error.Message, Does.Contain("PostgreSQL 17 or later").And.Contain("SSL Negotiation=Postgres"));
    }

    [Test]
    public async Task A_server_without_the_protocol_of_PostgreSQL_is_refused([Values] bool asks)
    {
        await using var server = new FakeServer(async stream =>
        {
            if (asks)
                await FakeServer.AnswerRequest(stream, "S");
            using var tls = new SslStream(stream);
            await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = CertificateServer.Good });
            await FakeServer.ReadToEnd(tls);
        });
        await using var source = server.Builder($"SSL Mode=Require;SSL Negotiation={(asks ? "Postgres" : "Direct")};Timeout=2").Build();

        var error = await Refused(source);

        // Servers before 17 know nothing of it, so that it is not demanded of a server that was asked first.
        Assert.That(error.Message, asks ? Does.Contain("logging in") : Does.Contain("ALPN").And.Contain("another service"));
        Assert.That(server.Received, Does.Not.Contain("user"), "nothing is sent to another service");
    }

    [Test]
    public async Task A_certificate_of_the_client_is_shown_and_cancel_requests_go_the_same_way([Values(false, true)] bool direct)
    {
        if (direct)
            IgnoreBefore17();
        var own = Authority.Client(CertificateServer.ByCertificate);
        await using var source = Builder($"SSL Negotiation={(direct ? "Direct" : "Postgres")};Root Certificate={Write(Authority.Pem)};sslcertmode=require;"
            + $"Username={CertificateServer.ByCertificate};SSL Certificate={Write(own.ExportCertificatePem())};SSL Key={Write(TestAuthority.KeyPem(own))}").Build();
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_sleep(600)", connection) { CommandTimeout = 1 };

        Assert.That(async () => await Mode.ExecuteNonQuery(command),
            Throws.InstanceOf<PgException>().With.Message.Contains("The connection can be used"));

        command.CommandText = "SELECT 42";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
    }

    [Test]
    public async Task A_Unix_socket_has_no_TLS_whatever_the_negotiation()
    {
        if (OperatingSystem.IsWindows())
            Assert.Ignore("The server has no Unix socket here.");

        Assert.That(await Encrypts($"{Direct}Require;Host={Server.SocketDirectory}"), Is.False);
    }

    private static void IgnoreBefore17()
    {
        if (TestServer.Version < 17)
            Assert.Ignore("Direct negotiation came with PostgreSQL 17.");
    }
}
