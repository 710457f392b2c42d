namespace Loxo;

/// <summary>Which login a program is asked for a credential for. The last five properties matter to OAuth only.</summary>
public sealed record PgCredentialRequest
{
    /// <summary>The host as the connection string names it, or the directory of the Unix socket.</summary>
    public required string Host { get; init; }

    /// <summary>The port.</summary>
    public required int Port { get; init; }

    /// <summary>The database.</summary>
    public required string Database { get; init; }

    /// <summary>The role that the connection string names, or the credential before if it named one.</summary>
    public required string Username { get; init; }

    /// <summary>Whether the server has refused the last credential, so that a cached one is of no use. The default is false.</summary>
    public bool MustBeNew { get; init; }

    /// <summary>
    /// The address of the issuer's discovery document (OpenID Connect Discovery, RFC 8414) as the server names it. Null, the default, until
    /// the server has refused a token or the lack of one.
    /// </summary>
    public Uri? DiscoveryUri { get; init; }

    /// <summary>
    /// The scopes with spaces between them: 'oauth_scope' of the connection string, else those that the server names. Null for none.
    /// </summary>
    public string? Scope { get; init; }

    /// <summary>'oauth_issuer' of the connection string; null if it names none.</summary>
    public string? Issuer { get; init; }

    /// <summary>'oauth_client_id' of the connection string; null if it names none.</summary>
    public string? ClientId { get; init; }

    /// <summary>'oauth_client_secret' of the connection string; null if it names none.</summary>
    public string? ClientSecret { get; init; }

    /// <summary>Shows role, host and database, never a secret.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Username} at {Host}:{Port}/{Database}");
}
