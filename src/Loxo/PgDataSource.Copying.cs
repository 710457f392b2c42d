using Loxo.Copy;

namespace Loxo;

public sealed partial class PgDataSource
{
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
    public IAsyncEnumerable<T> ExportAsync<[DynamicallyAccessedMembers(ExportedObject.Needed)] T>(
        string source, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        Checked();
        return ExportRowsAsync<T>(source, cancellationToken);
    }

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
