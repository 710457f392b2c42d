namespace Loxo;

/// <summary>Whether a connection is encrypted with TLS, and how far the server's certificate is checked.</summary>
public enum SslMode
{
    /// <summary>Never encrypt.</summary>
    Disable,

    /// <summary>Try without encryption first; try with TLS if the server refuses that.</summary>
    Allow,

    /// <summary>
    /// Try with TLS first; go on without encryption if the server does not offer it, but never after it has encrypted once. The default.
    /// </summary>
    Prefer,

    /// <summary>
    /// Encrypt or fail. The certificate is not checked, so an active attacker can still listen in, unless a root certificate is named: then
    /// as <see cref="VerifyCA"/>.
    /// </summary>
    Require,

    /// <summary>Encrypt or fail, and the certificate must be signed by a trusted authority.</summary>
    VerifyCA,

    /// <summary>As <see cref="VerifyCA"/>, and the certificate must be made out to the host's name.</summary>
    VerifyFull,
}
