using System.Globalization;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Tls;

/// <summary>
/// A server of these tests alone, which changes its certificate as they want it. Its roles are named after what pg_hba.conf demands of
/// them; the superuser is trusted, in clear too.
/// </summary>
internal sealed class CertificateServer : IDisposable
{
    public const string TlsOnly = "tls_only", ClearOnly = "clear_only", ByCertificate = "cert_user", AlsoCertificate = "verify_user", Scram = "scram_user";

    public const string Password = "secret";

    private static readonly string[] _hosts = ["localhost", "127.0.0.1", "::1"];

    private readonly PgEmbeddedServer _server;

    private CertificateServer()
    {
        var options = TestServer.Options();
        options.Tls = new PgEmbeddedTlsOptions();
        options.InitialStatements.Add("SET password_encryption = 'scram-sha-256'");
        foreach (var role in new[] { TlsOnly, ClearOnly, ByCertificate, AlsoCertificate, Scram })
            options.InitialStatements.Add($"SET password_encryption = 'scram-sha-256'; CREATE ROLE {role} LOGIN PASSWORD '{Password}'");
        options.HbaLines.Add($"hostssl all {TlsOnly} all trust");
        options.HbaLines.Add($"host all {TlsOnly} all reject");
        options.HbaLines.Add($"hostssl all {ClearOnly} all reject");
        options.HbaLines.Add($"hostssl all {ByCertificate} all cert");
        options.HbaLines.Add($"host all {ByCertificate} all reject");
        options.HbaLines.Add($"hostssl all {AlsoCertificate} all scram-sha-256 clientcert=verify-full");
        options.HbaLines.Add($"host all {Scram} all scram-sha-256");
        _server = PgEmbeddedServer.Start(options);
        Use(Good, Authority);
    }

    /// <summary>Started by the first test that needs it.</summary>
    public static CertificateServer Shared => _shared ??= new();

    private static CertificateServer? _shared;

    /// <summary>The authority that the server trusts, and which has issued <see cref="Good"/>.</summary>
    public static TestAuthority Authority { get; } = TestAuthority.Root("authority of the tests");

    public static X509Certificate2 Good { get; } = Authority.Server(_hosts);

    public int Port => _server.Port;

    public string SocketDirectory => _server.SocketDirectory;

    public string BinaryDirectory => _server.BinaryDirectory;

    public bool IsTls { get; private set; } = true;

    public string Settings => string.Create(CultureInfo.InvariantCulture,
        $"Host=localhost;Port={Port};Username=postgres;Database=postgres;Timeout=120;Command Timeout=300");

    /// <summary>Shows this certificate, and what <paramref name="authority"/> has between it and the root, from now on.</summary>
    public void Use(X509Certificate2 certificate, TestAuthority? authority = null)
    {
        var folder = Path.GetDirectoryName(_server.AuthorityCertificatePath)!;
        // Written into the files that are there, which keep their owner.
        File.WriteAllText(Path.Combine(folder, "server.crt"), authority?.Chain(certificate) ?? certificate.ExportCertificatePem());
        File.WriteAllText(Path.Combine(folder, "server.key"), TestAuthority.KeyPem(certificate));
        File.WriteAllText(Path.Combine(folder, "authority.crt"), Authority.Pem);
        _server.Reload();
        SpinUntil(() => Shown() == certificate.Thumbprint);
    }

    /// <summary>Turns TLS on or off.</summary>
    public void Switch(bool tls)
    {
        if (tls == IsTls)
            return;
        _server.Reload(new Dictionary<string, string> { ["ssl"] = tls ? "on" : "off" });
        SpinUntil(() => Shown() is not null == tls);
        IsTls = tls;
    }

    public static void RemoveShared() => _shared?.Dispose();

    public void Dispose() => _server.Dispose();

    // The thumbprint of the certificate that the server shows now; null without TLS.
    private string? Shown()
    {
        using var client = new TcpClient("127.0.0.1", Port);
        var stream = client.GetStream();
        stream.Write([0, 0, 0, 8, 4, 210, 22, 47]);
        if (stream.ReadByte() != 'S')
            return null;
        using var tls = new SslStream(stream, false, static (_, _, _, _) => true);
        tls.AuthenticateAsClient("localhost");
        return tls.RemoteCertificate!.GetCertHashString();
    }

    // The server reads its files again shortly after it was told to.
    private static void SpinUntil(Func<bool> isSo)
    {
        for (var i = 0; i < 10_000; i++)
        {
            if (isSo())
                return;
            Thread.Yield();
        }
        throw new AssertionException("The server has not changed its certificate.");
    }
}

[SetUpFixture]
public sealed class CertificateServerEnd
{
    [OneTimeTearDown]
    public void Remove() => CertificateServer.RemoveShared();
}
