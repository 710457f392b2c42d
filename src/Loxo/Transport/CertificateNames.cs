using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>
/// Whether a certificate is made out to a host, by libpq's rules (fe-secure-common.c and fe-secure-openssl.c): the alternative names count,
/// and the common name only where none of them is of the host's kind, a name or an address. A '*' is the whole first label, and stands for
/// one label.
/// </summary>
/// <remarks>
/// SslStream compares as the operating system does. On Linux that is without '*.internal' and without '*.shop.example' for 'db_1', and an
/// address fits the common name whatever other addresses the certificate is for.
/// </remarks>
internal static class CertificateNames
{
    private const string CommonName = "2.5.4.3";

    public static bool Fit(X509Certificate2 certificate, string host)
    {
        var alternatives = certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>().ToList();
        var names = alternatives.SelectMany(static one => one.EnumerateDnsNames()).ToList();
        if (!IPAddress.TryParse(host, out var address))
            return ToAscii(host) is { } ascii && (names.Count > 0 ? names : Common(certificate)).Any(name => FitsName(name, ascii));
        var addresses = alternatives.SelectMany(static one => one.EnumerateIPAddresses()).ToList();
        return addresses.Contains(address)
            || (addresses.Count > 0 ? names : names.Concat(Common(certificate))).Any(name => Ascii.EqualsIgnoreCase(name, host));
    }

    private static bool FitsName(string name, string host) =>
        Ascii.EqualsIgnoreCase(name, host)
        || (name.StartsWith("*.", StringComparison.Ordinal) && name.Length > 2
            && host.IndexOf('.') is > 0 and var end && Ascii.EqualsIgnoreCase(name.AsSpan(1), host.AsSpan(end)));

    // The first one, or none.
    private static IEnumerable<string> Common(X509Certificate2 certificate) =>
        certificate.SubjectName.EnumerateRelativeDistinguishedNames(reversed: false)
            .Where(static part => !part.HasMultipleElements && part.GetSingleElementType().Value == CommonName)
            .Select(static part => part.GetSingleElementValue() ?? "").Take(1);

    // As it stands in certificates; null if it can stand in none.
    private static string? ToAscii(string host)
    {
        var name = host.EndsWith('.') ? host[..^1] : host;
        try
        {
            return Ascii.IsValid(name) ? name : new IdnMapping().GetAscii(name);
        }
        catch (ArgumentException)
        {
            return null;
        }
    }
}
