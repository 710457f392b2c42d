using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>Judges the server's certificate in one handshake, and keeps the reason for a refusal.</summary>
internal sealed class CertificateCheck(
    TlsSettings settings, HostAddress host, IReadOnlyList<RevocationList>? revocations, TimeProvider time)
{
    /// <summary>What is wrong with the certificate, in sentences; null if nothing is.</summary>
    public string? Reason { get; private set; }

    /// <summary>The program's own check has refused it, or failed.</summary>
    public bool IsRefusedByProgram { get; private set; }

    public bool Accepts(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        // Encryption without a check is what Allow, Prefer and Require promise, as in libpq without a root certificate.
        if (!settings.ChecksChain)
            return true;
        if (certificate is not X509Certificate2 own)
            Reason = "the server has shown no certificate.";
        else
            Reason = new CertificateReport(settings, host, own, time.GetUtcNow())
                .Faults(chain, NameErrors(sender, own, errors), revocations);
        return Reason is null;
    }

    /// <summary>Lets the program judge, and notes its verdict.</summary>
    public RemoteCertificateValidationCallback Asking(RemoteCertificateValidationCallback program) =>
        (sender, certificate, chain, errors) =>
        {
            IsRefusedByProgram = true; // until it has accepted: it may throw
            if (program(sender, certificate, chain, errors))
                IsRefusedByProgram = false;
            else
                Reason = $"the program's own check has refused the server's certificate ({certificate?.Subject ?? "none"}; {errors}).";
            return !IsRefusedByProgram;
        };

    // SslStream knows no name if none is in the handshake, and the program may have changed the one that is.
    private SslPolicyErrors NameErrors(object sender, X509Certificate2 certificate, SslPolicyErrors errors)
    {
        var name = sender is SslStream { TargetHostName: { Length: > 0 } told } ? told : host.Host;
        return settings.ChecksHost && !CertificateNames.Fit(certificate, name)
            ? errors | SslPolicyErrors.RemoteCertificateNameMismatch
            : errors & ~SslPolicyErrors.RemoteCertificateNameMismatch;
    }
}
