using System.Data;

namespace Loxo.IntegrationTests.Connecting;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TlsTests(WaitMode mode)
{
    [TestCase(SslMode.Disable, false)]
    [TestCase(SslMode.Allow, false)]
    [TestCase(SslMode.Prefer, true)]
    [TestCase(SslMode.Require, true)]
    public async Task The_mode_decides_where_the_server_leaves_the_choice(SslMode ssl, bool encrypted) =>
        Assert.That(await IsEncrypted(With(TestServer.Tls.ConnectionString, ssl)), Is.EqualTo(encrypted));

    [TestCase(SslMode.Disable)]
    [TestCase(SslMode.Allow)]
    [TestCase(SslMode.Prefer)]
    public async Task Modes_that_do_not_insist_work_without_TLS(SslMode ssl) =>
        Assert.That(await IsEncrypted(With(TestServer.Default.ConnectionString, ssl)), Is.False);

    [TestCase(SslMode.Require)]
    [TestCase(SslMode.VerifyCA)]
    [TestCase(SslMode.VerifyFull)]
    public async Task Modes_that_insist_say_that_the_server_has_no_TLS(SslMode ssl)
    {
        var error = await Refused(With(TestServer.Default.ConnectionString, ssl));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
        Assert.That(error.Message, Does.Contain($"SSL Mode={ssl}"));
    }

    [TestCase(SslMode.VerifyCA, "127.0.0.1")]
    [TestCase(SslMode.VerifyFull, "127.0.0.1")]
    [TestCase(SslMode.VerifyFull, "localhost")]
    public async Task A_certificate_of_the_known_authority_for_this_host_is_accepted(SslMode ssl, string host)
    {
        var settings = With(TestServer.Tls.ConnectionString, ssl);
        settings.Host = host;
        settings.RootCertificate = TestServer.Tls.AuthorityCertificatePath;

        Assert.That(await IsEncrypted(settings), Is.True);
    }

    [Test]
    public async Task A_certificate_of_another_authority_is_refused([Values(SslMode.VerifyCA, SslMode.VerifyFull)] SslMode ssl, [Values] bool named)
    {
        var settings = With(TestServer.Tls.ConnectionString, ssl);
        // A client certificate is no authority; without the setting the system's authorities count, which do not know ours.
        settings.RootCertificate = named ? TestServer.Tls.ClientCertificatePath : null;

        var error = await Refused(settings);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed), error.ToString());
        Assert.That(error.Message, Does.Contain("not trusted").And.Contain("Root Certificate"));
    }

    [Test]
    public async Task A_certificate_for_another_host_is_refused_by_VerifyFull_alone()
    {
        // Another name of this machine, which the certificate does not carry.
        var settings = With(TestServer.Tls.ConnectionString, SslMode.VerifyFull);
        settings.Host = "127.0.0.2";
        settings.RootCertificate = TestServer.Tls.AuthorityCertificatePath;
        await using var proxy = new Chaos.ChaosProxy(TestServer.Tls.Host, TestServer.Tls.Port, "127.0.0.2");
        settings.Port = proxy.Port;

        var error = await Refused(settings);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed), error.ToString());
        Assert.That(error.Message, Does.Contain("host name").And.Contain("VerifyCA"));
        settings.SslMode = SslMode.VerifyCA;
        Assert.That(await IsEncrypted(settings), Is.True);
    }

    [Test]
    public async Task A_role_that_may_log_in_over_TLS_only_is_let_in_by_Allow()
    {
        // The server refuses the attempt in clear (28000); the one over TLS then gets as far as the certificate that is asked for.
        var settings = With(TestServer.Tls.ConnectionString, SslMode.Allow);
        settings.Username = TestServer.CertificateUser;

        var error = await Refused(settings);

        Assert.That(error, Is.InstanceOf<PostgresException>());
        Assert.That(error.Message, Does.Contain("certificate"));
    }

    private static PgConnectionStringBuilder With(string server, SslMode ssl) => new(server) { SslMode = ssl };

    private async Task<object?> IsEncrypted(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        await mode.Open(connection);
        await using var command = new PgCommand("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", connection);
        var serverSays = await mode.ExecuteScalar(command);
        Assert.That(connection.IsSslEncrypted, Is.EqualTo(serverSays));
        return serverSays;
    }

    private async Task<PgException> Refused(PgConnectionStringBuilder settings)
    {
        await using var connection = new PgConnection(settings.ConnectionString);
        try
        {
            await mode.Open(connection);
        }
        catch (PgException error)
        {
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            return error;
        }
        throw new AssertionException("The connection should have been refused.");
    }
}
