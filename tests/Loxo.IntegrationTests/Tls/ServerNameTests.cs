using System.Net.Security;

namespace Loxo.IntegrationTests.Tls;

/// <summary>The name of the host that the client tells the server in its first message of TLS, in clear (SNI, RFC 6066, section 3).</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ServerNameTests(WaitMode mode) : TlsTest(mode)
{
    [TestCase("Host=localhost", ExpectedResult = "localhost")]
    [TestCase("Host=localhost;sslsni=1", ExpectedResult = "localhost")]
    [TestCase("Host=localhost;sslsni=0", ExpectedResult = "")]
    [TestCase("Host=127.0.0.1;Host Address=", ExpectedResult = "", Description = "An address is no name.")]
    [TestCase("Host=shop.example", ExpectedResult = "shop.example", Description = "The name that the user gave, not that of the address.")]
    [TestCase("Host=shop.example;SSL Negotiation=Direct", ExpectedResult = "shop.example")]
    public async Task<string> The_server_is_told_the_name_of_the_host_unless_sslsni_is_off(string settings)
    {
        var told = new TaskCompletionSource<string>();
        await using var server = new FakeServer(async stream =>
        {
            if (!settings.Contains("Direct", StringComparison.Ordinal))
                await FakeServer.AnswerRequest(stream, "S");
            await using var tls = new SslStream(stream);
            await tls.AuthenticateAsServerAsync(
                (_, hello, _, _) =>
                {
                    told.TrySetResult(hello.ServerName);
                    return ValueTask.FromResult(new SslServerAuthenticationOptions
                    {
                        ServerCertificate = CertificateServer.Good,
                        ApplicationProtocols = [new SslApplicationProtocol("postgresql")],
                    });
                },
                null);
        });
        await using var source = server.Builder($"SSL Mode=Require;{settings}").Build();

        await Refused(source); // it is no PostgreSQL

        return await told.Task.WaitAsync(TimeSpan.FromMinutes(1));
    }
}
