using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.IntegrationTests.Tls;

/// <summary>An authority made for the tests: it issues certificates, other authorities and lists of revoked certificates.</summary>
internal sealed class TestAuthority
{
    private const string ServerUse = "1.3.6.1.5.5.7.3.1", ClientUse = "1.3.6.1.5.5.7.3.2";

    /// <summary>Before an address that is to stand in the certificate as if it were a name.</summary>
    public const string AsName = "dns:";

    private TestAuthority(X509Certificate2 certificate, TestAuthority? parent) => (Certificate, Parent) = (certificate, parent);

    /// <summary>With its key.</summary>
    public X509Certificate2 Certificate { get; }

    private TestAuthority? Parent { get; }

    public string Pem => Certificate.ExportCertificatePem() + "\n";

    public static TestAuthority Root(string name, HashAlgorithmName? hash = null, bool rsa = false)
    {
        var (request, _) = NewRequest($"CN={name}", hash ?? HashAlgorithmName.SHA256, rsa, RSASignaturePadding.Pkcs1);
        AddAuthority(request);
        return new(request.CreateSelfSigned(DateTimeOffset.UtcNow.AddYears(-5), DateTimeOffset.UtcNow.AddYears(5)), null);
    }

    /// <summary>An authority between this one and the certificates that it issues.</summary>
    public TestAuthority Intermediate(string name, DateTimeOffset? until = null)
    {
        var draft = NewRequest($"CN={name}", HashAlgorithmName.SHA256, rsa: false, RSASignaturePadding.Pkcs1);
        AddAuthority(draft.Request);
        return new(Sign(draft, DateTimeOffset.UtcNow.AddYears(-4), until ?? DateTimeOffset.UtcNow.AddYears(4), null), this);
    }

    /// <summary>A certificate for a server, with its key.</summary>
    public X509Certificate2 Server(params string[] hosts) => Issue("server of the tests", hosts);

    /// <summary>A certificate for a client, with its key.</summary>
    public X509Certificate2 Client(string role, DateTimeOffset? until = null) => Issue(role, [], until: until, use: ClientUse);

    public X509Certificate2 Issue(
        string name, string[] hosts, DateTimeOffset? from = null, DateTimeOffset? until = null, string use = ServerUse,
        bool rsa = false, HashAlgorithmName? hash = null, RSASignaturePadding? padding = null, string? revocations = null,
        X509KeyUsageFlags? usage = X509KeyUsageFlags.DigitalSignature)
    {
        var draft = NewRequest($"CN={name}", hash ?? HashAlgorithmName.SHA256, rsa, padding ?? RSASignaturePadding.Pkcs1);
        AddUse(draft.Request, hosts, use, usage);
        if (revocations is not null)
        {
            draft.Request.CertificateExtensions.Add(CertificateRevocationListBuilder.BuildCrlDistributionPointExtension([revocations]));
            draft.Request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(Certificate, true, false));
        }
        return Sign(draft, from ?? DateTimeOffset.UtcNow.AddYears(-3), until ?? DateTimeOffset.UtcNow.AddYears(3), padding);
    }

    /// <summary>A certificate for a server that it has signed itself.</summary>
    public static X509Certificate2 SelfSigned(params string[] hosts)
    {
        var (request, _) = NewRequest("CN=self-signed server", HashAlgorithmName.SHA256, rsa: false, RSASignaturePadding.Pkcs1);
        AddUse(request, hosts, ServerUse, X509KeyUsageFlags.DigitalSignature);
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(30));
    }

    /// <summary>A list of revoked certificates in PEM form.</summary>
    public string RevocationList(X509Certificate2[] revoked, DateTimeOffset? from = null, DateTimeOffset? until = null)
    {
        var list = new CertificateRevocationListBuilder();
        foreach (var certificate in revoked)
            list.AddEntry(certificate);
        var bytes = list.Build(Certificate, 1, until ?? DateTimeOffset.UtcNow.AddDays(7), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1,
            from ?? DateTimeOffset.UtcNow.AddDays(-7));
        return PemEncoding.WriteString("X509 CRL", bytes) + "\n";
    }

    /// <summary>The certificate of <paramref name="own"/>, and those between it and the root, in PEM form.</summary>
    public string Chain(X509Certificate2 own) =>
        own.ExportCertificatePem() + "\n" + (Parent is null ? "" : Pem + Parent.BetweenPem());

    public static string KeyPem(X509Certificate2 certificate, string? password = null)
    {
        AsymmetricAlgorithm key = (AsymmetricAlgorithm?)certificate.GetECDsaPrivateKey() ?? certificate.GetRSAPrivateKey()!;
        using (key)
            return (password is null
                ? key.ExportPkcs8PrivateKeyPem()
                : key.ExportEncryptedPkcs8PrivateKeyPem(password, new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000))) + "\n";
    }

    private string BetweenPem() => Parent is null ? "" : Pem + Parent.BetweenPem();

    private static Draft NewRequest(string name, HashAlgorithmName hash, bool rsa, RSASignaturePadding padding)
    {
        if (!rsa)
        {
            var ecdsa = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            return new(new(name, ecdsa, hash), ecdsa);
        }
        var key = RSA.Create(2048);
        return new(new(name, key, hash, padding), key);
    }

    private static void AddAuthority(CertificateRequest request)
    {
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
    }

    private static void AddUse(CertificateRequest request, string[] hosts, string use, X509KeyUsageFlags? usage)
    {
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, critical: true));
        if (usage is { } flags)
            request.CertificateExtensions.Add(new X509KeyUsageExtension(flags, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(use)], critical: false));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        if (hosts.Length == 0)
            return;
        var names = new SubjectAlternativeNameBuilder();
        foreach (var host in hosts)
        {
            if (IPAddress.TryParse(host, out var address))
                names.AddIpAddress(address);
            else
                names.AddDnsName(host.StartsWith(AsName, StringComparison.Ordinal) ? host[AsName.Length..] : host);
        }
        request.CertificateExtensions.Add(names.Build());
    }

    // The issuer's kind of key decides about the signature.
    private X509Certificate2 Sign(Draft draft, DateTimeOffset from, DateTimeOffset until, RSASignaturePadding? padding)
    {
        var serial = RandomNumberGenerator.GetBytes(16);
        serial[0] = (byte)((serial[0] & 0x7F) | 0x40);
        using var rsa = Certificate.GetRSAPrivateKey();
        using var ecdsa = Certificate.GetECDsaPrivateKey();
        var generator = rsa is not null
            ? X509SignatureGenerator.CreateForRSA(rsa, padding ?? RSASignaturePadding.Pkcs1)
            : X509SignatureGenerator.CreateForECDsa(ecdsa!);
        using var certificate = draft.Request.Create(Certificate.SubjectName, generator, from, until, serial);
        return draft.Key is RSA key ? certificate.CopyWithPrivateKey(key) : certificate.CopyWithPrivateKey((ECDsa)draft.Key);
    }

    private sealed record Draft(CertificateRequest Request, AsymmetricAlgorithm Key);
}
