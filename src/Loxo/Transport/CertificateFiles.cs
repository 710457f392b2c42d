using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>Reads certificates and keys. Every error names the keyword and the file, and no error shows a password.</summary>
internal static class CertificateFiles
{
    private const string KeyLabel = "PRIVATE KEY-----";
    private const string EncryptedKeyLabel = "-----BEGIN ENCRYPTED PRIVATE KEY-----";

    /// <summary>Authorities: a PEM file with one certificate or several.</summary>
    public static X509Certificate2Collection Roots(string path)
    {
        var (roots, text) = (new X509Certificate2Collection(), "");
        Try("Root Certificate", path, "as PEM", () => roots = PemBlocks.Certificates(text = Text(path)));
        return roots.Count > 0 ? roots : throw TlsErrors.FileUnusable("Root Certificate", path, NoCertificate(text));
    }

    /// <summary>The client's certificate with its key, and the certificates between it and its authority.</summary>
    public static SslStreamCertificateContext Client(ClientCertificateSettings settings)
    {
        var bytes = Read("SSL Certificate", settings.Path);
        var (own, others) = IsPem(bytes) ? FromPem(settings, Decoded(bytes)) : FromPkcs12(settings, bytes);
        // Offline, as a missing certificate must not be looked for in the network during a handshake.
        return SslStreamCertificateContext.Create(own, others, offline: true);
    }

    /// <summary>The files that <see cref="Client"/> reads.</summary>
    public static IEnumerable<string> OfClient(ClientCertificateSettings settings)
    {
        yield return settings.Path;
        if (settings.Key is not null && settings.Key != settings.Path)
            yield return settings.Key;
        if (settings.Key is null && settings.DefaultKey is { } other && File.Exists(other))
            yield return other;
    }

    /// <summary>Lists of revoked certificates: a PEM file, or a directory of them.</summary>
    public static IReadOnlyList<RevocationList> RevocationLists(string? path, string? directory)
    {
        var lists = new List<RevocationList>();
        foreach (var file in OfRevocations(path, directory))
        {
            var keyword = path == file ? "sslcrl" : "sslcrldir";
            Try(keyword, file, "as lists of revoked certificates", () => lists.AddRange(RevocationList.ReadPem(Text(file))));
        }
        return lists.Count > 0 ? lists : throw (path is not null
            ? TlsErrors.FileUnusable("sslcrl", path, "it holds no list of revoked certificates in PEM form.")
            : TlsErrors.FileUnusable("sslcrldir", directory!, "no file there is a list of revoked certificates in PEM form."));
    }

    /// <summary>The files that <see cref="RevocationLists"/> reads.</summary>
    public static IEnumerable<string> OfRevocations(string? path, string? directory)
    {
        var files = path is null ? [] : new List<string> { path };
        if (directory is not null)
            Try("sslcrldir", directory, "as a directory", () => files.AddRange(Directory.GetFiles(directory)));
        return files;
    }

    private static (X509Certificate2 Own, X509Certificate2Collection Others) FromPem(ClientCertificateSettings settings, string text)
    {
        var all = new X509Certificate2Collection();
        Try("SSL Certificate", settings.Path, "as PEM", () => all = PemBlocks.Certificates(text));
        if (all.Count == 0)
            throw TlsErrors.FileUnusable("SSL Certificate", settings.Path, NoCertificate(text));
        var path = KeyPath(settings, text);
        PrivateKeyFile.CheckAccess(path);
        var key = path == settings.Path ? text : Decoded(Read("SSL Key", path));
        var own = WithKey(settings, (text, path), key);
        all.RemoveAt(0);
        return (own, all);
    }

    private static string NoCertificate(string text) => text switch
    {
        "" => "it is empty.",
        ['0', ..] => "it holds no certificate in PEM form. If it is in DER form, convert it with 'openssl x509 -inform der'.",
        _ when text.Contains("-----BEGIN TRUSTED CERTIFICATE-----", StringComparison.Ordinal) =>
            "it holds a TRUSTED CERTIFICATE, a form of OpenSSL's own. Convert it with 'openssl x509'.",
        _ => "it holds no certificate in PEM form.",
    };

    private static string KeyPath(ClientCertificateSettings settings, string text)
    {
        if (settings.Key is { } key)
            return key;
        if (text.Contains(KeyLabel, StringComparison.Ordinal))
            return settings.Path;
        return settings.DefaultKey is { } other && File.Exists(other)
            ? other
            : throw TlsErrors.FileUnusable("SSL Certificate", settings.Path, "it holds no private key. Name the key's file in 'SSL Key'.");
    }

    private static X509Certificate2 WithKey(ClientCertificateSettings settings, (string Certificate, string KeyPath) of, string key)
    {
        var isEncrypted = key.Contains(EncryptedKeyLabel, StringComparison.Ordinal);
        if (key.Contains("Proc-Type: 4,ENCRYPTED", StringComparison.Ordinal))
            throw TlsErrors.FileUnusable("SSL Key", of.KeyPath,
                "it is encrypted in OpenSSL's old form. Convert it with 'openssl pkcs8 -topk8'.");
        if (!key.Contains(KeyLabel, StringComparison.Ordinal))
            throw TlsErrors.FileUnusable("SSL Key", of.KeyPath, "it holds no private key in PEM form.");
        if (isEncrypted && string.IsNullOrEmpty(settings.Password))
            throw TlsErrors.FileUnusable("SSL Key", of.KeyPath, "the key is encrypted. Set 'SSL Password'.");
        try
        {
            return Usable(isEncrypted
                ? X509Certificate2.CreateFromEncryptedPem(of.Certificate, key, settings.Password)
                : X509Certificate2.CreateFromPem(of.Certificate, key));
        }
        catch (Exception e) when (e is CryptographicException or ArgumentException)
        {
            throw TlsErrors.FileUnusable("SSL Key", of.KeyPath,
                IsOfAnother(e) ? $"the key does not match the certificate in {settings.Path}."
                : isEncrypted ? "'SSL Password' does not decrypt the key. If it is the right one, the key may be encrypted with scrypt, "
                    + "which .NET does not know: convert it with 'openssl pkcs8 -topk8'."
                : "the key cannot be read; expected PKCS #8, PKCS #1 or SEC 1 in PEM form.", e);
        }
    }

    // .NET has one message for everything, and says more in the exceptions inside: ArgumentException for the key of another certificate,
    // none for a key of another kind in a form of its own, and this message for one of another kind in the common form.
    private static bool IsOfAnother(Exception e) => e is ArgumentException || e.InnerException is ArgumentException
        || (e.InnerException is null && e.Message.Contains("match", StringComparison.Ordinal))
        || (e.InnerException ?? e).Message.Contains("not a valid public or private key", StringComparison.Ordinal);

    private static (X509Certificate2 Own, X509Certificate2Collection Others) FromPkcs12(ClientCertificateSettings settings, byte[] bytes)
    {
        const string keyword = "SSL Certificate";
        X509Certificate2Collection all;
        try
        {
            all = X509CertificateLoader.LoadPkcs12Collection(bytes, settings.Password);
        }
        catch (CryptographicException e)
        {
            throw TlsErrors.FileUnusable(keyword, settings.Path,
                !e.Message.Contains("password", StringComparison.Ordinal) ? "it is neither PEM nor PKCS #12."
                : settings.Password is null ? "it needs a password. Set 'SSL Password'." : "'SSL Password' does not decrypt it.", e);
        }
        var own = all.FirstOrDefault(static certificate => certificate.HasPrivateKey)
            ?? throw TlsErrors.FileUnusable(keyword, settings.Path, "it holds no private key.");
        all.Remove(own);
        return (own, all);
    }

    // Windows does not use keys in TLS that are in memory alone.
    private static X509Certificate2 Usable(X509Certificate2 certificate)
    {
        if (!OperatingSystem.IsWindows())
            return certificate;
        using (certificate)
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
    }

    private static bool IsPem(byte[] bytes) => bytes.AsSpan().IndexOf("-----BEGIN "u8) >= 0;

    private static string Text(string path) => Decoded(File.ReadAllBytes(path));

    // Editors on Windows begin a text with the mark of UTF-8, behind which .NET sees no PEM.
    private static string Decoded(byte[] bytes) => Encoding.UTF8.GetString(bytes).TrimStart('\uFEFF');

    private static byte[] Read(string keyword, string path)
    {
        var bytes = Array.Empty<byte>();
        Try(keyword, path, "", () => bytes = File.ReadAllBytes(path));
        return bytes;
    }

    private static void Try(string keyword, string path, string how, Action read)
    {
        try
        {
            read();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw TlsErrors.FileUnusable(keyword, path, $"it cannot be read{(how.Length > 0 ? " " + how : "")}: {e.Message}", e);
        }
    }
}
