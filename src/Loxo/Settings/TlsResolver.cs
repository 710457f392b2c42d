using System.Security.Authentication;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>How TLS is used, by the keywords of TLS and the files in the user's home. The rules are on docs/tls.md.</summary>
/// <param name="text">The text of a keyword, wherever it is set; null if it is not.</param>
/// <param name="environment">Where the user's own files are.</param>
internal sealed class TlsResolver(Func<Keyword, string?> text, SettingsEnvironment environment)
{
    // libpq's word for the authorities of the system.
    private const string System = "system";

    public TlsSettings Resolve()
    {
        var root = Value(Keywords.RootCertificate);
        var mode = root is not null && text(Keywords.SslMode) is null ? SslMode.VerifyFull : Value(Keywords.SslMode);
        var path = root is System ? null : root ?? Existing(environment.DefaultRootCertificate, mode >= SslMode.VerifyCA);
        var (list, directory) = (Value(LibpqParameters.RevocationList), Value(LibpqParameters.RevocationDirectory));
        var settings = new TlsSettings
        {
            Mode = mode,
            IsModeGiven = text(Keywords.SslMode) is not null,
            Negotiation = Value(Keywords.SslNegotiation),
            RootCertificate = path,
            IsRootGiven = root is not null,
            CheckCertificateRevocation = Value(Keywords.CheckCertificateRevocation),
            RevocationList = list ?? Existing(environment.DefaultRevocationList, directory is null && path is not null),
            RevocationDirectory = directory,
            ClientCertificate = ClientCertificate(),
            ClientCertificateMode = Value(LibpqParameters.SslCertificateMode),
            SendsHostName = Value(LibpqParameters.ServerName),
            Protocols = Protocols(),
        };
        Check(settings, root);
        return settings;
    }

    private static void Check(TlsSettings settings, string? root)
    {
        if (root is System && settings.Mode != SslMode.VerifyFull)
            throw SettingsErrors.Contradiction(Keywords.RootCertificate,
                $"is 'system', to which anybody's certificate leads, so that 'SSL Mode={settings.Mode}' would not protect: "
                + "use 'SSL Mode=VerifyFull'.");
        if (settings is { Negotiation: SslNegotiation.Direct, Mode: < SslMode.Require })
            throw SettingsErrors.Contradiction(Keywords.SslNegotiation,
                $"is Direct, which leaves no way to go on without TLS, as 'SSL Mode={settings.Mode}' does: "
                + "use 'SSL Mode=Require' or stricter.");
        if (settings is { ClientCertificateMode: ClientCertificateMode.Require, Mode: SslMode.Disable })
            throw SettingsErrors.Contradiction(LibpqParameters.SslCertificateMode,
                "is 'require', but 'SSL Mode' is Disable: without TLS there are no certificates.");
    }

    private ClientCertificateSettings? ClientCertificate()
    {
        var key = Value(Keywords.SslKey);
        if ((Value(Keywords.SslCertificate) ?? Existing(environment.DefaultClientCertificate, true)) is { } path)
            return new(path, key, environment.DefaultClientKey, Value(Keywords.SslPassword));
        return key is null
            ? null
            : throw SettingsErrors.Contradiction(Keywords.SslKey, "is set, but no certificate: name its file in 'SSL Certificate'.");
    }

    private SslProtocols Protocols()
    {
        var (least, most) = (Value(LibpqParameters.LeastTlsVersion), Value(LibpqParameters.MostTlsVersion));
        if (most < TlsVersion.V12)
            throw SettingsErrors.Contradiction(LibpqParameters.MostTlsVersion, "is older than TLSv1.2, the oldest version that is safe.");
        if (least > most)
            throw SettingsErrors.Contradiction(LibpqParameters.LeastTlsVersion, "is newer than 'ssl_max_protocol_version'.");
        if (least is null && most is null)
            return SslProtocols.None;
        return (least is TlsVersion.V13 ? SslProtocols.None : SslProtocols.Tls12)
            | (most is TlsVersion.V12 ? SslProtocols.None : SslProtocols.Tls13);
    }

    private static string? Existing(string? path, bool matters) => matters && File.Exists(path) ? path : null;

    private T Value<T>(Keyword<T> keyword) => keyword.Read(text(keyword));
}
