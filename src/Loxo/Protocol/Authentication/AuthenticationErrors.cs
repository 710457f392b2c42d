namespace Loxo.Protocol.Authentication;

/// <summary>The ways in which a login can fail on our side. No text shows a password, a salt, a nonce or a key.</summary>
internal static class AuthenticationErrors
{
    private const string Closed = "The connection has been closed.";

    public static PgException PasswordMissing(string method) => Failed(
        $"The server asks for a password ({method}) and there is none: set 'Password', PGPASSWORD or an entry in the passfile.");

    public static PgException PasswordUnusable(string problem) =>
        Failed($"The password {problem}; no PostgreSQL password can. Set another one.");

    public static PgException ChannelBindingWithoutTls() => NotPermitted(
        "'Channel Binding=Require' needs TLS, and this connection does not use it. Set 'SSL Mode=Require' or stricter, or "
        + "'Channel Binding=Prefer'.");

    public static PgException ChannelBindingNotOffered(string offered) => NotPermitted(
        $"'Channel Binding=Require' needs {SaslMechanisms.ScramSha256Plus}, but the server offers only {offered}. "
        + "PostgreSQL offers it over TLS since version 11, unless something in between ends the TLS connection. Connect to the server "
        + "itself, or set 'Channel Binding=Prefer'.");

    public static PgException CertificateWithoutHash() => NotPermitted(
        "'Channel Binding=Require' needs a server certificate whose signature algorithm names a hash that is available here; this one's "
        + "does not (Ed25519 and the like have none). Use a certificate signed with RSA or ECDSA and SHA-256, or set "
        + "'Channel Binding=Prefer'.");

    public static PgException PlusWithoutTls() => Failed(
        $"The server offers {SaslMechanisms.ScramSha256Plus}, which it does over TLS only, but this connection does not use TLS: " +
        "something in between has removed it. Set 'SSL Mode=VerifyFull' to find out, or connect to the server itself.");

    public static PgException OnlyPlusOffered() => NotPermitted(
        $"The server offers only {SaslMechanisms.ScramSha256Plus}, which 'Channel Binding=Disable' or a certificate without a hash "
        + "algorithm rules out. Set 'Channel Binding=Prefer', or use a certificate signed with RSA or ECDSA and SHA-256.");

    public static PgException NoMechanism(string offered) => NotPermitted(
        $"The server offers the SASL mechanisms {offered}; supported are {SaslMechanisms.ScramSha256} and "
        + $"{SaslMechanisms.ScramSha256Plus}. Change the method in the server's pg_hba.conf to 'scram-sha-256'.");

    public static PgException Malformed(string message, string problem) =>
        Failed($"SCRAM: the server's {message} message is malformed: {problem}.");

    public static PgException UnknownExtension() => Failed("SCRAM: the server demands an extension ('m=') that the driver does not know.");

    public static PgException ForeignNonce() => Failed(
        "SCRAM: the server's nonce does not continue ours, so its message belongs to another login: somebody may be replaying one.");

    public static PgException TooManyIterations(string asked) => Failed(string.Create(
        CultureInfo.InvariantCulture,
        $"SCRAM: the server asks for {asked} iterations; at most {ScramServerFirst.MostIterations} are accepted, since no time limit can "
        + $"interrupt them. Lower 'scram_iterations' on the server and set the password again."));

    public static PgException WrongServerSignature() => Failed(
        "SCRAM: the server could not prove that it knows the password: it is not the server that it claims to be, or its messages were "
        + "changed on the way.");

    /// <param name="value">The server's word for it, such as <c>invalid-proof</c>; printable ASCII.</param>
    public static PgException RefusedByServer(ReadOnlySpan<byte> value)
    {
        const int longest = 64;
        var word = Encoding.ASCII.GetString(value[..Math.Min(value.Length, longest)]);
        return Failed($"SCRAM: the server ended the login with the error '{word}'.");
    }

    public static PgException TokenUnusable() => Failed(
        "The OAuth token has characters that no bearer token can have (RFC 6750). Check what the token provider returns.");

    public static PgException MalformedRefusal(string problem) =>
        Failed($"OAuth: the server's reason for refusing the token is malformed: {problem}.");

    public static PgException OutOfOrder(string received, string expected) => new(
        $"Expected {expected} but the server sent {received}. {Closed}", PgErrorCode.ProtocolViolation);

    private static PgException NotPermitted(string problem) => new($"{problem} {Closed}", PgErrorCode.AuthenticationNotSupported);

    private static PgException Failed(string problem) => new($"{problem} {Closed}", PgErrorCode.AuthenticationFailed);
}
