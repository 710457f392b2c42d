namespace Loxo.Session;

/// <summary>
/// Checks the issuer that a server names. A server in the hands of somebody else could name an issuer of its own, to which the program
/// would then show what it logs in with there (RFC 9207, "mix-up").
/// </summary>
internal static class OAuthIssuer
{
    private const string WellKnown = "/.well-known/";
    private static readonly string[] _documents = ["openid-configuration", "oauth-authorization-server"];

    /// <summary>The address of the discovery document; null if the server names none.</summary>
    /// <param name="discoveryUri">The address as the server names it.</param>
    /// <param name="issuer">The issuer, or its discovery document, as the connection string names it; null for any.</param>
    /// <exception cref="PgException">It is no HTTPS address of such a document, or that of another issuer.</exception>
    public static Uri? Checked(string? discoveryUri, string? issuer)
    {
        if (discoveryUri is null)
            return null;
        if (!Uri.TryCreate(discoveryUri, UriKind.Absolute, out var uri) || uri.Scheme != Uri.UriSchemeHttps
            || IssuerOf(discoveryUri) is not { } named)
            throw HandshakeErrors.IssuerUnusable(discoveryUri);
        var isExpected = issuer is null
            || string.Equals(issuer.Contains(WellKnown, StringComparison.Ordinal) ? discoveryUri : named, issuer, StringComparison.Ordinal);
        return isExpected ? uri : throw HandshakeErrors.OtherIssuer(named, issuer!);
    }

    // The document stands behind the issuer's path (OpenID Connect Discovery, 4) or between host and path (RFC 8414, 3).
    private static string? IssuerOf(string discoveryUri)
    {
        var start = discoveryUri.IndexOf(WellKnown, StringComparison.Ordinal);
        if (start < 0)
            return null;
        var rest = discoveryUri[(start + WellKnown.Length)..];
        var document = _documents.FirstOrDefault(name => rest == name || rest.StartsWith(name + "/", StringComparison.Ordinal));
        return document is null ? null : discoveryUri[..start] + rest[document.Length..];
    }
}
