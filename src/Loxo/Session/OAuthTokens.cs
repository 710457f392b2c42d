using Loxo.Protocol.Authentication;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>The bearer tokens that a program supplies for its logins.</summary>
internal sealed class OAuthTokens(CredentialFunctions functions, TimeProvider time)
{
    private readonly ExpiringCredential _last = new(functions, time);

    /// <summary>Asks for the token of one login.</summary>
    /// <param name="context">Where to log in.</param>
    /// <param name="former">The login before, whose token was refused; null for none.</param>
    /// <exception cref="PgException">The server names another issuer than the connection string does.</exception>
    public TokenRequest Request(SessionContext context, RefusedToken? former) => new(_last, RequestOf(context, former), former?.Token);

    private static PgCredentialRequest RequestOf(SessionContext context, RefusedToken? former)
    {
        var oauth = context.Settings.OAuth;
        return new()
        {
            Host = context.Transport.Host.Host,
            Port = context.Transport.Host.Port,
            Database = context.Settings.Database,
            Username = context.Settings.User,
            MustBeNew = former?.Token is not null,
            DiscoveryUri = former is null ? null : OAuthIssuer.Checked(former.Refusal.DiscoveryUri, oauth.Issuer),
            Scope = oauth.Scope ?? former?.Refusal.Scope,
            Issuer = oauth.Issuer,
            ClientId = oauth.ClientId,
            ClientSecret = oauth.ClientSecret,
        };
    }

    internal sealed class TokenRequest(ExpiringCredential last, PgCredentialRequest request, PgCredential? refused) : CredentialRequest
    {
        /// <summary>The token; null if the program has none.</summary>
        public PgCredential? Token { get; private set; }

        public override byte[] Get(Deadline limit) => FirstMessage(last.Get(request, refused, limit));

        public override async ValueTask<byte[]> GetAsync(Deadline limit, CancellationToken token) =>
            FirstMessage(await last.GetAsync(request, refused, limit, token).ConfigureAwait(false));

        // Without a token the server is asked where tokens come from, which it tells once.
        private byte[] FirstMessage(PgCredential? token)
        {
            if (token is not { Secret.Length: > 0 } && request.DiscoveryUri is not null)
                throw HandshakeErrors.NoToken();
            Token = token;
            return OAuthBearer.ClientFirst(token?.Secret ?? "");
        }
    }
}

/// <summary>A token that the server has refused, and its reason.</summary>
/// <param name="Token">Null if the login had none.</param>
/// <param name="Refusal">The reason.</param>
internal sealed record RefusedToken(PgCredential? Token, OAuthRefusal Refusal);

/// <summary>What the connection string says of OAuth; each null where it says nothing.</summary>
internal sealed record OAuthSettings(string? Issuer, string? ClientId, string? ClientSecret, string? Scope)
{
    public override string ToString() => $"Issuer = {Issuer}, ClientId = {ClientId}, Scope = {Scope}";
}
