using System.Net.Security;
using System.Security.Principal;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// The client's side of a GSSAPI or SSPI login (RFC 2743): tokens go back and forth until both sides know each other. The system's
/// library makes them, and may ask the ticket server (KDC) for it.
/// </summary>
internal sealed class GssLogin : IDisposable
{
    public const string Kerberos = "Kerberos";
    public const string Negotiate = "Negotiate";

    private readonly NegotiateAuthenticationClientOptions _options;
    private readonly Action<NegotiateAuthenticationClientOptions>? _callback;
    private readonly HostAddress _host;
    private NegotiateAuthentication? _authentication;
    private volatile bool _isDisposed;

    /// <summary>A login that has not begun.</summary>
    /// <param name="package"><see cref="Kerberos"/> or <see cref="Negotiate"/>.</param>
    /// <param name="context">Whose server is logged in to.</param>
    /// <param name="protection">What the tokens have to agree on: encryption, or nothing.</param>
    public GssLogin(string package, SessionContext context, ProtectionLevel protection)
    {
        _host = context.Transport.Host;
        _callback = context.NegotiateOptions;
        _options = new NegotiateAuthenticationClientOptions
        {
            Package = package,
            TargetName = $"{context.Settings.KerberosServiceName}/{_host.Host}",
            RequiredProtectionLevel = protection,
            // Otherwise anybody who listens at the address could accept the ticket unseen.
            RequireMutualAuthentication = true,
        };
        if (context.Settings.DelegatesCredentials)
            _options.AllowedImpersonationLevel = TokenImpersonationLevel.Delegation;
    }

    /// <summary>Whether both sides have proved who they are.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>The library that encrypts and decrypts once the login is complete.</summary>
    public NegotiateAuthentication Authentication => _authentication!;

    /// <summary>The next token for the server.</summary>
    /// <param name="challenge">The server's token; empty at the beginning.</param>
    public CredentialRequest Next(byte[] challenge) => new TokenRequest(this, challenge);

    public void Dispose()
    {
        _isDisposed = true;
        _authentication?.Dispose();
    }

    private byte[] NextToken(byte[] challenge)
    {
        if (_authentication is null)
            Configure();
        byte[]? token;
        NegotiateAuthenticationStatusCode status;
        try
        {
            // With a user and password of the options, its constructor asks the ticket server.
            _authentication ??= new NegotiateAuthentication(_options);
            token = _authentication.GetOutgoingBlob(challenge, out status);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Where the library is missing .NET throws one of several exceptions.
            throw HandshakeErrors.NoGssLibrary(e);
        }
        if (_isDisposed)
            _authentication.Dispose(); // nobody waits any more
        IsComplete = status == NegotiateAuthenticationStatusCode.Completed;
        return IsComplete || status == NegotiateAuthenticationStatusCode.ContinueNeeded
            ? token ?? []
            : throw HandshakeErrors.GssFailed(_host, _options.TargetName ?? "", status);
    }

    private void Configure()
    {
        try
        {
            _callback?.Invoke(_options);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            throw HandshakeErrors.NegotiateOptionsCallbackFailed(e);
        }
    }

    private sealed class TokenRequest(GssLogin login, byte[] challenge) : CredentialRequest
    {
        public override byte[] Get(Deadline limit) =>
            AbandonableCall.TryRun(() => login.NextToken(challenge), "Loxo GSSAPI", limit.NextWait, out var token)
                ? token
                : throw SessionErrors.OpenTimedOut(login._host, "asking for a Kerberos ticket");

        public override async ValueTask<byte[]> GetAsync(Deadline limit, CancellationToken token)
        {
            try
            {
                // A thread of the pool, which is abandoned when the time is over.
                return await Task.Run(() => login.NextToken(challenge), token).WaitAsync(limit.Left, token).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                throw SessionErrors.OpenTimedOut(login._host, "asking for a Kerberos ticket");
            }
        }
    }
}
