namespace Loxo;

/// <summary>What else a transaction is, besides its isolation level.</summary>
[Flags]
public enum PgTransactionOptions
{
    /// <summary>Nothing: the server's defaults.</summary>
    None = 0,

    /// <summary>READ ONLY: writing is refused.</summary>
    ReadOnly = 1,

    /// <summary>DEFERRABLE: with Serializable and ReadOnly, waits for a snapshot that can never fail (manual, SET TRANSACTION).</summary>
    Deferrable = 2,
}
