namespace Loxo.Protocol.Authentication;

/// <summary>A set of authentication methods that the server may request (libpq's <c>require_auth</c>).</summary>
[Flags]
internal enum AuthenticationMethods
{
    /// <summary>The server asks for nothing (trust, peer, a client certificate). A method like the others, so a bit and not zero.</summary>
    None = 1,
    Password = 2,
    MD5 = 4,
    /// <summary>SCRAM-SHA-256, with or without channel binding.</summary>
    ScramSha256 = 8,
    Gss = 16,
    Sspi = 32,
    OAuth = 64,
    All = None | Password | MD5 | ScramSha256 | Gss | Sspi | OAuth,
}
