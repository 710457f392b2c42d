using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Loxo.Pooling;

/// <summary>
/// How a <see cref="PooledDataSource"/> opens, checks, resets and closes the provider's connections. It can be used as it is, or derived
/// from to use what a provider offers. Of a method with two forms override both, unless only one form of opening and closing is ever used.
/// Methods may run on several threads at once, each for another connection.
/// </summary>
public class PooledConnectionPolicy
{
    private readonly TimeSpan _validateAfter = TimeSpan.FromSeconds(30);

    /// <summary>
    /// A statement, such as <c>SELECT 1</c>, that is run before a connection is handed out that was idle for <see cref="ValidateAfter"/>;
    /// if it fails another connection is taken. Null, the default, runs none: only the connection's state is looked at.
    /// </summary>
    public string? ValidationSql { get; init; }

    /// <summary>After which idle time <see cref="ValidationSql"/> is run. The default is 30 seconds; zero runs it before every rent.</summary>
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
    /// A statement, such as <c>DISCARD ALL</c>, that is run when a connection is returned; if it fails the connection is closed. Null, the
    /// default, runs none: settings, temporary tables and the like then stay for the next renter.
    /// </summary>
    public string? ResetSql { get; init; }

    /// <summary>Opens a new connection, blocking. By default for as long as its connection string lets it.</summary>
    /// <param name="connection">The connection, with its connection string, closed. It is disposed if this throws.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    public virtual void Open(DbConnection connection, TimeSpan timeLeft) => connection.Open();

    /// <summary>Opens a new connection. By default the opening is cancelled when the time is over.</summary>
    /// <param name="connection">The connection, with its connection string, closed. It is disposed if this throws.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    /// <exception cref="TimeoutException">The time is over.</exception>
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
            throw new TimeoutException($"The {connection.GetType().Name} did not open within the {timeLeft.TotalSeconds:0.###} seconds that were left of the rent's time.", error);
        }
    }

    /// <summary>
    /// Looks at a connection that was idle, before it is handed out, blocking. By default it is usable if it is open and
    /// <see cref="ValidationSql"/>, when due, succeeds.
    /// </summary>
    /// <param name="connection">The connection; nobody else has it.</param>
    /// <param name="idle">For how long it was idle.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>False, or an exception: it is closed, and the renter gets another one.</returns>
    public virtual bool IsUsable(DbConnection connection, TimeSpan idle, TimeSpan timeLeft)
    {
        if (connection.State != ConnectionState.Open)
            return false;
        if (ValidationSql is { } sql && idle >= ValidateAfter)
            Run(connection, sql, timeLeft);
        return true;
    }

    /// <summary>
    /// Looks at a connection that was idle, before it is handed out. By default it is usable if it is open and <see cref="ValidationSql"/>,
    /// when due, succeeds.
    /// </summary>
    /// <param name="connection">The connection; nobody else has it.</param>
    /// <param name="idle">For how long it was idle.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    /// <returns>False, or an exception: it is closed, and the renter gets another one.</returns>
    public virtual async ValueTask<bool> IsUsableAsync(DbConnection connection, TimeSpan idle, TimeSpan timeLeft, CancellationToken token)
    {
        if (connection.State != ConnectionState.Open)
            return false;
        if (ValidationSql is { } sql && idle >= ValidateAfter)
            await RunAsync(connection, sql, timeLeft, token).ConfigureAwait(false);
        return true;
    }

    /// <summary>
    /// Makes a returned connection ready for its next renter, blocking. Its readers have been closed. By default the transaction is rolled
    /// back and <see cref="ResetSql"/> is run.
    /// </summary>
    /// <param name="connection">The connection; nobody else has it.</param>
    /// <param name="transaction">
    /// The transaction that was begun by <see cref="DbConnection.BeginTransaction()"/> and not ended; null if there is none. One that was
    /// begun by SQL is not known.
    /// </param>
    /// <returns>False, or an exception: it cannot be used again and is closed.</returns>
    public virtual bool Reset(DbConnection connection, DbTransaction? transaction)
    {
        using (transaction)
            transaction?.Rollback();
        if (ResetSql is { } sql)
            Run(connection, sql, Timeout.InfiniteTimeSpan);
        return connection.State == ConnectionState.Open;
    }

    /// <summary>
    /// Makes a returned connection ready for its next renter. Its readers have been closed. By default the transaction is rolled back and
    /// <see cref="ResetSql"/> is run.
    /// </summary>
    /// <param name="connection">The connection; nobody else has it.</param>
    /// <param name="transaction">
    /// The transaction that was begun by <see cref="DbConnection.BeginTransaction()"/> and not ended; null if there is none. One that was
    /// begun by SQL is not known.
    /// </param>
    /// <returns>False, or an exception: it cannot be used again and is closed.</returns>
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

    /// <summary>Closes a connection for good, blocking. What it throws is ignored.</summary>
    public virtual void Close(DbConnection connection) => connection.Dispose();

    /// <summary>Closes a connection for good. What it throws is ignored.</summary>
    public virtual ValueTask CloseAsync(DbConnection connection) => connection.DisposeAsync();

    /// <summary>
    /// Lets a connection take part in the transaction that is current where it is opened (<see cref="TransactionScope"/>). By default with
    /// <see cref="DbConnection.EnlistTransaction"/>; a provider that has no such thing does without, as it does unpooled. Override it to
    /// return false if connections shall not take part.
    /// </summary>
    /// <returns>Whether it takes part. It is then kept until the transaction has ended, also if it is closed before.</returns>
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

    /// <summary>A connection was closed. What this and the other notification throw is ignored. Nothing is done by default.</summary>
    public virtual void Closed(DbConnection connection, CloseReason reason)
    {
    }

    /// <summary>
    /// A connection is about to be closed because its renter's <see cref="PooledConnection"/> was collected without being closed: a leak.
    /// Nothing is done by default.
    /// </summary>
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

    // A limit of the provider's own that is nearer stays. Providers count whole seconds, and 0 is no limit.
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
