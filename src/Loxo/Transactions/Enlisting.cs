using System.Transactions;
using Loxo.Commands;
using Loxo.Pool;
using Loxo.Session;

namespace Loxo.Transactions;

/// <summary>How a connection comes to take part in an ambient transaction: when it is opened within one, or by EnlistTransaction.</summary>
internal static class Enlisting
{
    /// <summary>
    /// Opens a connection within a transaction, blocking: with a session that takes part in it already, or else with another one, so that
    /// the commit needs two phases.
    /// </summary>
    public static void Open(PgConnection connection, PgDataSource source, Transaction transaction)
    {
        if (source.Enlisted.TryTake(transaction, connection) is { } enlisted)
        {
            if (!enlisted.MustReset)
                return;
            try
            {
                connection.Session!.Begin(connection, EnlistedSession.WriteReset, ResetText.WithinTransaction);
            }
            catch
            {
                // The transaction may have been rolled back at this moment.
                connection.Close();
                throw;
            }
            return;
        }
        if (source.Pool is { } pool)
            connection.Opened(SessionPool.Rent(pool));
        else if (source.Hosts is { } hosts)
            hosts.Open(connection);
        else
            connection.Opened(source.OpenSession());
        JoinOrClose(connection, connection.Source!, transaction);
    }

    /// <inheritdoc cref="Open"/>
    public static async ValueTask OpenAsync(PgConnection connection, PgDataSource source, Transaction transaction, CancellationToken token)
    {
        if (source.Enlisted.TryTake(transaction, connection) is { } enlisted)
        {
            if (!enlisted.MustReset)
                return;
            try
            {
                await connection.Session!.BeginAsync(connection, EnlistedSession.WriteReset, ResetText.WithinTransaction)
                    .ConfigureAwait(false);
            }
            catch
            {
                await connection.CloseAsync().ConfigureAwait(false);
                throw;
            }
            return;
        }
        if (source.Pool is { } pool)
            connection.Opened(await SessionPool.RentAsync(pool, token).ConfigureAwait(false));
        else if (source.Hosts is { } hosts)
            await hosts.OpenAsync(connection, token).ConfigureAwait(false);
        else
            connection.Opened(await source.OpenSessionAsync(token).ConfigureAwait(false));
        JoinOrClose(connection, connection.Source!, transaction);
    }

    /// <summary>What <see cref="PgConnection.EnlistTransaction"/> does.</summary>
    public static void Enlist(PgConnection connection, Transaction? transaction)
    {
        if (connection.Enlisted is { } current)
        {
            if (current.Transaction.Equals(transaction))
                return;
            if (current.IsActive)
                throw EnlistmentErrors.OtherTransaction(current.Transaction.TransactionInformation.LocalIdentifier);
            if (connection.Session is { State: SessionState.Busy or SessionState.Cancelling })
                throw EnlistmentErrors.IsEnding();
            connection.Enlisted = null;
        }
        var session = OwnSession.Of(connection, PgOwnSessionReason.AmbientTransaction, "EnlistTransaction");
        if (session.State is not (SessionState.Idle or SessionState.Unsettled))
            throw SessionErrors.NotIdle(session, connection);
        if (session is not { TransactionStatus: Protocol.TransactionStatus.Idle, PendingBegin: null })
            throw EnlistmentErrors.TransactionInProgress();
        if (transaction is not null)
            Join(connection, session, connection.Source!, transaction);
    }

    /// <summary>Whether the program has disposed the transaction, which cannot be asked for it; but its members throw then.</summary>
    public static bool IsDisposed(Transaction transaction)
    {
        try
        {
            return transaction.TransactionInformation is null;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    private static void JoinOrClose(PgConnection connection, PgDataSource source, Transaction transaction)
    {
        try
        {
            Join(connection, connection.Session!, source, transaction);
        }
        catch
        {
            connection.Close();
            throw;
        }
    }

    // BEGIN is due before the transaction knows of the session, because it may be rolled back at once.
    private static void Join(PgConnection connection, ServerSession session, PgDataSource source, Transaction transaction)
    {
        var begin = TransactionText.Begin(LevelOf(transaction.IsolationLevel), PgTransactionOptions.None);
        session.ExchangeBegin(connection, begin);
        var enlisted = new EnlistedSession(source, transaction, session, connection);
        connection.Enlisted = enlisted;
        source.Enlisted.Add(enlisted);
        try
        {
            // Volatile: a durable participant would have to know after a crash what has become of its transactions, and two of them need a
            // coordinator that .NET has on Windows only.
            transaction.EnlistVolatile(enlisted, EnlistmentOptions.None);
        }
        catch
        {
            source.Enlisted.Remove(enlisted);
            connection.Enlisted = null;
            session.ExchangeBegin(connection, null);
            throw;
        }
    }

    private static System.Data.IsolationLevel LevelOf(IsolationLevel level) => level switch
    {
        IsolationLevel.Serializable => System.Data.IsolationLevel.Serializable,
        IsolationLevel.RepeatableRead => System.Data.IsolationLevel.RepeatableRead,
        IsolationLevel.Snapshot => System.Data.IsolationLevel.Snapshot,
        IsolationLevel.ReadCommitted => System.Data.IsolationLevel.ReadCommitted,
        IsolationLevel.ReadUncommitted => System.Data.IsolationLevel.ReadUncommitted,
        IsolationLevel.Unspecified => System.Data.IsolationLevel.Unspecified,
        _ => System.Data.IsolationLevel.Chaos,
    };
}
