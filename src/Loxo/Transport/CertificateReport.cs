using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>Says which checks the server's certificate has failed, with the facts of the certificate and the keyword to change.</summary>
internal sealed class CertificateReport(TlsSettings settings, HostAddress host, X509Certificate2 certificate, DateTimeOffset now)
{
    private const X509ChainStatusFlags Time = X509ChainStatusFlags.NotTimeValid;
    private const X509ChainStatusFlags Root = X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain;

    private const X509ChainStatusFlags UnknownRevocation =
        X509ChainStatusFlags.RevocationStatusUnknown | X509ChainStatusFlags.OfflineRevocation;

    // OpenSSL asks for one of them in a server's certificate (X509_check_purpose(3)), and .NET for none.
    private const X509KeyUsageFlags OfServers =
        X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyEncipherment | X509KeyUsageFlags.KeyAgreement;

    private readonly List<string> _faults = [];

    /// <summary>The faults in sentences; null if there is none.</summary>
    public string? Faults(X509Chain? chain, SslPolicyErrors errors, IReadOnlyList<RevocationList>? revocations)
    {
        if ((errors & SslPolicyErrors.RemoteCertificateNotAvailable) != 0)
            return "the server has shown no certificate.";
        if ((errors & SslPolicyErrors.RemoteCertificateChainErrors) != 0)
            AddChain(chain);
        else
            AddOwnChecks(chain, revocations);
        if ((errors & SslPolicyErrors.RemoteCertificateNameMismatch) != 0)
            _faults.Add(NotForHost());
        return _faults.Count == 0 ? null : $"the server's certificate is refused ({Facts(certificate)}): {string.Join(" Also: ", _faults)}";
    }

    private static string Facts(X509Certificate2 certificate) => string.Create(CultureInfo.InvariantCulture,
        $"subject {certificate.Subject}; issuer {certificate.Issuer}; ")
        + $"valid from {Day(certificate.NotBefore)} to {Day(certificate.NotAfter)}";

    private static string Day(DateTime time) => time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm'Z'", CultureInfo.InvariantCulture);

    private void AddChain(X509Chain? chain)
    {
        var status = (chain?.ChainStatus ?? []).Aggregate(X509ChainStatusFlags.NoError, static (all, one) => all | one.Status);
        if ((status & Root) != 0)
            _faults.Add(NotTrusted(chain!, status));
        if ((status & Time) != 0)
            _faults.AddRange(chain!.ChainElements.Select(element => element.Certificate).Select(OutOfTime).OfType<string>());
        if ((status & X509ChainStatusFlags.Revoked) != 0)
            _faults.Add(Revoked(chain!.ChainElements.First(Has(X509ChainStatusFlags.Revoked)).Certificate));
        else if ((status & UnknownRevocation) != 0 && (status & Root) == 0)
            _faults.Add("its authority could not be asked whether it is revoked. Let this machine reach the address in the certificate, "
                + "use 'sslcrl', or set 'Check Certificate Revocation=false'.");
        var rest = status & ~(Root | Time | X509ChainStatusFlags.Revoked | UnknownRevocation);
        if (rest != 0 || _faults.Count == 0)
            _faults.Add($"it is not valid: {Words(chain, rest)} Let its authority issue another one.");
    }

    // What .NET does not check.
    private void AddOwnChecks(X509Chain? chain, IReadOnlyList<RevocationList>? revocations)
    {
        if (certificate.Extensions.OfType<X509KeyUsageExtension>().FirstOrDefault() is { } usage && (usage.KeyUsages & OfServers) == 0)
            _faults.Add($"its key is not for TLS servers, but for {usage.KeyUsages}. Let its authority issue one for DigitalSignature.");
        if (revocations is not null && chain is not null)
            AddRevocations([.. chain.ChainElements.Select(static element => element.Certificate)], revocations);
    }

    private static Func<X509ChainElement, bool> Has(X509ChainStatusFlags flag) =>
        element => element.ChainElementStatus.Any(status => (status.Status & flag) != 0);

    private static string Words(X509Chain? chain, X509ChainStatusFlags flags) => string.Join(" ", (chain?.ChainStatus ?? [])
        .Where(status => (status.Status & flags) != 0)
        .Select(static status => $"{status.StatusInformation.Trim().TrimEnd('.')} ({status.Status})."));

    private string NotTrusted(X509Chain chain, X509ChainStatusFlags status)
    {
        var last = chain.ChainElements[^1].Certificate;
        var trusted = settings.Program.Roots is not null ? "the authorities that the program has given"
            : settings.RootCertificate is { } path ? $"the authorities in {path}" : "the system's authorities";
        if ((status & X509ChainStatusFlags.UntrustedRoot) == 0)
            return $"it is not trusted: the certificate of '{last.Issuer}' is neither sent by the server nor among {trusted}. Let the "
                + "server send it (behind its own in 'ssl_cert_file'), or name the authority's file in 'Root Certificate'.";
        var kind = chain.ChainElements.Count == 1 ? "it is self-signed and" : $"its root '{last.Subject}'";
        return $"it is not trusted: {kind} is not among {trusted}. Name the authority's file in 'Root Certificate'.";
    }

    private string? OutOfTime(X509Certificate2 of)
    {
        var which = of.Equals(certificate) ? "it" : $"the certificate of '{of.Subject}', which leads to its root,";
        if (now > of.NotAfter)
            return $"{which} expired on {Day(of.NotAfter)}. Replace it on the server.";
        return now < of.NotBefore ? $"{which} is not valid before {Day(of.NotBefore)}. Compare the clocks of both machines." : null;
    }

    private static string Revoked(X509Certificate2 certificate) =>
        $"the certificate '{certificate.Subject}' with serial number {certificate.SerialNumber} is revoked. Replace it on the server.";

    private string NotForHost()
    {
        var names = string.Join(", ", Names());
        return $"it is not for the host name '{host.Host}'{(names.Length > 0 ? $", but for {names}" : "")}. Connect by a name in the "
            + "certificate ('Host Address' takes the address), or use 'SSL Mode=VerifyCA', which compares no names.";
    }

    private IEnumerable<string> Names()
    {
        var alternatives = certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>().FirstOrDefault();
        return alternatives is null
            ? [certificate.GetNameInfo(X509NameType.DnsName, forIssuer: false)]
            : alternatives.EnumerateDnsNames().Concat(alternatives.EnumerateIPAddresses().Select(static address => address.ToString()));
    }

    // As OpenSSL for libpq: each certificate of the chain needs a list of its issuer, the root one of its own.
    private void AddRevocations(X509Certificate2[] chain, IReadOnlyList<RevocationList> lists)
    {
        for (var i = 0; i < chain.Length; i++)
        {
            var issuer = chain[Math.Min(i + 1, chain.Length - 1)];
            var signed = lists.Where(list => list.IsOf(issuer) && list.IsSignedBy(issuer)).ToList();
            var valid = signed.Where(list => list.From <= now && now <= list.Until).ToList();
            if (signed.Any(list => list.Revokes(chain[i])))
                _faults.Add(Revoked(chain[i]));
            else if (valid.Count == 0)
                _faults.Add(signed.Count == 0
                    ? $"'sslcrl' and 'sslcrldir' have no list of revoked certificates that '{issuer.Subject}' has signed. Add it."
                    : $"the list of revoked certificates of '{issuer.Subject}' is out of date. Get the current one.");
        }
    }
}
