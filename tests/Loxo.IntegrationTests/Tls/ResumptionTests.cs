using System.Net.Security;
using System.Security.Authentication;

namespace Loxo.IntegrationTests.Tls;

/// <summary>Sessions of TLS are resumed where the other end offers it, and what is resumed is checked like what is new.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ResumptionTests(WaitMode mode) : TlsTest(mode)
{
    [TestCase(SslProtocols.Tls12)]
    [TestCase(SslProtocols.Tls13)]
    public async Task A_resumed_handshake_is_shorter_and_its_certificate_is_checked_again(SslProtocols version)
    {
        var certificate = Authority.Server("localhost");
        var sent = new List<long>();
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, "S");
            var counting = new CountingStream(stream);
            using var tls = new SslStream(counting, leaveInnerStreamOpen: true);
            await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
            {
                ServerCertificateContext = SslStreamCertificateContext.Create(certificate, null, offline: true), EnabledSslProtocols = version,
            });
            await tls.ReadAtLeastAsync(new byte[1], 1, throwOnEndOfStream: false);
            lock (sent)
                sent.Add(counting.Written);
        });
        // The name is part of what a session is kept for, so that no other test's is resumed.
        var own = $"SSL Mode=VerifyFull;Host=localhost;Root Certificate={Write(Authority.Pem)}";
        foreach (var _ in Enumerable.Range(0, 3))
        {
            await using var source = server.Builder(own).Build();
            Assert.That((await Refused(source)).Code, Is.EqualTo(PgErrorCode.ConnectionClosed), "the fake server closes after the handshake");
        }
        await using var stranger = server.Builder($"SSL Mode=VerifyFull;Root Certificate={Write(TestAuthority.Root("another").Pem)}").Build();
        await using var unchecked_ = server.Builder("SSL Mode=Require").Build();

        Assert.That((await Refused(stranger)).Message, Does.Contain("not trusted"), "a resumed session is checked against its own settings");
        Assert.That((await Refused(unchecked_)).Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        long[] counts = [.. sent];
        await TestContext.Out.WriteLineAsync($"{version}: bytes of the server in each handshake: {string.Join(", ", counts)}");
        Assert.That(counts[1..3], Is.All.LessThan(counts[0] - 300), "without the certificate");
    }

    private sealed class CountingStream(Stream inner) : WrappedStream(inner)
    {
        public long Written { get; private set; }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Written += buffer.Length;
            return base.WriteAsync(buffer, cancellationToken);
        }
    }
}
