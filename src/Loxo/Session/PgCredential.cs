namespace Loxo;

/// <summary>
/// The secret that a program logs in with: see <c>UseCredentialProvider</c> and <c>UseOAuthTokenProvider</c> of the data source's builder.
/// </summary>
/// <param name="secret">The password or the OAuth token.</param>
/// <param name="expiresAt">
/// The moment from which on new logins ask for another one; null, the default, asks for each login. Connections that are open stay so.
/// </param>
/// <param name="username">The role to log in as; null, the default, for that of the connection string. A token has none.</param>
/// <exception cref="ArgumentNullException">The secret is null.</exception>
public sealed class PgCredential(string secret, DateTimeOffset? expiresAt = null, string? username = null)
{
    /// <summary>The password or the OAuth token.</summary>
    public string Secret { get; } = secret ?? throw new ArgumentNullException(nameof(secret));

    /// <summary>The moment from which on new logins ask for another one; null: each login asks.</summary>
    public DateTimeOffset? ExpiresAt { get; } = expiresAt;

    /// <summary>The role to log in as; null for that of the connection string.</summary>
    public string? Username { get; } = username;

    /// <summary>Shows the name and the expiry, never the secret.</summary>
    public override string ToString() => ExpiresAt is { } end
        ? string.Create(CultureInfo.InvariantCulture, $"{Username ?? "(user of the connection string)"}, until {end:u}")
        : Username ?? "(user of the connection string)";
}
