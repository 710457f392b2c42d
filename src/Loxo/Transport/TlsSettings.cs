namespace Loxo.Transport;

internal sealed record TlsSettings
{
    public required SslMode Mode { get; init; }

    public required SslNegotiation Negotiation { get; init; }

    /// <summary>A PEM file with the authorities to trust instead of the system's; null trusts the system's.</summary>
    public required string? RootCertificate { get; init; }

    /// <summary>Whether the authority is asked if the certificate was revoked; only where it is checked: VerifyCA and VerifyFull.</summary>
    public required bool CheckCertificateRevocation { get; init; }
}
