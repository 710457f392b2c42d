using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>The certificates that all handshakes of a data source share; the first one reads them from disk.</summary>
internal sealed class TlsContext(TlsSettings settings)
{
    // "postgresql" (manual, "SSL Session Encryption"): servers before 17 ignore it.
    private static readonly SslApplicationProtocol Application = new("postgresql");

    private readonly Lazy<X509Certificate2Collection?> _roots = new(() => LoadRoots(settings.RootCertificate));

    private X509RevocationMode RevocationMode =>
        settings.CheckCertificateRevocation ? X509RevocationMode.Online : X509RevocationMode.NoCheck;

    public SslClientAuthenticationOptions ForHandshake(HostAddress host, CertificateCheck check)
    {
        var verifies = settings.Mode is SslMode.VerifyCA or SslMode.VerifyFull;
        return new SslClientAuthenticationOptions
        {
            TargetHost = host.Host,
            ApplicationProtocols = [Application],
            CertificateRevocationCheckMode = verifies ? RevocationMode : X509RevocationMode.NoCheck,
            CertificateChainPolicy = verifies ? ChainPolicy() : null,
            RemoteCertificateValidationCallback = (_, certificate, chain, errors) =>
                check.Accepts(settings.Mode, certificate, chain, errors),
        };
    }

    private X509ChainPolicy? ChainPolicy()
    {
        if (_roots.Value is not { } roots)
            return null;
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = RevocationMode,
        };
        policy.CustomTrustStore.AddRange(roots);
        return policy;
    }

    private static X509Certificate2Collection? LoadRoots(string? path)
    {
        if (path is null)
            return null;
        var roots = new X509Certificate2Collection();
        try
        {
            roots.ImportFromPemFile(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new PgException($"'Root Certificate={path}' cannot be read as PEM: {e.Message}", PgErrorCode.TlsFailed, e);
        }
        return roots.Count > 0
            ? roots
            : throw new PgException($"'Root Certificate={path}' holds no certificate in PEM form.", PgErrorCode.TlsFailed);
    }

    /// <summary>The verdict on one server certificate, kept so that the error can say which check failed.</summary>
    internal sealed class CertificateCheck
    {
        public string? Reason { get; private set; }

        public bool Accepts(SslMode mode, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
        {
            // Encryption without a check is what Allow, Prefer and Require promise, as in libpq without a root certificate.
            if (mode is not (SslMode.VerifyCA or SslMode.VerifyFull))
                return true;
            if (mode == SslMode.VerifyCA)
                errors &= ~SslPolicyErrors.RemoteCertificateNameMismatch;
            Reason = errors == SslPolicyErrors.None ? null : Describe(certificate, chain, errors);
            return Reason is null;
        }

        private static string Describe(X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
        {
            var subject = certificate?.Subject ?? "none";
            if ((errors & SslPolicyErrors.RemoteCertificateNameMismatch) != 0)
                return $"the server's certificate ({subject}) is not for this host name; "
                    + "connect by a name that it carries, or use 'SSL Mode=VerifyCA'.";
            var details = chain is null ? "" : string.Join(", ", chain.ChainStatus.Select(s => s.StatusInformation.Trim()));
            return $"the server's certificate ({subject}, issued by {certificate?.Issuer ?? "nobody"}) is not trusted: {errors} {details} "
                + "Name its authority in 'Root Certificate'.";
        }
    }
}
