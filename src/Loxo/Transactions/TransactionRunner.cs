using Loxo.Transport;

namespace Loxo.Transactions;

/// <summary>Runs a program's work in a transaction of its own, and again if the server has rolled it back for the sake of others.</summary>
/// <remarks>
/// Closing the connection rolls back what was not committed and closes what was left open. Each attempt rents a session anew, so that
/// others can have it during the pause.
/// </remarks>
internal static class TransactionRunner
{
    public static T Run<T>(PgDataSource source, Func<PgConnection, PgTransaction, T> work, PgInTransactionOptions? options)
    {
        options ??= new PgInTransactionOptions();
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return RunOnce(source, work, options);
            }
            catch (Exception e) when (attempt < options.Attempts && MayRunAgain(e))
            {
            }
            Sleep.For(Pause(options, attempt), source.Context.Time);
        }
    }

    /// <inheritdoc cref="Run"/>
    public static async Task<T> RunAsync<T>(
        PgDataSource source, Func<PgConnection, PgTransaction, CancellationToken, Task<T>> work, PgInTransactionOptions? options,
        CancellationToken token)
    {
        options ??= new PgInTransactionOptions();
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return await RunOnceAsync(source, work, options, token).ConfigureAwait(false);
            }
            catch (Exception e) when (attempt < options.Attempts && MayRunAgain(e))
            {
            }
            await Task.Delay(Pause(options, attempt), source.Context.Time, token).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Whether the server has rolled back for certain, because of other transactions; not when the outcome of COMMIT is unknown.
    /// </summary>
    public static bool MayRunAgain(Exception error) => error switch
    {
        PgException { Code: PgErrorCode.CommitOutcomeUnknown } => false,
        PostgresException { SqlState: SqlStates.SerializationFailure or SqlStates.DeadlockDetected } => true,
        AggregateException several => several.InnerExceptions.Any(MayRunAgain),
        _ => error.InnerException is { } cause && MayRunAgain(cause),
    };

    /// <summary>A random part of the longest pause, which doubles with each attempt.</summary>
    public static TimeSpan Pause(PgInTransactionOptions options, int attempt)
    {
        // Further doubling would be too long for any limit, and at last for a number.
        var longest = options.FirstDelay.TotalMilliseconds * Math.Pow(2, Math.Min(attempt - 1, 40));
        return TimeSpan.FromMilliseconds(Math.Min(longest, options.LongestDelay.TotalMilliseconds) * Random.Shared.NextDouble());
    }

    private static T RunOnce<T>(PgDataSource source, Func<PgConnection, PgTransaction, T> work, PgInTransactionOptions options)
    {
        using var connection = source.OpenConnection();
        var transaction = connection.BeginTransaction(options.IsolationLevel, options.Options);
        var result = work(connection, transaction);
        // The work may have ended it itself.
        if (!transaction.IsCompleted)
            transaction.Commit();
        return result;
    }

    private static async Task<T> RunOnceAsync<T>(
        PgDataSource source, Func<PgConnection, PgTransaction, CancellationToken, Task<T>> work, PgInTransactionOptions options,
        CancellationToken token)
    {
        var connection = await source.OpenConnectionAsync(token).ConfigureAwait(false);
        await using var _ = connection.ConfigureAwait(false);
        var transaction = await connection.BeginTransactionAsync(options.IsolationLevel, options.Options, token).ConfigureAwait(false);
        var result = await work(connection, transaction, token).ConfigureAwait(false);
        token.ThrowIfCancellationRequested();
        // Not cancelled: whether it has committed would be unknown.
        if (!transaction.IsCompleted)
            await transaction.CommitAsync(CancellationToken.None).ConfigureAwait(false);
        return result;
    }
}
