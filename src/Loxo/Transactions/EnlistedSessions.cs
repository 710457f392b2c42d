using System.Transactions;

namespace Loxo.Transactions;

/// <summary>
/// The sessions of a data source that take part in ambient transactions. The next connection of the same transaction finds them here. The
/// table keeps transactions alive, so that a transaction that the program has forgotten is rolled back by its timeout.
/// </summary>
internal sealed class EnlistedSessions
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Transaction, List<EnlistedSession>> _byTransaction = [];

    public void Add(EnlistedSession session)
    {
        lock (_gate)
        {
            if (!_byTransaction.TryGetValue(session.Transaction, out var sessions))
                _byTransaction.Add(session.Transaction, sessions = []);
            sessions.Add(session);
        }
    }

    public void Remove(EnlistedSession session)
    {
        lock (_gate)
        {
            if (_byTransaction.TryGetValue(session.Transaction, out var sessions) && sessions.Remove(session) && sessions.Count == 0)
                _byTransaction.Remove(session.Transaction);
        }
    }

    /// <summary>Gives the connection a session of the transaction that no other connection has; null if there is none.</summary>
    public EnlistedSession? TryTake(Transaction transaction, PgConnection connection)
    {
        EnlistedSession[] sessions;
        lock (_gate)
        {
            if (!_byTransaction.TryGetValue(transaction, out var known))
                return null;
            sessions = [.. known];
        }
        return Array.Find(sessions, session => session.TryResume(connection));
    }
}
