using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Loxo.Session;
using Loxo.Settings;
using Loxo.Transport;

namespace Loxo;

// TLS and logins in code: what the keywords cannot say. See docs/tls.md and docs/authentication.md.
public abstract partial class PgDataSourceBuilderBase<TBuilder>
{
    private TlsProgram _tls = TlsProgram.None;
    private CredentialFunctions? _tokens;
    private Action<NegotiateAuthenticationClientOptions>? _negotiateOptions;

    /// <summary>
    /// Changes the options of each TLS handshake after the driver has filled them in. In <see cref="SslMode.VerifyCA"/> and
    /// <see cref="SslMode.VerifyFull"/>, and with a root certificate, it must leave the check of the server's certificate alone: opening
    /// throws an <see cref="ArgumentException"/> otherwise.
    /// </summary>
    /// <param name="sslClientAuthenticationOptionsCallback">
    /// Called with the options on the thread that opens the connection; null for nothing.
    /// </param>
    public TBuilder UseSslClientAuthenticationOptionsCallback(
        Action<SslClientAuthenticationOptions>? sslClientAuthenticationOptionsCallback)
    {
        _tls = _tls with { Options = sslClientAuthenticationOptionsCallback };
        return Self;
    }

    /// <summary>Shows a certificate to servers that ask for one, in the place of 'SSL Certificate'.</summary>
    /// <param name="clientCertificate">With its private key; null for none.</param>
    public TBuilder UseClientCertificate(X509Certificate? clientCertificate) => UseClientCertificatesCallback(
        clientCertificate is null ? null : certificates => certificates.Add(clientCertificate));

    /// <summary>Shows the first fitting certificate to servers that ask for one, in the place of 'SSL Certificate'.</summary>
    /// <param name="clientCertificates">With their private keys; null for none.</param>
    public TBuilder UseClientCertificates(X509CertificateCollection? clientCertificates) => UseClientCertificatesCallback(
        clientCertificates is null ? null : certificates => certificates.AddRange(clientCertificates));

    /// <summary>Asks for the certificates of the client at each TLS handshake, in the place of 'SSL Certificate'.</summary>
    /// <param name="clientCertificatesCallback">Adds certificates to an empty collection; null for none.</param>
    public TBuilder UseClientCertificatesCallback(Action<X509CertificateCollection>? clientCertificatesCallback)
    {
        _tls = _tls with { ClientCertificates = clientCertificatesCallback };
        return Self;
    }

    /// <summary>
    /// Lets the program judge the server's certificate where the driver does not: without <see cref="SslMode.VerifyCA"/>,
    /// <see cref="SslMode.VerifyFull"/> and root certificates. A certificate that it refuses never leads to a connection in clear.
    /// </summary>
    /// <param name="userCertificateValidationCallback">Returns whether the certificate is good; null for no check.</param>
    public TBuilder UseUserCertificateValidationCallback(RemoteCertificateValidationCallback? userCertificateValidationCallback)
    {
        _tls = _tls with { Validation = userCertificateValidationCallback };
        return Self;
    }

    /// <summary>
    /// Trusts one authority alone, in the place of 'Root Certificate'. Where 'SSL Mode' is not set, this makes it
    /// <see cref="SslMode.VerifyFull"/>.
    /// </summary>
    /// <param name="rootCertificate">Null for the authorities of the settings.</param>
    public TBuilder UseRootCertificate(X509Certificate2? rootCertificate) =>
        UseRootCertificateCallback(rootCertificate is null ? null : () => rootCertificate);

    /// <summary>Trusts these authorities alone, in the place of 'Root Certificate'.</summary>
    /// <param name="rootCertificates">Null for the authorities of the settings.</param>
    /// <inheritdoc cref="UseRootCertificate"/>
    public TBuilder UseRootCertificates(X509Certificate2Collection? rootCertificates) =>
        UseRootCertificatesCallback(rootCertificates is null ? null : () => rootCertificates);

    /// <summary>Asks for the trusted authority at each TLS handshake, in the place of 'Root Certificate'.</summary>
    /// <param name="rootCertificateCallback">Returns it; null for the authorities of the settings.</param>
    /// <inheritdoc cref="UseRootCertificate"/>
    public TBuilder UseRootCertificateCallback(Func<X509Certificate2>? rootCertificateCallback) =>
        UseRootCertificatesCallback(rootCertificateCallback is null ? null : () => [rootCertificateCallback()]);

    /// <summary>Asks for the trusted authorities at each TLS handshake, in the place of 'Root Certificate'.</summary>
    /// <param name="rootCertificateCallback">Returns them; null for the authorities of the settings.</param>
    /// <inheritdoc cref="UseRootCertificate"/>
    public TBuilder UseRootCertificatesCallback(Func<X509Certificate2Collection>? rootCertificateCallback)
    {
        _tls = _tls with { Roots = rootCertificateCallback };
        return Self;
    }

    private ConnectionSettings WithTls(ConnectionSettings settings)
    {
        if (_tls == TlsProgram.None)
            return settings;
        var tls = settings.Transport.Tls.With(_tls);
        if (_tls.Validation is not null && tls.ChecksChain)
            throw TlsErrors.TwoChecks(tls);
        return settings with { Transport = settings.Transport with { Tls = tls }, Hosts = [.. settings.Hosts.Select(WithTls)] };
    }

    /// <summary>
    /// Asks functions for user and password, blocking or asynchronous as the connection is opened. A credential is used again until it
    /// expires (<see cref="PgCredential.ExpiresAt"/>), for each server by itself, and several logins ask once. If the server refuses it
    /// (28P01 or 28000), they are asked for another one, which is tried once.
    /// </summary>
    /// <param name="credentialProvider">
    /// Asked by <see cref="PgConnection.Open"/>. It may return null for what the connection string says.
    /// </param>
    /// <param name="credentialProviderAsync">Asked by <see cref="PgConnection.OpenAsync"/>.</param>
    /// <exception cref="ArgumentException">One of them is null and the other is not. Both null: none is asked.</exception>
    /// <exception cref="NotSupportedException">There is a periodic password provider.</exception>
    public TBuilder UseCredentialProvider(
        Func<PgCredentialRequest, PgCredential?>? credentialProvider,
        Func<PgCredentialRequest, CancellationToken, ValueTask<PgCredential?>>? credentialProviderAsync)
    {
        var functions = Functions(credentialProvider, credentialProviderAsync);
        CheckOnePasswordProvider(_arePasswordsPeriodic);
        _passwords = functions is null ? null : (time, _) => new CredentialProvider(functions, time);
        return Self;
    }

    /// <summary>
    /// Asks functions for the bearer token where the server uses the method oauth (PostgreSQL 18). Tokens are sent only over TLS to a
    /// server whose certificate is checked, or over a Unix socket. A token is used again until it expires; if the server refuses it, they
    /// are asked once more, with the address of the issuer as the server names it.
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
    /// <param name="negotiateOptionsCallback">
    /// Called for each login, perhaps on another thread. The login waits for it no longer than <c>Timeout</c>; what it throws is the cause
    /// of the login's error. Null for none.
    /// </param>
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
