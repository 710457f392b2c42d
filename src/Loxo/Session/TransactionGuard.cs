using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// A savepoint around a query of ours in the middle of somebody's transaction: should it fail, that must not cost him the transaction. Outside of one
/// it does nothing.
/// </summary>
/// <param name="requests">Those of the exchange around it.</param>
/// <param name="status">As it will be when the query runs.</param>
/// <param name="savepoint">A name of ours.</param>
internal sealed class TransactionGuard(RequestWriter requests, TransactionStatus status, string savepoint)
{
    private readonly bool _isNeeded = status == TransactionStatus.InTransaction;
    private bool _isRestoring;

    /// <summary>In front of the query.</summary>
    public void Write() => WriteStatement("SAVEPOINT " + savepoint);

    /// <summary>Behind it, before its Sync.</summary>
    public void Release() => WriteStatement("RELEASE SAVEPOINT " + savepoint);

    /// <summary>Rolls back to the savepoint after the query has failed. True if another flight was written for it.</summary>
    public bool TryRestore()
    {
        if (!_isNeeded || _isRestoring)
            return false;
        requests.Query($"ROLLBACK TO SAVEPOINT {savepoint}; RELEASE SAVEPOINT {savepoint}", statements: 2);
        return _isRestoring = true;
    }

    private void WriteStatement(string sql)
    {
        if (_isNeeded)
            requests.Unnamed(sql);
    }
}
