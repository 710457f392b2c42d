namespace Loxo.Protocol;

internal enum TransactionStatus : byte
{
    Idle,
    InTransaction,
    /// <summary>In a failed transaction block: everything but ROLLBACK is refused.</summary>
    Failed,
}
