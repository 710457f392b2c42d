using System.Net.Security;

namespace Loxo.Session;

/// <summary>Functions of a program that take part in logins; each null for none.</summary>
/// <param name="Tokens">They supply OAuth tokens.</param>
/// <param name="Negotiate">It changes the options of a login with GSSAPI or SSPI.</param>
internal sealed record LoginFunctions(CredentialFunctions? Tokens, Action<NegotiateAuthenticationClientOptions>? Negotiate)
{
    /// <summary>Adds them to the context of a new data source.</summary>
    public void AddTo(SessionContext context)
    {
        context.Tokens = Tokens is null ? null : new OAuthTokens(Tokens, context.Time);
        context.NegotiateOptions = Negotiate;
    }
}
