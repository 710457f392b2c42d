namespace Loxo.Protocol;

/// <summary>The transaction status in ReadyForQuery.</summary>
internal enum TransactionStatus : byte
{
    /// <summary>Not in a transaction block.</summary>
    Idle,

    /// <summary>In a transaction block.</summary>
    InTransaction,

    /// <summary>In a failed transaction block: everything but ROLLBACK is refused.</summary>
    Failed,
}
