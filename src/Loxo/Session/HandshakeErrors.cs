using System.Net.Security;
using System.Text;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Why a login cannot go on.</summary>
internal static class HandshakeErrors
{
    /// <summary>The server's reason for refusing a login, with where that was and what to change.</summary>
    public static PostgresException Refused(PostgresException error, SessionContext context) => error.AddNote(
        $" (logging in to {context.Transport.Host}, database '{context.Settings.Database}'). {Advice(error.SqlState)}".TrimEnd());

    /// <summary>The error that ended the connection before the login was over, with where that was.</summary>
    public static Exception NotLoggedIn(HostAddress host, Exception error) =>
        error is PgException
        {
            Code: PgErrorCode.ConnectionClosed or PgErrorCode.ProtocolViolation
                or PgErrorCode.AuthenticationFailed or PgErrorCode.AuthenticationNotSupported
        } lost && !lost.Message.Contains(host.ToString(), StringComparison.Ordinal)
            ? new PgException($"Logging in to {host} failed: {lost.Message}", lost.Code, lost.InnerException)
            : error;

    /// <summary>The answer is text, which no message of the protocol is.</summary>
    public static PgException NotPostgres(ReadOnlySpan<byte> text)
    {
        var end = text.IndexOfAnyExceptInRange((byte)' ', (byte)'~');
        var line = Encoding.ASCII.GetString(text[..Math.Min(end < 0 ? text.Length : end, 60)]);
        return new(
            $"It does not speak PostgreSQL's protocol: it answers '{line}'. Check 'Host' and 'Port'.", PgErrorCode.ProtocolViolation);
    }

    public static PgException NoPassword(string user) => new(
        $"The server asks for the password of '{user}', but none was given. "
        + "Set 'Password' in the connection string, PGPASSWORD, or a line in the password file.",
        PgErrorCode.AuthenticationFailed);

    public static PgException NoPasswordInTime() => new(
        "The password provider supplied no password before 'Timeout' was over.", PgErrorCode.Timeout, new TimeoutException());

    public static PgException PasswordProviderFailed(Exception cause) => new(
        $"The password provider failed: {cause.Message}", PgErrorCode.AuthenticationFailed, cause);

    public static PgException NegotiateOptionsCallbackFailed(Exception cause) => new(
        $"The negotiate options callback failed: {cause.Message}", PgErrorCode.AuthenticationFailed, cause);

    public static PgException MethodNotAllowed(string method) => new(
        $"The server asks for {method}, which 'Require Auth' does not allow.", PgErrorCode.AuthenticationNotSupported);

    public static PgException MethodNotSupported(int method) => new(string.Create(CultureInfo.InvariantCulture,
        $"The server asks for authentication method {method} ({Name(method)}), which is not supported. ")
        + "Let pg_hba.conf use scram-sha-256, gss, cert or oauth.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException NoChannelBinding() => new(
        "'Channel Binding=Require' asks for a login bound to the TLS connection, which only SCRAM-SHA-256-PLUS provides; "
        + "the server uses another method.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException NotVerified() => new(
        "The server ended the login without proving that it knows the password. It may not be the server it claims to be.",
        PgErrorCode.AuthenticationFailed);

    public static PgException NoGssLibrary(Exception cause) => new(
        $"The server asks for GSSAPI, and its library cannot be used: {cause.Message} "
        + "Install it (on Debian: apt-get install libgssapi-krb5-2), or let pg_hba.conf use another method.",
        PgErrorCode.AuthenticationNotSupported, cause);

    public static PgException GssFailed(HostAddress host, string target, NegotiateAuthenticationStatusCode status) => new(
        $"The server at {host} asks for GSSAPI, and there is no Kerberos ticket for '{target}' ({status}). {Advice(status)}",
        PgErrorCode.AuthenticationFailed);

    public static PgException GssEncryptionRefused(HostAddress host) => new(
        $"'GSS Encryption Mode=Require' asks for GSSAPI encryption, but the server at {host} does not offer it. "
        + "Set 'krb_server_keyfile' in its configuration, or use 'GSS Encryption Mode=Prefer'.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException GssEncryptionFailed(HostAddress host) => new(
        $"The server at {host} closed the connection during the handshake of GSSAPI encryption; its log says why. "
        + "Check 'krb_server_keyfile' in its configuration, and that the file has the key of the server's current name.",
        PgErrorCode.AuthenticationFailed);

    public static PgException NoTokenProvider() => new(
        "The server asks for an OAuth token: call UseOAuthTokenProvider on the data source's builder.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException NoToken() => new(
        "The server asks for an OAuth token, and the token provider has supplied none.", PgErrorCode.AuthenticationFailed);

    public static PgException TokenNeedsTls(SslMode mode) => new(
        "The server asks for an OAuth token, which is sent only over TLS to a server whose certificate is checked. "
        + $"Set 'SSL Mode=VerifyFull' instead of {mode}.", PgErrorCode.AuthenticationNotSupported);

    public static PgException IssuerUnusable(string discoveryUri) => new(
        $"The server says that OAuth tokens come from '{discoveryUri}', which is no HTTPS address of a discovery document.",
        PgErrorCode.AuthenticationFailed);

    public static PgException OtherIssuer(string named, string expected) => new(
        $"The server wants OAuth tokens of the issuer '{named}', and 'oauth_issuer' is '{expected}'. No token was asked for.",
        PgErrorCode.AuthenticationFailed);

    private static string Advice(string sqlState) => sqlState switch
    {
        SqlStates.InvalidPassword => "Check 'Username' and 'Password', PGPASSWORD or the password file.",
        SqlStates.InvalidAuthorizationSpecification =>
            "Check that the role may log in, and that pg_hba.conf has a line for this address, role, database and encryption.",
        SqlStates.InvalidCatalogName => "Check 'Database'.",
        SqlStates.InsufficientPrivilege => "Ask for the privilege to connect: GRANT CONNECT ON DATABASE.",
        SqlStates.TooManyConnections =>
            "Lower 'Maximum Pool Size' in the programs that use the server, or raise its 'max_connections' or the role's limit.",
        SqlStates.CannotConnectNow =>
            "The server is starting, stopping or recovering: try again later. A standby takes logins only with 'hot_standby=on'.",
        _ => "",
    };

    private static string Advice(NegotiateAuthenticationStatusCode status) => status switch
    {
        NegotiateAuthenticationStatusCode.TargetUnknown =>
            "Add that principal to the ticket server, or set 'Kerberos Service Name' and 'Host' to the names that it knows.",
        NegotiateAuthenticationStatusCode.Unsupported =>
            "The GSSAPI library or its Kerberos mechanism is missing (on Debian: apt-get install libgssapi-krb5-2).",
        _ => "Run kinit, or check the ticket cache (KRB5CCNAME, klist), the host's name and the clocks.",
    };

    private static string Name(int method) => method switch
    {
        2 => "Kerberos V5",
        6 => "SCM credentials",
        8 => "GSSAPI without a beginning",
        _ => "unknown",
    };
}
