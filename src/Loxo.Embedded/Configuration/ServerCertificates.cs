using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Loxo.Embedded.Processes;

namespace Loxo.Embedded.Configuration;

/// <summary>
/// An authority made for one server, with a certificate for it and one for its clients. The authority's key never leaves this process.
/// </summary>
internal sealed class ServerCertificates
{
    private const UnixFileMode ReadableByAll =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";
    private const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private readonly string _folder;

    private ServerCertificates(string folder) => _folder = folder;

    public string Authority => Path.Combine(_folder, "authority.crt");

    public string Client => Path.Combine(_folder, "client.crt");

    public string ClientKey => Path.Combine(_folder, "client.key");

    private string Server => Path.Combine(_folder, "server.crt");

    private string ServerKey => Path.Combine(_folder, "server.key");

    public IEnumerable<KeyValuePair<string, string>> Settings =>
    [
        new("ssl", "on"),
        new("ssl_ca_file", Authority.Replace('\\', '/')),
        new("ssl_cert_file", Server.Replace('\\', '/')),
        new("ssl_key_file", ServerKey.Replace('\\', '/')),
    ];

    /// <summary>Makes the certificates and writes them into a folder. The server gets to own its key, the client's stays ours.</summary>
    public static ServerCertificates Write(string folder, PgEmbeddedServerOptions options, ServerUser? user)
    {
        var tls = options.Tls!;
        var files = new ServerCertificates(folder);
        Directory.CreateDirectory(folder);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var authority = MakeAuthority(key);

        files.WritePair(authority, (files.Server, files.ServerKey),
            Request(NameOf("Loxo embedded server"), ServerAuthentication, tls.HostNames));
        files.WritePair(authority, (files.Client, files.ClientKey),
            Request(NameOf(tls.ClientName ?? options.Superuser), ClientAuthentication, []));
        WriteFile(files.Authority, authority.ExportCertificatePem(), ReadableByAll);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(folder,
                UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
                | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
        user?.Own(files.ServerKey);
        return files;
    }

    private static X509Certificate2 MakeAuthority(ECDsa key)
    {
        var request = new CertificateRequest("CN=Loxo embedded authority", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions
            .Add(new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, 0, critical: true));
        request.CertificateExtensions
            .Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        var (from, to) = Validity();
        return request.CreateSelfSigned(from, to);
    }

    private static Func<ECDsa, CertificateRequest> Request(X500DistinguishedName subject, string usage,
        IEnumerable<string> hostNames) => key =>
    {
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions
            .Add(new X509BasicConstraintsExtension(certificateAuthority: false, hasPathLengthConstraint: false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(usage)], critical: false));
        if (hostNames.Any())
            request.CertificateExtensions.Add(AlternativeNames(hostNames));
        return request;
    };

    private static X509Extension AlternativeNames(IEnumerable<string> hostNames)
    {
        var names = new SubjectAlternativeNameBuilder();
        foreach (var name in hostNames)
        {
            if (IPAddress.TryParse(name, out var address))
                names.AddIpAddress(address);
            else
                names.AddDnsName(name);
        }
        return names.Build();
    }

    private static X500DistinguishedName NameOf(string commonName)
    {
        var name = new X500DistinguishedNameBuilder();
        name.AddCommonName(commonName);
        return name.Build();
    }

    private void WritePair(X509Certificate2 authority, (string Certificate, string Key) paths, Func<ECDsa, CertificateRequest> request)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        // Within the authority's own time: a certificate must not outlive its issuer.
        using var certificate = request(key).Create(authority, authority.NotBefore, authority.NotAfter, SerialNumber());
        WriteFile(paths.Certificate, certificate.ExportCertificatePem(), ReadableByAll);
        WriteFile(paths.Key, key.ExportPkcs8PrivateKeyPem(), OwnerOnly);
    }

    private static void WriteFile(string path, string text, UnixFileMode mode)
    {
        File.WriteAllText(path, text + "\n");
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, mode);
    }

    private static byte[] SerialNumber()
    {
        var number = RandomNumberGenerator.GetBytes(16);
        number[0] = (byte)((number[0] & 0x7F) | 0x40); // positive, and no leading zeros
        return number;
    }

    private static (DateTimeOffset From, DateTimeOffset To) Validity() =>
        (DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddYears(1));
}
