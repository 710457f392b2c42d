using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// A savepoint around a query of the driver within the caller's transaction, so that a failure of the query does not abort the transaction.
/// Outside a transaction it does nothing.
/// </summary>
/// <param name="requests">The requests of the exchange around it.</param>
/// <param name="status">As it will be when the query runs.</param>
/// <param name="savepoint">The name of the savepoint.</param>
internal sealed class TransactionGuard(RequestWriter requests, TransactionStatus status, string savepoint)
{
    private bool _isRestoring;

    /// <summary>Whether a transaction is open that is to be protected.</summary>
    public bool IsNeeded { get; } = status == TransactionStatus.InTransaction;

    /// <summary>In front of the query.</summary>
    public void Write() => WriteStatement("SAVEPOINT " + savepoint);

    /// <summary>Behind it, before its Sync.</summary>
    public void Release() => WriteStatement("RELEASE SAVEPOINT " + savepoint);

    /// <summary>Rolls back to the savepoint after the query has failed. True if another flight was written for it.</summary>
    public bool TryRestore()
    {
        if (!IsNeeded || _isRestoring)
            return false;
        requests.Query($"ROLLBACK TO SAVEPOINT {savepoint}; RELEASE SAVEPOINT {savepoint}", statements: 2);
        return _isRestoring = true;
    }

    private void WriteStatement(string sql)
    {
        if (IsNeeded)
            requests.Unnamed(sql);
    }
}
