using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Loxo.Pooling;

/// <summary>
/// Opens, checks, resets and closes the connections of a <see cref="PooledDataSource"/>. Use it as it is, or derive from it to use what a
/// provider offers: override both forms of a method, unless only one form of opening and closing connections is ever used. Methods may run
/// on several threads at once, each for another connection.
/// </summary>
public class PooledConnectionPolicy
{
    private readonly TimeSpan _validateAfter = TimeSpan.FromSeconds(30);

    /// <summary>
    /// A statement, such as <c>SELECT 1</c>, that is run before a rent if the connection was idle for <see cref="ValidateAfter"/>. If it
    /// fails, another connection is rented. With null, the default, only the connection's state is checked.
    /// </summary>
    public string? ValidationSql { get; init; }

    /// <summary>The idle time after which <see cref="ValidationSql"/> runs. The default is 30 seconds; zero is before every rent.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public TimeSpan ValidateAfter
    {
        get => _validateAfter;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            _validateAfter = value;
        }
    }

    /// <summary>
    /// A statement, such as <c>DISCARD ALL</c>, that is run when a connection is returned. If it fails, the connection is closed. With
    /// null, the default, settings, temporary tables and the like stay for the next renter.
    /// </summary>
    public string? ResetSql { get; init; }

    /// <summary>Opens a new connection, blocking. By default only its connection string limits the time.</summary>
    /// <param name="connection">The connection, closed. It is disposed if this throws.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    public virtual void Open(DbConnection connection, TimeSpan timeLeft) => connection.Open();

    /// <summary>Opens a new connection. By default opening is cancelled after <paramref name="timeLeft"/>.</summary>
    /// <param name="connection">The connection, closed. It is disposed if this throws.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    /// <exception cref="TimeoutException">Opening took too long.</exception>
    public virtual async ValueTask OpenAsync(DbConnection connection, TimeSpan timeLeft, CancellationToken token)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(token);
        limit.CancelAfter(timeLeft);
        try
        {
            await connection.OpenAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException error) when (!token.IsCancellationRequested)
        {
            var limitText = $"{timeLeft.TotalSeconds:0.###} seconds that were left of the rent's time";
            throw new TimeoutException($"The {connection.GetType().Name} did not open within the {limitText}.", error);
        }
    }

    /// <summary>
    /// Checks an idle connection before it is rented. By default it is usable if it is open and <see cref="ValidationSql"/>, when due,
    /// succeeds.
    /// </summary>
    /// <param name="connection">The connection. No one else uses it.</param>
    /// <param name="idle">How long it was idle.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>True if it can be used. After false, or an exception, it is closed, and the renter gets another one.</returns>
    public virtual bool IsUsable(DbConnection connection, TimeSpan idle, TimeSpan timeLeft)
    {
        if (connection.State != ConnectionState.Open)
            return false;
        if (ValidationSql is { } sql && idle >= ValidateAfter)
            Run(connection, sql, timeLeft);
        return true;
    }

    /// <param name="connection">The connection. No one else uses it.</param>
    /// <param name="idle">How long it was idle.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    /// <inheritdoc cref="IsUsable"/>
    public virtual async ValueTask<bool> IsUsableAsync(DbConnection connection, TimeSpan idle, TimeSpan timeLeft, CancellationToken token)
    {
        if (connection.State != ConnectionState.Open)
            return false;
        if (ValidationSql is { } sql && idle >= ValidateAfter)
            await RunAsync(connection, sql, timeLeft, token).ConfigureAwait(false);
        return true;
    }

    /// <summary>
    /// Makes a returned connection ready for its next renter. Its readers are closed. By default the transaction is rolled back and
    /// <see cref="ResetSql"/> is run.
    /// </summary>
    /// <param name="connection">The connection. No one else uses it.</param>
    /// <param name="transaction">
    /// The open transaction that <see cref="DbConnection.BeginTransaction()"/> began; null if there is none. A transaction begun by SQL is
    /// unknown.
    /// </param>
    /// <returns>True if it can be used again. After false, or an exception, it is closed.</returns>
    public virtual bool Reset(DbConnection connection, DbTransaction? transaction)
    {
        using (transaction)
            transaction?.Rollback();
        if (ResetSql is { } sql)
            Run(connection, sql, Timeout.InfiniteTimeSpan);
        return connection.State == ConnectionState.Open;
    }

    /// <inheritdoc cref="Reset"/>
    public virtual async ValueTask<bool> ResetAsync(DbConnection connection, DbTransaction? transaction)
    {
        if (transaction is not null)
        {
            await using (transaction.ConfigureAwait(false))
                await transaction.RollbackAsync().ConfigureAwait(false);
        }
        if (ResetSql is { } sql)
            await RunAsync(connection, sql, Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false);
        return connection.State == ConnectionState.Open;
    }

    /// <summary>Closes a connection. Exceptions are ignored.</summary>
    public virtual void Close(DbConnection connection) => connection.Dispose();

    /// <inheritdoc cref="Close"/>
    public virtual ValueTask CloseAsync(DbConnection connection) => connection.DisposeAsync();

    /// <summary>
    /// Enlists a connection in the transaction that is current where it is opened (<see cref="TransactionScope"/>), by default with
    /// <see cref="DbConnection.EnlistTransaction"/>. Override it to return false if connections must not take part.
    /// </summary>
    /// <returns>
    /// True if it takes part; it is then kept for the transaction, even if it is closed before. False, by default, if the provider does not
    /// support it.
    /// </returns>
    public virtual bool Enlist(DbConnection connection, Transaction transaction)
    {
        try
        {
            connection.EnlistTransaction(transaction);
            return true;
        }
        catch (NotSupportedException)
        {
            return false;
        }
    }

    /// <summary>Called after a connection was closed. Exceptions of the notifications are ignored.</summary>
    public virtual void Closed(DbConnection connection, CloseReason reason)
    {
    }

    /// <summary>Called before a connection is closed because its <see cref="PooledConnection"/> was garbage collected.</summary>
    public virtual void Abandoned(DbConnection connection, RentalInfo info)
    {
    }

    private static void Run(DbConnection connection, string sql, TimeSpan timeLeft)
    {
        using var command = CommandFor(connection, sql, timeLeft);
        command.ExecuteNonQuery();
    }

    private static async ValueTask RunAsync(DbConnection connection, string sql, TimeSpan timeLeft, CancellationToken token)
    {
        var command = CommandFor(connection, sql, timeLeft);
        await using (command.ConfigureAwait(false))
            await command.ExecuteNonQueryAsync(token).ConfigureAwait(false);
    }

    // Keeps a shorter timeout of the provider. Providers count whole seconds, and 0 means no limit.
    private static DbCommand CommandFor(DbConnection connection, string sql, TimeSpan timeLeft)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        if (timeLeft == Timeout.InfiniteTimeSpan)
            return command;
        var seconds = Math.Max(1, (int)Math.Ceiling(timeLeft.TotalSeconds));
        if (command.CommandTimeout == 0 || command.CommandTimeout > seconds)
            command.CommandTimeout = seconds;
        return command;
    }
}
