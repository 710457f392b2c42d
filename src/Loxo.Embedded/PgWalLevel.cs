namespace Loxo.Embedded;

/// <summary>The server's <c>wal_level</c>: how much is written to the write-ahead log.</summary>
public enum PgWalLevel
{
    /// <summary>
    /// What a restart after a crash needs, nothing more. Also sets <c>max_wal_senders = 0</c>, which the server then demands.
    /// </summary>
    Minimal,

    /// <summary>What physical replication needs as well. The server's own default.</summary>
    Replica,

    /// <summary>What logical decoding needs as well.</summary>
    Logical,
}
