namespace Loxo.Protocol;

/// <summary>What ReadyForQuery says about the session's transaction.</summary>
internal enum TransactionStatus : byte
{
    /// <summary>Not in a transaction block.</summary>
    Idle,

    /// <summary>In a transaction block.</summary>
    InTransaction,

    /// <summary>In a failed transaction block: everything but ROLLBACK is refused.</summary>
    Failed,
}
