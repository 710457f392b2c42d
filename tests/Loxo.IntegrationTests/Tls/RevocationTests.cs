namespace Loxo.IntegrationTests.Tls;

/// <summary>Lists of revoked certificates in files, by libpq's parameters sslcrl and sslcrldir.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class RevocationTests(WaitMode mode) : TlsTest(mode)
{
    [Test]
    public async Task A_certificate_that_is_on_no_list_is_accepted([Values] SslMode ssl)
    {
        if (ssl < SslMode.Require)
            return;
        var other = Authority.Server("localhost");

        Assert.That(await Encrypts(With(ssl, Authority.RevocationList([other]))), Is.True);
    }

    [TestCase("sslcrl")]
    [TestCase("sslcrldir")]
    public async Task A_revoked_certificate_is_refused_with_its_serial_number(string keyword)
    {
        var list = Authority.RevocationList([Authority.Server("localhost"), CertificateServer.Good]);
        var path = keyword == "sslcrl" ? Write(list) : Folder();
        if (keyword == "sslcrldir")
            await File.WriteAllTextAsync(Path.Combine(path, "0123abcd.r0"), list);

        var error = await Refused($"SSL Mode=VerifyCA;Root Certificate={Write(Authority.Pem)};{keyword}={path}");

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed));
        Assert.That(error.Message, Does.Contain(CertificateServer.Good.SerialNumber).And.Contain("is revoked"));
    }

    [Test]
    public async Task A_revoked_authority_is_found_in_the_list_of_its_issuer()
    {
        var intermediate = Authority.Intermediate("revoked authority");
        Show(intermediate.Server("localhost"), intermediate);
        var own = intermediate.RevocationList([]);

        Assert.That(await Encrypts(With(SslMode.VerifyFull, Authority.RevocationList([]) + own)), Is.True);
        var error = await Refused(With(SslMode.VerifyFull, own + Authority.RevocationList([intermediate.Certificate])));
        Assert.That(error.Message, Does.Contain("'CN=revoked authority'").And.Contain("is revoked"));
        error = await Refused(With(SslMode.VerifyFull, Authority.RevocationList([])));
        Assert.That(error.Message, Does.Contain("no list").And.Contain("'CN=revoked authority'"), "each authority needs its list");
    }

    [Test]
    public async Task A_list_of_another_authority_does_not_count()
    {
        var impostor = TestAuthority.Root("authority of the tests");

        var error = await Refused(With(SslMode.VerifyFull, impostor.RevocationList([])));

        Assert.That(error.Message, Does.Contain("no list of revoked certificates that 'CN=authority of the tests' has signed"));
    }

    [Test]
    public async Task A_list_that_is_out_of_date_is_refused()
    {
        var (past, future) = (DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        foreach (var list in new[] { Authority.RevocationList([], past.AddDays(-9), past), Authority.RevocationList([], future, future.AddDays(9)) })
            Assert.That((await Refused(With(SslMode.VerifyFull, list))).Message, Does.Contain("out of date"));
    }

    [TestCase("/nonexistent/list", "it cannot be read")]
    [TestCase("", "it holds no list")]
    [TestCase("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----", "A list is malformed")]
    public async Task A_list_that_cannot_be_read_is_an_error(string content, string message)
    {
        var path = content.StartsWith('/') ? content : Write(content);

        var error = await Refused($"SSL Mode=VerifyFull;Root Certificate={Write(Authority.Pem)};sslcrl={path}");

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CertificateUnusable));
        Assert.That(error.Message, Does.Contain($"'sslcrl={path}'").And.Contain(message));
    }

    [Test]
    public async Task The_authority_can_be_asked_over_the_network()
    {
        var authority = TestAuthority.Root("authority with a list");
        var (list, asked) = (Array.Empty<byte>(), 0);
        await using var server = new FakeServer(async stream =>
        {
            await stream.ReadExactlyAsync(new byte[4]);
            Interlocked.Increment(ref asked);
            await stream.WriteAsync(System.Text.Encoding.ASCII.GetBytes(
                $"HTTP/1.1 200 OK\r\nContent-Type: application/pkix-crl\r\nContent-Length: {list.Length}\r\nConnection: close\r\n\r\n"));
            await stream.WriteAsync(list);
            await FakeServer.ReadToEnd(stream);
        });
        foreach (var revoked in new[] { false, true })
        {
            var certificate = authority.Issue("server", ["localhost"], revocations: $"http://127.0.0.1:{server.Port}/{Guid.NewGuid():N}.crl");
            var pem = authority.RevocationList(revoked ? [certificate] : []);
            var encoded = System.Security.Cryptography.PemEncoding.Find(pem);
            list = Convert.FromBase64String(pem[encoded.Base64Data].Replace("\n", "", StringComparison.Ordinal));
            Show(certificate, authority);
            var settings = $"SSL Mode=VerifyFull;Root Certificate={Write(authority.Pem)};Check Certificate Revocation=";

            if (revoked)
                Assert.That((await Refused(settings + "true")).Message, Does.Contain("is revoked").And.Contain(certificate.SerialNumber));
            else
                Assert.That(await Encrypts(settings + "true"), Is.True);
            Assert.That(asked, Is.GreaterThan(0));
            asked = 0;
            Assert.That(await Encrypts(settings + "false"), Is.True);
            Assert.That(asked, Is.Zero);
        }
    }

    [Test]
    public async Task An_authority_that_cannot_be_asked_is_an_error_within_the_time_for_opening([Values] bool stalls)
    {
        var authority = TestAuthority.Root("authority with a list");
        await using var server = new FakeServer(FakeServer.ReadToEnd);
        var port = server.Port;
        if (!stalls)
            await server.DisposeAsync();
        Show(authority.Issue("server", ["localhost"], revocations: $"http://127.0.0.1:{port}/{Guid.NewGuid():N}.crl"), authority);

        var error = await Refused(
            $"SSL Mode=VerifyFull;Root Certificate={Write(authority.Pem)};Check Certificate Revocation=true;Timeout={(stalls ? 1 : 120)}");

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed).Or.EqualTo(PgErrorCode.Timeout), error.ToString());
        if (error.Code == PgErrorCode.TlsFailed)
            Assert.That(error.Message, Does.Contain("could not be asked").And.Contain("Check Certificate Revocation=false"));
    }

    private string With(SslMode ssl, string list) => $"SSL Mode={ssl};Root Certificate={Write(Authority.Pem)};sslcrl={Write(list)}";
}
