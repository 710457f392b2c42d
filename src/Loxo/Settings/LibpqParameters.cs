using System.Buffers.Text;
using System.Security.Cryptography;
using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>
/// What libpq has and the builder has no property for: details of TLS, parameters that no value but the usual one is built for, and two
/// environment variables that set what the session starts with. They are read wherever keywords are.
/// </summary>
internal static class LibpqParameters
{
    private const string Replication = "replication on an ordinary connection (there is `LogicalReplicationConnection`)";

    private static readonly TextFormat _anyText = new();

    public static readonly Keyword<string?> DateStyle = new("DateStyle", _anyText) { Variable = "PGDATESTYLE" };

    public static readonly Keyword<string?> Geqo = new("Geqo", _anyText) { Variable = "PGGEQO" };

    public static readonly Keyword<int> MinProtocolVersion = Version("min_protocol_version", "PGMINPROTOCOLVERSION");

    public static readonly Keyword<int> MaxProtocolVersion = Version("max_protocol_version", "PGMAXPROTOCOLVERSION");

    public static readonly Keyword<string?> OAuthIssuer = Text("oauth_issuer");

    public static readonly Keyword<string?> OAuthClientId = Text("oauth_client_id");

    public static readonly Keyword<string?> OAuthClientSecret = Text("oauth_client_secret", isSecret: true);

    public static readonly Keyword<string?> OAuthScope = Text("oauth_scope");

    public static readonly Keyword<ClientCertificateMode> SslCertificateMode = new("sslcertmode",
        new ChoiceFormat<ClientCertificateMode>(
            ("disable", ClientCertificateMode.Disable), ("allow", ClientCertificateMode.Allow), ("require", ClientCertificateMode.Require)),
        ClientCertificateMode.Allow)
    {
        LibpqName = "sslcertmode", Variable = "PGSSLCERTMODE",
    };

    public static readonly Keyword<string?> RevocationList = new("sslcrl", _anyText) { LibpqName = "sslcrl", Variable = "PGSSLCRL" };

    public static readonly Keyword<string?> RevocationDirectory =
        new("sslcrldir", _anyText) { LibpqName = "sslcrldir", Variable = "PGSSLCRLDIR" };

    public static readonly Keyword<bool> ServerName =
        new("sslsni", new FlagFormat(), true) { LibpqName = "sslsni", Variable = "PGSSLSNI" };

    public static readonly Keyword<TlsVersion?> LeastTlsVersion =
        new("ssl_min_protocol_version", TlsVersions()) { LibpqName = "ssl_min_protocol_version", Variable = "PGSSLMINPROTOCOLVERSION" };

    public static readonly Keyword<TlsVersion?> MostTlsVersion =
        new("ssl_max_protocol_version", TlsVersions()) { LibpqName = "ssl_max_protocol_version", Variable = "PGSSLMAXPROTOCOLVERSION" };

    public static readonly Keyword<string?> RequirePeer =
        new("requirepeer", _anyText) { LibpqName = "requirepeer", Variable = "PGREQUIREPEER" };

    public static readonly Keyword<bool> GssDelegation =
        new("gssdelegation", new FlagFormat(), false) { LibpqName = "gssdelegation", Variable = "PGGSSDELEGATION" };

    public static readonly Keyword<string?> ScramClientKey = ScramKey("scram_client_key");

    public static readonly Keyword<string?> ScramServerKey = ScramKey("scram_server_key");

    public static IReadOnlyList<Keyword> All { get; } =
    [
        DateStyle,
        Geqo,
        MinProtocolVersion,
        MaxProtocolVersion,
        OAuthIssuer,
        OAuthClientId,
        OAuthClientSecret,
        OAuthScope,
        SslCertificateMode,
        RevocationList,
        RevocationDirectory,
        ServerName,
        LeastTlsVersion,
        MostTlsVersion,
        RequirePeer,
        GssDelegation,
        ScramClientKey,
        ScramServerKey,
        Row("sslcompression", Limit.Only<string?>("compression of what TLS sends", "0", "1"), "PGSSLCOMPRESSION"),
        Row("sslkeylogfile", Limit.LeftOut<string?>("a log of the keys of TLS")),
        Row("gsslib", Limit.Only<string?>("another library for GSSAPI", "gssapi", "sspi"), "PGGSSLIB"),
        Row("replication", Limit.Only<string?>(Replication, "false", "off", "no", "0")),
    ];

    private static Keyword<int> Version(string name, string variable) =>
        new(name, new ChoiceFormat<int>(("3.0", ProtocolVersions.V30), ("3.2", ProtocolVersions.V32), ("latest", ProtocolVersions.V32)),
            ProtocolVersions.V30) { LibpqName = name, Variable = variable };

    private static Keyword<string?> Text(string name, bool isSecret = false) =>
        new(name, _anyText) { LibpqName = name, IsSecret = isSecret };

    private static Keyword<string?> ScramKey(string name) =>
        new(name, new TextFormat(CheckKey)) { LibpqName = name, IsSecret = true };

    private static string? CheckKey(string text) =>
        Base64.IsValid(text, out var length) && length == SHA256.HashSizeInBytes ? null : "a key of 32 bytes in base64";

    private static ChoiceFormat<TlsVersion?> TlsVersions() => new(
        ("TLSv1", TlsVersion.V10), ("TLSv1.1", TlsVersion.V11), ("TLSv1.2", TlsVersion.V12), ("TLSv1.3", TlsVersion.V13));

    private static Keyword<string?> Row(string name, Limit<string?> limit, string? variable = null) =>
        new(name, _anyText) { LibpqName = name, Variable = variable, Limit = limit };
}
