using System.Net.Security;
using Loxo.Session;

namespace Loxo;

// How connections of the data source log in.
public abstract partial class PgDataSourceBuilderBase<TBuilder>
{
    private CredentialFunctions? _tokens;
    private Action<NegotiateAuthenticationClientOptions>? _negotiateOptions;

    /// <summary>
    /// Asks functions for user and password, blocking or asynchronous as the connection is opened. A credential is used again until it
    /// expires (<see cref="PgCredential.ExpiresAt"/>), for each server by itself, and several logins ask once. If the server refuses it
    /// (28P01 or 28000), they are asked for another one, which is tried once.
    /// </summary>
    /// <param name="credentialProvider">Asked by <see cref="PgConnection.Open"/>. It may return null for what the connection string says.</param>
    /// <param name="credentialProviderAsync">Asked by <see cref="PgConnection.OpenAsync"/>.</param>
    /// <exception cref="ArgumentException">One of them is null and the other is not. Both null: none is asked.</exception>
    /// <exception cref="NotSupportedException">There is a periodic password provider.</exception>
    public TBuilder UseCredentialProvider(
        Func<PgCredentialRequest, PgCredential?>? credentialProvider,
        Func<PgCredentialRequest, CancellationToken, ValueTask<PgCredential?>>? credentialProviderAsync)
    {
        var functions = Functions(credentialProvider, credentialProviderAsync);
        CheckOnePasswordProvider(_arePasswordsPeriodic);
        _passwords = functions is null ? null : time => new CredentialProvider(functions, time);
        return Self;
    }

    /// <summary>
    /// Asks functions for the bearer token where the server uses the method oauth (PostgreSQL 18). Tokens are sent only over TLS to a server
    /// whose certificate is checked, or over a Unix socket. A token is used again until it expires; if the server refuses it, they are asked
    /// once more, with the address of the issuer as the server names it.
    /// </summary>
    /// <param name="tokenProvider">
    /// Asked by <see cref="PgConnection.Open"/>. If it returns null at first, the server is asked where tokens come from, and it is asked
    /// again with <see cref="PgCredentialRequest.DiscoveryUri"/>.
    /// </param>
    /// <param name="tokenProviderAsync">Asked by <see cref="PgConnection.OpenAsync"/>.</param>
    /// <exception cref="ArgumentException">One of them is null and the other is not. Both null: none is asked.</exception>
    public TBuilder UseOAuthTokenProvider(
        Func<PgCredentialRequest, PgCredential?>? tokenProvider,
        Func<PgCredentialRequest, CancellationToken, ValueTask<PgCredential?>>? tokenProviderAsync)
    {
        _tokens = Functions(tokenProvider, tokenProviderAsync);
        return Self;
    }

    /// <summary>Changes the options of logins with GSSAPI (Kerberos) or SSPI, such as the credential or the name of the server.</summary>
    /// <param name="negotiateOptionsCallback">Called for each login; null for none.</param>
    public TBuilder UseNegotiateOptionsCallback(Action<NegotiateAuthenticationClientOptions>? negotiateOptionsCallback)
    {
        _negotiateOptions = negotiateOptionsCallback;
        return Self;
    }

    private static CredentialFunctions? Functions(
        Func<PgCredentialRequest, PgCredential?>? blocking, Func<PgCredentialRequest, CancellationToken, ValueTask<PgCredential?>>? async)
    {
        if (blocking is null != async is null)
            throw new ArgumentException("Give both a blocking and an asynchronous provider, or none.");
        return blocking is null ? null : new CredentialFunctions(blocking, async!);
    }
}
