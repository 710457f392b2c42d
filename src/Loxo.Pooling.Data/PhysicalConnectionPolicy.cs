using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Loxo.Pooling.Data;

/// <summary>Passes the pool's calls on to the user's policy.</summary>
internal sealed class PhysicalConnectionPolicy(Func<DbConnection> create, PooledConnectionPolicy policy, TimeProvider time)
    : ResourcePolicy<PhysicalConnection>
{
    public override PhysicalConnection Open(TimeSpan timeLeft)
    {
        var connection = create();
        try
        {
            using (WithoutAmbientTransaction())
                policy.Open(connection, timeLeft);
            return Opened(connection);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    public override async ValueTask<PhysicalConnection> OpenAsync(TimeSpan timeLeft, CancellationToken token)
    {
        var connection = create();
        try
        {
            using (WithoutAmbientTransaction())
                await policy.OpenAsync(connection, timeLeft, token).ConfigureAwait(false);
            return Opened(connection);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public override bool Check(PhysicalConnection resource, TimeSpan timeLeft) =>
        policy.IsUsable(resource.Connection, time.GetElapsedTime(resource.IdleSince), timeLeft);

    public override ValueTask<bool> CheckAsync(PhysicalConnection resource, TimeSpan timeLeft, CancellationToken token) =>
        policy.IsUsableAsync(resource.Connection, time.GetElapsedTime(resource.IdleSince), timeLeft, token);

    public override bool Reset(PhysicalConnection resource)
    {
        var ready = policy.Reset(resource.Connection, resource.TakeLeftTransaction());
        resource.IdleSince = time.GetTimestamp();
        return ready;
    }

    public override async ValueTask<bool> ResetAsync(PhysicalConnection resource)
    {
        var ready = await policy.ResetAsync(resource.Connection, resource.TakeLeftTransaction()).ConfigureAwait(false);
        resource.IdleSince = time.GetTimestamp();
        return ready;
    }

    public override void Close(PhysicalConnection resource) => policy.Close(resource.Connection);

    public override ValueTask CloseAsync(PhysicalConnection resource) => policy.CloseAsync(resource.Connection);

    public override bool IsAbandoned(PhysicalConnection resource) => resource.IsLost;

    public override void Closed(PhysicalConnection resource, CloseReason reason) => policy.Closed(resource.Connection, reason);

    public override void Abandoned(PhysicalConnection resource, RentalInfo info) => policy.Abandoned(resource.Connection, info);

    // The connection outlives the current transaction. Its renter enlists it.
    private static TransactionScope? WithoutAmbientTransaction() =>
        Transaction.Current is null ? null : new TransactionScope(TransactionScopeOption.Suppress, TransactionScopeAsyncFlowOption.Enabled);

    private PhysicalConnection Opened(DbConnection connection) => connection.State == ConnectionState.Open
        ? new PhysicalConnection(connection) { IdleSince = time.GetTimestamp() }
        : throw new InvalidOperationException(
            $"{policy.GetType().Name}.Open left the {connection.GetType().Name} in the state {connection.State}; it must be Open.");
}
