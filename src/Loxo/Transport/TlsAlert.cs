using System.Text.RegularExpressions;

namespace Loxo.Transport;

/// <summary>
/// Why the server has ended TLS (RFC 8446, 6): a number that OpenSSL puts into its messages. It is not known on systems without OpenSSL.
/// </summary>
internal readonly partial record struct TlsAlert(int Number)
{
    // Reasons of OpenSSL's own (sslerr.h); those from 1000 on are alerts that were received.
    public const int UnsupportedProtocol = 258;
    public const int VersionTooLow = 396;
    public const int NoProtocolsAvailable = 191;
    private const int FirstAlert = 1000;

    private const int CertificateRequired = 116;

    public bool IsAboutClientCertificate => Number is 42 or 43 or 44 or 45 or 46 or 48 or CertificateRequired;

    /// <summary>The alert in an exception of SslStream; null if it has none.</summary>
    public static TlsAlert? Find(Exception? error) =>
        ReasonNumber(error) is { } reason and >= FirstAlert and < FirstAlert + 256 ? new TlsAlert(reason - FirstAlert) : null;

    /// <summary>OpenSSL's number for what went wrong; null if it is not its error.</summary>
    public static int? ReasonNumber(Exception? error)
    {
        for (; error is not null; error = error.InnerException)
        {
            if (ErrorNumber().Match(error.Message) is { Success: true } match)
                return int.Parse(match.Groups[1].ValueSpan, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        }
        return null;
    }

    /// <summary>What the server has done, after its name.</summary>
    public string Meaning(bool hasClientCertificate) => Number switch
    {
        CertificateRequired => "demands a certificate of the client. Name its file in 'SSL Certificate'",
        40 when !hasClientCertificate =>
            "found no common ground in the handshake: it may demand a certificate of the client ('SSL Certificate'), or other ciphers",
        40 => "found no common ground in the handshake: it may not accept the ciphers of this machine",
        48 => "does not know the authority of the client's certificate ('SSL Certificate'). Put the certificates between behind the "
            + "client's own, or the authority into the server's 'ssl_ca_file'",
        44 => "refuses the client's certificate ('SSL Certificate'), as it is revoked",
        45 => "refuses the client's certificate ('SSL Certificate'), as it has expired",
        42 or 43 or 46 => "refuses the client's certificate ('SSL Certificate')",
        70 => "accepts none of the versions of TLS that were offered. Look at 'ssl_min_protocol_version' and 'ssl_max_protocol_version' on "
            + "both sides",
        112 => "does not know the host name that it was called by. Use 'sslsni=0', or another name in 'Host'",
        120 => "does not speak the protocol 'postgresql' (ALPN): check 'Host' and 'Port'",
        _ => "has ended TLS",
    };

    public override string ToString() => Number.ToString(CultureInfo.InvariantCulture);

    // "error:0A000418:SSL routines::tlsv1 alert unknown ca": the last three digits are the reason.
    [GeneratedRegex("error:[0-9A-Fa-f]{5}([0-9A-Fa-f]{3}):")]
    private static partial Regex ErrorNumber();
}
