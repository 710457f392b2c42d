using Loxo.Copy;
using Loxo.Diagnostics;
using Loxo.Transactions;
using Microsoft.Extensions.Logging;

namespace Loxo;

// Work in transactions, notifications, changes, and rows in bulk.
public partial class PgDataSource
{
    /// <summary>
    /// Runs work in a transaction of its own: commits when it returns, rolls back when it throws. With more than one attempt it runs again
    /// after a serialization failure or a deadlock, on another connection; what it does outside of the database it does again, too.
    /// </summary>
    /// <param name="work">
    /// Its commands run on the connection, and the transaction is for savepoints. If the work ends the transaction itself, nothing more is
    /// done.
    /// </param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <exception cref="PgException">
    /// <see cref="PgErrorCode.CommitOutcomeUnknown"/>: the connection was lost during COMMIT; the work is not repeated then.
    /// <see cref="PgErrorCode.TransactionRolledBack"/>: the work has caught the error of a statement and returned.
    /// </exception>
    /// <exception cref="InvalidOperationException">A <see cref="System.Transactions.TransactionScope"/> is active.</exception>
    public void InTransaction(Action<PgConnection, PgTransaction> work, PgInTransactionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(work);
        TransactionRunner.Run(Checked(), (connection, transaction) =>
        {
            work(connection, transaction);
            return true;
        }, options);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>What the work has returned.</returns>
    public T InTransaction<T>(Func<PgConnection, PgTransaction, T> work, PgInTransactionOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.Run(Checked(), work, options);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <param name="work">As there; it gets <paramref name="cancellationToken"/>.</param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <param name="cancellationToken">Cancels the work and the pauses between its attempts, but not COMMIT.</param>
    public Task InTransactionAsync(
        Func<PgConnection, PgTransaction, CancellationToken, Task> work, PgInTransactionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.RunAsync(Checked(), async (connection, transaction, token) =>
        {
            await work(connection, transaction, token).ConfigureAwait(false);
            return true;
        }, options, cancellationToken);
    }

    /// <inheritdoc cref="InTransaction"/>
    /// <param name="work">As there; it gets <paramref name="cancellationToken"/>.</param>
    /// <param name="options">Null for one attempt in the server's default isolation.</param>
    /// <param name="cancellationToken">Cancels the work and the pauses between its attempts, but not COMMIT.</param>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>What the work has returned.</returns>
    public Task<T> InTransactionAsync<T>(
        Func<PgConnection, PgTransaction, CancellationToken, Task<T>> work, PgInTransactionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return TransactionRunner.RunAsync(Checked(), work, options, cancellationToken);
    }

    /// <summary>
    /// Listens to a channel, from when the first item is asked for to when the enumeration is ended. All readers of the data source share
    /// one connection of their own, which the pool does not count. When it is lost, it is opened again, and each reader gets a gap marker:
    /// see <see cref="PgNotification"/>.
    /// </summary>
    /// <param name="channel">Its name, as it is: upper case stays upper case, as with quotes in SQL.</param>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>
    /// Throws a <see cref="PgException"/> if the server cannot be reached at first, or refuses the login or the channel later. It is
    /// enumerated by one caller at a time.
    /// </returns>
    /// <exception cref="ArgumentException">The name is empty, contains NUL, or is longer than 63 bytes in UTF-8.</exception>
    /// <exception cref="PgException">'Pooler' says that each transaction may have another server process.</exception>
    public IAsyncEnumerable<PgNotification> ListenAsync(string channel, CancellationToken cancellationToken = default) =>
        ListenAsync([channel], null, cancellationToken);

    /// <summary>Listens to several channels. Notifications come in the order in which their transactions were committed.</summary>
    /// <param name="channels">At least one.</param>
    /// <param name="options">How items are queued; null for the defaults.</param>
    /// <inheritdoc cref="ListenAsync(string, CancellationToken)"/>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    public IAsyncEnumerable<PgNotification> ListenAsync(
        IEnumerable<string> channels, PgListenOptions? options = null, CancellationToken cancellationToken = default) =>
        Checked().Notifications.Listen(channels, options ?? new PgListenOptions(), cancellationToken);

    /// <summary>A stream of the committed transactions of a publication; nothing is opened before it is read.</summary>
    /// <param name="slot">The slot, which is made if there is none: lower-case letters, digits and underscores, at most 63.</param>
    /// <param name="publication">The publication; CREATE PUBLICATION makes one.</param>
    /// <param name="options">Null for the defaults.</param>
    /// <exception cref="ArgumentException">A name is empty.</exception>
    public PgChangeStream CreateChangeStream(string slot, string publication, PgChangeStreamOptions? options = null) =>
        CreateChangeStream(slot, [publication], options);

    /// <inheritdoc cref="CreateChangeStream(string, string, PgChangeStreamOptions?)"/>
    /// <param name="slot">As there.</param>
    /// <param name="publications">At least one.</param>
    /// <param name="options">Null for the defaults.</param>
    public PgChangeStream CreateChangeStream(string slot, IEnumerable<string> publications, PgChangeStreamOptions? options = null) =>
        new(Checked(), slot, publications, options ?? new PgChangeStreamOptions(), Loggers.CreateLogger(ReplicationLog.Category));

    /// <summary>Copies objects into a table: see <see cref="PgBulkCopy"/>, which has the options.</summary>
    /// <typeparam name="T">The type of the objects, whose public properties and fields are copied.</typeparam>
    /// <param name="table">The table, as SQL writes it.</param>
    /// <param name="rows">The objects.</param>
    /// <inheritdoc cref="PgBulkCopy.WriteToServer{T}(IEnumerable{T})"/>
    public PgBulkCopyResult BulkCopy<[DynamicallyAccessedMembers(PgBulkCopy.Members)] T>(string table, IEnumerable<T> rows) =>
        new PgBulkCopy(this) { DestinationTableName = table }.WriteToServer(rows);

    /// <inheritdoc cref="BulkCopy{T}"/>
    public Task<PgBulkCopyResult> BulkCopyAsync<[DynamicallyAccessedMembers(PgBulkCopy.Members)] T>(
        string table, IEnumerable<T> rows, CancellationToken cancellationToken = default) =>
        new PgBulkCopy(this) { DestinationTableName = table }.WriteToServerAsync(rows, cancellationToken);

    /// <inheritdoc cref="BulkCopy{T}"/>
    public Task<PgBulkCopyResult> BulkCopyAsync<[DynamicallyAccessedMembers(PgBulkCopy.Members)] T>(
        string table, IAsyncEnumerable<T> rows, CancellationToken cancellationToken = default) =>
        new PgBulkCopy(this) { DestinationTableName = table }.WriteToServerAsync(rows, cancellationToken);

    /// <summary>
    /// Copies a table or the result of a query out of the database, as objects. A connection is in use while they are read.
    /// </summary>
    /// <param name="source">
    /// The table, as SQL writes it, perhaps with its columns: <c>shop.products (id, name)</c>; or a query in parentheses:
    /// <c>(SELECT id, name FROM products)</c>.
    /// </param>
    /// <inheritdoc cref="PgBinaryExporter.ReadRows{T}()"/>
    /// <returns>As there, but the copy begins with each enumeration, and ends with it.</returns>
    /// <exception cref="ArgumentException"><paramref name="source"/> is empty.</exception>
    /// <exception cref="PostgresException">The server refuses the copy.</exception>
    [RequiresDynamicCode(ExportedObject.Dynamic)]
    public IEnumerable<T> Export<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>(string source)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        Checked();
        return Rows();

        IEnumerable<T> Rows()
        {
            using var connection = OpenConnection();
            using var exporter = connection.BeginBinaryExport(ExportStatement(source));
            foreach (var row in exporter.ReadRows<T>())
                yield return row;
        }
    }

    /// <inheritdoc cref="Export{T}"/>
    [RequiresDynamicCode(ExportedObject.Dynamic)]
    public IAsyncEnumerable<T> ExportAsync<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>(
        string source, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        Checked();
        return ExportRowsAsync<T>(source, cancellationToken);
    }

    [RequiresDynamicCode(ExportedObject.Dynamic)]
    private async IAsyncEnumerable<T> ExportRowsAsync<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>(
        string source, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var connection = await OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
        await using var closed = connection.ConfigureAwait(false);
        var exporter = await connection.BeginBinaryExportAsync(ExportStatement(source), cancellationToken).ConfigureAwait(false);
        await using var ended = exporter.ConfigureAwait(false);
        await foreach (var row in exporter.ReadRowsAsync<T>(cancellationToken).ConfigureAwait(false))
            yield return row;
    }

    private static string ExportStatement(string source) => $"COPY {source} TO STDOUT (FORMAT binary)";
}
