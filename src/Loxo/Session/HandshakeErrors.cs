using System.Globalization;

namespace Loxo.Session;

/// <summary>Why a login cannot go on.</summary>
internal static class HandshakeErrors
{
    public static PgException NoPassword(string user) => new(
        $"The server asks for the password of '{user}', but none was given. "
        + "Set 'Password' in the connection string, PGPASSWORD, or a line in the password file.",
        PgErrorCode.AuthenticationFailed);

    public static PgException NoPasswordInTime() => new(
        "The password provider supplied no password before 'Timeout' was over.", PgErrorCode.Timeout, new TimeoutException());

    public static PgException PasswordProviderFailed(Exception cause) => new(
        $"The password provider failed: {cause.Message}", PgErrorCode.AuthenticationFailed, cause);

    public static PgException MethodNotAllowed(string method) => new(
        $"The server asks for {method}, which 'Require Auth' does not allow.", PgErrorCode.AuthenticationNotSupported);

    public static PgException MethodNotSupported(int method) => new(string.Create(CultureInfo.InvariantCulture,
        $"The server asks for authentication method {method} ({Name(method)}), which is not supported. ")
        + "Let pg_hba.conf use trust, password, md5 or scram-sha-256.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException NoChannelBinding() => new(
        "'Channel Binding=Require' asks for a login bound to the TLS connection, which only SCRAM-SHA-256-PLUS provides; "
        + "the server uses another method.",
        PgErrorCode.AuthenticationNotSupported);

    public static PgException NotVerified() => new(
        "The server ended the login without proving that it knows the password. It may not be the server it claims to be.",
        PgErrorCode.AuthenticationFailed);

    private static string Name(int method) => method switch
    {
        2 => "Kerberos V5",
        6 => "SCM credentials",
        7 or 8 => "GSSAPI",
        9 => "SSPI",
        _ => "unknown",
    };
}
