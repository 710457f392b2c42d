namespace Loxo.Transport;

/// <summary>How a connection is encrypted.</summary>
internal sealed record TlsSettings
{
    public required SslMode Mode { get; init; }

    public required SslNegotiation Negotiation { get; init; }

    /// <summary>A PEM file with the authorities to trust instead of the system's; null trusts the system's.</summary>
    public required string? RootCertificate { get; init; }

    /// <summary>
    /// Ask the authority whether the certificate was revoked. Has a meaning only where the certificate is checked: VerifyCA and VerifyFull.
    /// </summary>
    public required bool CheckCertificateRevocation { get; init; }
}
