namespace Loxo.IntegrationTests.Tls;

/// <summary>When a connection goes on in clear, and when it never does.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class FallbackTests(WaitMode mode) : TlsTest(mode)
{
    [Test]
    public async Task Prefer_never_goes_back_to_clear_once_it_has_encrypted()
    {
        await using var source = Builder("SSL Mode=Prefer").Build();
        Server.Switch(false);
        Assert.That(await Encrypts(source), Is.False);
        Server.Switch(true);
        Assert.That(await Encrypts(source), Is.True);
        Server.Switch(false);

        var error = await Refused(source);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
        Assert.That(error.Message, Does.Contain("encrypted connections of this data source before").And.Contain("SSL Mode=Disable"));
        Assert.That(await Encrypts("SSL Mode=Prefer"), Is.False, "another data source knows nothing of it");
        Server.Switch(true);
        Assert.That(await Encrypts(source), Is.True);
    }

    [Test]
    public async Task Prefer_serves_a_role_that_may_log_in_in_clear_alone()
    {
        await using var source = Builder($"SSL Mode=Prefer;Username={CertificateServer.ClearOnly}").Build();

        Assert.That(await Encrypts(source), Is.False);
        Assert.That(await Encrypts(source), Is.False);
    }

    [Test]
    public async Task Allow_stays_in_clear_where_it_may()
    {
        await using var source = Builder("SSL Mode=Allow").Build();

        Assert.That(await Encrypts(source), Is.False);
        Assert.That(await Encrypts($"SSL Mode=Allow;Username={CertificateServer.TlsOnly}"), Is.True);
        Server.Switch(false);
        Assert.That((await Refused($"SSL Mode=Allow;Username={CertificateServer.TlsOnly}")).Message, Does.Contain("does not offer TLS"));
    }

    [Test]
    public async Task A_certificate_that_the_program_refuses_leads_to_no_connection_in_clear([Values] bool throws, [Values] SslMode ssl)
    {
        if (ssl is SslMode.Disable or SslMode.Allow or SslMode.VerifyCA or SslMode.VerifyFull)
            return;
        var asked = 0;
        await using var source = Builder($"SSL Mode={ssl}").UseUserCertificateValidationCallback((_, certificate, _, _) =>
        {
            asked++;
            Assert.That(certificate!.Subject, Is.EqualTo("CN=server of the tests"));
            return throws ? throw new InvalidOperationException("check failed") : false;
        }).Build();

        var error = await Refused(source);
        await Refused(source);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed));
        Assert.That(error.Message, Does.Contain(throws ? "check failed" : "the program's own check").And.Contain($"localhost:{Server.Port}"));
        Assert.That(asked, Is.EqualTo(2), "each open is one attempt");
    }

    [Test]
    public async Task A_callback_that_fails_is_an_error_in_every_mode()
    {
        var failure = new InvalidOperationException("no key store");
        foreach (var source in new[]
        {
            Builder("SSL Mode=Prefer").UseClientCertificatesCallback(_ => throw failure), Builder("").UseRootCertificatesCallback(() => throw failure),
            Builder("SSL Mode=Prefer").UseSslClientAuthenticationOptionsCallback(_ => throw failure),
        })
        {
            var error = await Refused(source);

            Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.CertificateUnusable, failure)));
            Assert.That(error.Message, Does.Contain("no key store"));
        }
        Assert.That((await Refused(Builder("").UseRootCertificatesCallback(() => null!))).Message, Does.Contain("null"));
    }

    [Test]
    public async Task A_program_may_judge_certificates_where_the_driver_does_not()
    {
        Assert.That(await Encrypts(Builder("SSL Mode=Require").UseUserCertificateValidationCallback((_, _, _, _) => true)), Is.True);
        Assert.That(await Encrypts(Builder("SSL Mode=Require").UseSslClientAuthenticationOptionsCallback(
            options => options.RemoteCertificateValidationCallback = (_, _, _, _) => true)), Is.True);
    }

    [TestCase("SSL Mode=VerifyCA")]
    [TestCase("SSL Mode=VerifyFull")]
    [TestCase("Root Certificate=system")]
    [TestCase("SSL Mode=Require;Root Certificate=root.crt")]
    public async Task A_callback_cannot_replace_the_drivers_check(string settings)
    {
        var root = Write(Authority.Pem);
        settings = settings.Replace("root.crt", root, StringComparison.Ordinal);
        Assert.That(() => Builder(settings).UseUserCertificateValidationCallback((_, _, _, _) => true).Build(),
            Throws.ArgumentException.With.Message.Contains("leave out one of the two"));
        Assert.That(() => Builder("").UseUserCertificateValidationCallback((_, _, _, _) => true).UseRootCertificate(Authority.Certificate).Build(),
            Throws.ArgumentException);
        if (settings == "SSL Mode=VerifyCA" || settings == "SSL Mode=VerifyFull")
            settings += $";Root Certificate={root}";

        await using var source = Builder(settings).UseSslClientAuthenticationOptionsCallback(
            options => options.RemoteCertificateValidationCallback = (_, _, _, _) => true).Build();

        Assert.That((await Refused<ArgumentException>(source)).Message, Does.Contain("leave out one of the two"));
    }

    [Test]
    public async Task The_options_of_a_handshake_can_be_seen_and_changed()
    {
        var seen = new List<string>();
        await using var source = Builder($"SSL Mode=VerifyFull;Root Certificate={Write(Authority.Pem)}").UseSslClientAuthenticationOptionsCallback(options =>
        {
            seen.Add($"{options.TargetHost} {options.ApplicationProtocols![0]}");
            options.EnabledSslProtocols = System.Security.Authentication.SslProtocols.Tls12;
        }).Build();
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()", connection);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("TLSv1.2"));
        Assert.That(seen, Is.EqualTo(new[] { "localhost postgresql" }));
    }

    [TestCase("ssl_max_protocol_version=TLSv1.2", "TLSv1.2")]
    [TestCase("ssl_min_protocol_version=TLSv1.3", "TLSv1.3")]
    [TestCase("ssl_min_protocol_version=TLSv1;ssl_max_protocol_version=tlsv1.3", "TLSv1.3")]
    public async Task The_versions_of_TLS_can_be_bounded(string settings, string expected)
    {
        await using var source = Builder($"SSL Mode=Require;{settings}").Build();
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()", connection);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(expected));
    }

    [Test]
    public async Task The_server_offers_no_session_to_resume()
    {
        // PostgreSQL turns session caches and tickets off (be-secure-openssl.c), so that every handshake is whole.
        await using var source = Builder($"SSL Mode=VerifyFull;Root Certificate={Write(Authority.Pem)}").Build();
        Assert.That(await Encrypts(source), Is.True);
        var first = await HandshakeBytes(source);

        Assert.That(await HandshakeBytes(source), Is.EqualTo(first).Within(64));
    }

    // What the server has sent up to the end of the login: in a resumed session its certificate is missing.
    private async Task<long> HandshakeBytes(PgDataSource source)
    {
        await using var proxy = new Chaos.ChaosProxy("127.0.0.1", Server.Port);
        var builder = new PgConnectionStringBuilder(source.ConnectionString) { HostAddress = "127.0.0.1", Port = proxy.Port };
        await using var connection = new PgConnection(builder.ConnectionString);
        await Mode.Open(connection);
        return (await proxy.Link(0)).ToClient.Passed;
    }
}
