using System.Transactions;

namespace Loxo.Pooling.Data;

/// <summary>
/// Connections that were closed by their renters while their transaction of System.Transactions goes on. The next open in that transaction
/// gets them. Those that are left when it ends are closed: providers may have work to do on them even after it is said to be complete.
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
        // Raised at once if it has ended in between.
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
        // Not here: this may be in the midst of what the provider does to end the transaction.
        foreach (var rental in rentals)
            _ = Task.Run(() => pool.DiscardAsync(rental).AsTask());
    }
}
