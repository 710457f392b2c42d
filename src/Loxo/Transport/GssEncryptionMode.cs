namespace Loxo;

/// <summary>Whether a connection is encrypted with GSSAPI (Kerberos).</summary>
public enum GssEncryptionMode
{
    /// <summary>Never use GSSAPI encryption. The default.</summary>
    Disable,

    /// <summary>Use it when there is a Kerberos ticket and the server can, and go on as 'SSL Mode' says otherwise.</summary>
    Prefer,

    /// <summary>Use it or fail.</summary>
    Require,
}
