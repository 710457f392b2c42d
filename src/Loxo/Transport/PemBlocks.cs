using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>Finds the certificates, or other objects, of a PEM text. Unlike .NET, it does not pass over damaged ones.</summary>
internal static class PemBlocks
{
    private const string Begin = "-----BEGIN ", Dashes = "-----";

    /// <exception cref="CryptographicException">One is damaged; the message says which, and how.</exception>
    public static X509Certificate2Collection Certificates(string text) =>
        [.. Read(text, "CERTIFICATE", "certificate", static bytes => X509CertificateLoader.LoadCertificate(bytes))];

    /// <summary>The objects with a label in their order; others are passed over.</summary>
    /// <param name="text">The content of the file.</param>
    /// <param name="label">The word behind BEGIN.</param>
    /// <param name="noun">What an error calls the object.</param>
    /// <param name="parse">Makes the object of its bytes.</param>
    /// <exception cref="CryptographicException">One is damaged; the message says which, and how.</exception>
    public static List<T> Read<T>(string text, string label, string noun, Func<byte[], T> parse)
    {
        var (start, end, found) = ($"{Begin}{label}{Dashes}", $"-----END {label}{Dashes}", new List<T>());
        for (var at = Next(text, start, 0); at >= 0; at = Next(text, start, at))
        {
            var which = $"{noun} {found.Count + 1}, which begins in line {text.AsSpan(0, at).Count('\n') + 1},";
            at += start.Length;
            var length = text.AsSpan(at).IndexOf(end, StringComparison.Ordinal);
            if (length < 0 || text.AsSpan(at, length).Contains(Begin, StringComparison.Ordinal))
                throw new CryptographicException($"{which} is cut off: its line '{end}' is missing.");
            try
            {
                found.Add(parse(Convert.FromBase64String(text.Substring(at, length))));
            }
            catch (FormatException e)
            {
                throw new CryptographicException($"{which} is damaged: it is not in base64.", e);
            }
            catch (CryptographicException e)
            {
                throw new CryptographicException($"{which} is damaged: {e.Message}", e);
            }
            at += length;
        }
        return found;
    }

    // At the beginning of a line, which may be indented.
    private static int Next(string text, string start, int from)
    {
        var at = text.IndexOf(start, from, StringComparison.Ordinal);
        while (at > 0 && !char.IsWhiteSpace(text[at - 1]))
            at = text.IndexOf(start, at + 1, StringComparison.Ordinal);
        return at;
    }
}
