using System.Transactions;

namespace Loxo.Pooling.Data;

/// <summary>
/// Keeps connections that were closed during their transaction of System.Transactions. The next open in that transaction gets them. The
/// rest is closed when the transaction ends, because providers may still work on it after the transaction is reported complete.
/// </summary>
internal sealed class EnlistedConnections(ResourcePool<PhysicalConnection> pool)
{
    private readonly Dictionary<Transaction, List<Rental<PhysicalConnection>>> _waiting = [];

    public bool TryTake(Transaction transaction, out Rental<PhysicalConnection> rental)
    {
        rental = default;
        lock (_waiting)
        {
            if (!_waiting.TryGetValue(transaction, out var rentals) || rentals.Count == 0)
                return false;
            rental = rentals[^1];
            rentals.RemoveAt(rentals.Count - 1);
            return true;
        }
    }

    /// <summary>Keeps a connection until its transaction ends.</summary>
    public void Add(Transaction transaction, Rental<PhysicalConnection> rental)
    {
        var isFirst = false;
        lock (_waiting)
        {
            if (!_waiting.TryGetValue(transaction, out var rentals))
            {
                _waiting.Add(transaction, rentals = []);
                isFirst = true;
            }
            rentals.Add(rental);
        }
        // Raised at once if the transaction has ended meanwhile.
        if (isFirst)
            transaction.TransactionCompleted += (_, _) => End(transaction);
    }

    private void End(Transaction transaction)
    {
        List<Rental<PhysicalConnection>>? rentals;
        lock (_waiting)
        {
            if (!_waiting.Remove(transaction, out rentals))
                return;
        }
        // In the background: the provider may be in the middle of ending the transaction.
        foreach (var rental in rentals)
            _ = Task.Run(() => pool.DiscardAsync(rental).AsTask());
    }
}
