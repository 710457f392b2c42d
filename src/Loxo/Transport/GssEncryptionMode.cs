namespace Loxo;

/// <summary>Whether a connection is encrypted with GSSAPI (Kerberos).</summary>
public enum GssEncryptionMode
{
    /// <summary>Never use GSSAPI encryption.</summary>
    Disable,

    /// <summary>Use it when both sides can, and go on without it otherwise. The default.</summary>
    Prefer,

    /// <summary>Use it or fail.</summary>
    Require,
}
