namespace Loxo;

/// <summary>Whether SCRAM authentication is tied to the TLS connection it runs in, so that a man in the middle cannot relay it.</summary>
public enum ChannelBinding
{
    /// <summary>Never bind.</summary>
    Disable,

    /// <summary>Bind when TLS is used and the server offers it. The default.</summary>
    Prefer,

    /// <summary>Bind or fail: needs TLS and a server that offers SCRAM-SHA-256-PLUS.</summary>
    Require,
}
