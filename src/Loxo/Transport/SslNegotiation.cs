namespace Loxo;

/// <summary>How a connection gets from plain TCP to TLS.</summary>
public enum SslNegotiation
{
    /// <summary>Ask the server with an SSLRequest message first: works with every server version. The default.</summary>
    Postgres,

    /// <summary>Start TLS at once, one round trip less: needs PostgreSQL 17 and <see cref="SslMode.Require"/> or stricter.</summary>
    Direct,
}
