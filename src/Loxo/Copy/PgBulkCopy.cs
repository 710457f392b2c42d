using System.Data;
using System.Data.Common;
using Loxo.Copy;

namespace Loxo;

/// <summary>
/// Copies rows of any source into a table by COPY, as <c>SqlBulkCopy</c> does for SQL Server: from a reader, a DataTable, objects, or
/// arrays.
/// </summary>
/// <remarks>
/// <para>
/// Without <see cref="ColumnMappings"/>, a column of the source goes into the column of the table that has its name: exactly the same
/// name, or else the only one that differs in case and underscores alone, so that <c>OrderId</c> finds <c>order_id</c>. Columns of the
/// table that the source lacks get their default. Generated columns are left out, and so are identity columns unless
/// <see cref="KeepIdentity"/> is set or conflicts are told by them.
/// </para>
/// <para>
/// If the connection has a transaction, the rows belong to it. Otherwise all of them are copied or none; with
/// <see cref="CommitsEachBatch"/>, batches that have ended stay. After an error the connection can be used.
/// </para>
/// </remarks>
public sealed class PgBulkCopy
{
    private readonly PgConnection? _connection;
    private readonly PgDataSource? _dataSource;
    private int _isRunning;

    /// <summary>A bulk copy on an open connection, within its transaction if it has one.</summary>
    /// <param name="connection">The connection. It runs nothing else meanwhile.</param>
    public PgBulkCopy(PgConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        _connection = connection;
    }

    /// <summary>A bulk copy that rents a connection while it runs.</summary>
    /// <param name="dataSource">Where the connection comes from.</param>
    public PgBulkCopy(PgDataSource dataSource)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        _dataSource = dataSource;
    }

    /// <summary>Raised after each <see cref="NotifyAfter"/> rows and after each batch, on the thread that copies.</summary>
    public event EventHandler<PgRowsCopiedEventArgs>? RowsCopied;

    /// <summary>The table, as SQL writes it: qualified if necessary, and in double quotes if its name has capitals.</summary>
    public string DestinationTableName { get; set; } = "";

    /// <summary>Which column of the source goes into which column of the table; empty, the default, to go by names.</summary>
    public IList<PgBulkCopyColumnMapping> ColumnMappings { get; } = [];

    /// <summary>The rows of a batch, which is a COPY of its own; 0, the default, for all rows in one.</summary>
    public int BatchSize { get; set; }

    /// <summary>
    /// Whether each batch is committed by itself, so that batches that have ended stay if a later one fails: false, the default. It has no
    /// effect within a transaction of the caller.
    /// </summary>
    public bool CommitsEachBatch { get; set; }

    /// <summary>
    /// How long each wait for the server may last; zero for no limit. Null, the default, stands for the connection's
    /// <see cref="PgConnection.CommandTimeout"/>.
    /// </summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>After how many rows <see cref="RowsCopied"/> and <see cref="Progress"/> are told; 0, the default, after batches
    /// only.</summary>
    public int NotifyAfter { get; set; }

    /// <summary>Told the number of rows sent, as often as <see cref="RowsCopied"/> is raised; null, the default, for nobody.</summary>
    public IProgress<long>? Progress { get; set; }

    /// <summary>
    /// What becomes of rows whose key is in the table already: <see cref="PgBulkCopyConflict.Error"/>, the default. The others copy into a
    /// temporary table first and move the rows from there.
    /// </summary>
    public PgBulkCopyConflict Conflict { get; set; }

    /// <summary>The columns of a unique constraint by which conflicts are told; empty, the default, for the primary key.</summary>
    public IList<string> KeyColumns { get; } = [];

    /// <summary>
    /// Whether values of the source go into identity columns: false, the default, leaves these to the server. The server does not count on
    /// from such values by itself.
    /// </summary>
    public bool KeepIdentity { get; set; }

    /// <summary>Whether columns of the source without a column in the table are left out; false, the default, makes them an
    /// error.</summary>
    public bool SkipUnmatchedColumns { get; set; }

    /// <summary>
    /// How many bad rows are left out and listed in the result. With 0, the default, the first bad row ends the copy.
    /// </summary>
    /// <remarks>
    /// A row is bad if a value cannot be encoded for its column. With a <see cref="BatchSize"/>, so is a row that the server refuses with
    /// an error of SQLSTATE class 22 (data), 23 (constraints), 44 (WITH CHECK OPTION) or P0 (PL/pgSQL). Such a batch is undone and copied
    /// again without the row, so its rows are kept in memory, and each batch costs two more round trips for a savepoint. Where the error
    /// names no row, as that of a foreign key, the batch is halved until the row is found. A row that conflicts with one that is rejected
    /// later is rejected, too. A row that violates a deferred constraint is not rejected: it fails the commit.
    /// </remarks>
    public int MaxRejectedRows { get; set; }

    /// <summary>Copies the rows of a reader, from its current position on. The reader stays open, on a connection of its own.</summary>
    /// <returns>What was done.</returns>
    /// <exception cref="ArgumentNullException">The source is null.</exception>
    /// <exception cref="ArgumentException">There is no such table, or a row or column of the source is null.</exception>
    /// <exception cref="InvalidOperationException">The columns of source and table do not go together; or the copy runs
    /// already.</exception>
    /// <exception cref="PgException">Another command runs, the network failed, or the name of the table contains NUL.</exception>
    /// <exception cref="PgBulkCopyException">A value does not fit its column. It says which row.</exception>
    /// <exception cref="PostgresException">The server refuses a row: <see cref="PostgresException.FailedRow"/> says which.</exception>
    public PgBulkCopyResult WriteToServer(DbDataReader reader) => Run(new ReaderSource(reader));

    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public Task<PgBulkCopyResult> WriteToServerAsync(DbDataReader reader, CancellationToken cancellationToken = default) =>
        RunAsync(() => new ReaderSource(reader), cancellationToken);

    /// <summary>Copies the rows of a table, but for deleted ones.</summary>
    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public PgBulkCopyResult WriteToServer(DataTable table) => Run(SourceOf(table));

    /// <inheritdoc cref="WriteToServer(DataTable)"/>
    public Task<PgBulkCopyResult> WriteToServerAsync(DataTable table, CancellationToken cancellationToken = default) =>
        RunAsync(() => SourceOf(table), cancellationToken);

    /// <summary>Copies rows of a table, but for deleted ones.</summary>
    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public PgBulkCopyResult WriteToServer(DataRow[] rows) => Run(SourceOf(rows));

    /// <inheritdoc cref="WriteToServer(DataRow[])"/>
    public Task<PgBulkCopyResult> WriteToServerAsync(DataRow[] rows, CancellationToken cancellationToken = default) =>
        RunAsync(() => SourceOf(rows), cancellationToken);

    /// <summary>Copies objects: their public properties and fields.</summary>
    /// <typeparam name="T">The type of the objects. Trimming keeps its public properties and fields.</typeparam>
    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public PgBulkCopyResult WriteToServer<[DynamicallyAccessedMembers(Members)] T>(IEnumerable<T> rows) =>
        WriteToServer(rows, PgBulkCopyColumns<T>.OfMembers());

    /// <inheritdoc cref="WriteToServer{T}(IEnumerable{T})"/>
    public Task<PgBulkCopyResult> WriteToServerAsync<[DynamicallyAccessedMembers(Members)] T>(
        IEnumerable<T> rows, CancellationToken cancellationToken = default) =>
        WriteToServerAsync(rows, PgBulkCopyColumns<T>.OfMembers(), cancellationToken);

    /// <inheritdoc cref="WriteToServer{T}(IEnumerable{T})"/>
    public Task<PgBulkCopyResult> WriteToServerAsync<[DynamicallyAccessedMembers(Members)] T>(
        IAsyncEnumerable<T> rows, CancellationToken cancellationToken = default) =>
        WriteToServerAsync(rows, PgBulkCopyColumns<T>.OfMembers(), cancellationToken);

    /// <summary>Copies objects, without reflection.</summary>
    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public PgBulkCopyResult WriteToServer<T>(IEnumerable<T> rows, PgBulkCopyColumns<T> columns) => Run(new ObjectSource<T>(rows, columns));

    /// <inheritdoc cref="WriteToServer{T}(IEnumerable{T}, PgBulkCopyColumns{T})"/>
    public Task<PgBulkCopyResult> WriteToServerAsync<T>(
        IEnumerable<T> rows, PgBulkCopyColumns<T> columns, CancellationToken cancellationToken = default) =>
        RunAsync(() => new ObjectSource<T>(rows, columns), cancellationToken);

    /// <inheritdoc cref="WriteToServer{T}(IEnumerable{T}, PgBulkCopyColumns{T})"/>
    public Task<PgBulkCopyResult> WriteToServerAsync<T>(
        IAsyncEnumerable<T> rows, PgBulkCopyColumns<T> columns, CancellationToken cancellationToken = default) =>
        RunAsync(() => new AsyncObjectSource<T>(rows, columns, cancellationToken), cancellationToken);

    /// <summary>Copies columns, each of which has its values in an array.</summary>
    /// <exception cref="ArgumentException">A column is null, the columns have different lengths, or there is no such table.</exception>
    /// <inheritdoc cref="WriteToServer(DbDataReader)"/>
    public PgBulkCopyResult WriteToServer(params PgBulkCopyColumn[] columns) => Run(new ColumnarSource(columns));

    /// <inheritdoc cref="WriteToServer(PgBulkCopyColumn[])"/>
    public Task<PgBulkCopyResult> WriteToServerAsync(PgBulkCopyColumn[] columns, CancellationToken cancellationToken = default) =>
        RunAsync(() => new ColumnarSource(columns), cancellationToken);

    internal const DynamicallyAccessedMemberTypes Members =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicFields;

    /// <summary>Tells how far it has come; false if a handler wants to abort.</summary>
    internal bool Notify(long rows)
    {
        Progress?.Report(rows);
        if (RowsCopied is not { } handlers)
            return true;
        var arguments = new PgRowsCopiedEventArgs(rows);
        handlers(this, arguments);
        return !arguments.Abort;
    }

    private static DataRowSource SourceOf(DataTable table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return new(table.Rows.Cast<DataRow>(), table.Columns);
    }

    private static DataRowSource SourceOf(DataRow[] rows)
    {
        ArgumentNullException.ThrowIfNull(rows);
        if (rows.Contains(null!))
            throw new ArgumentException("A row is null.", nameof(rows));
        return new(rows, rows.Length == 0 ? null : rows[0].Table.Columns);
    }

    private PgBulkCopyResult Run(BulkSource source)
    {
        Enter();
        try
        {
            using var rented = _dataSource?.OpenConnection();
            return BulkRun.Run(this, rented ?? _connection!, source);
        }
        finally
        {
            Volatile.Write(ref _isRunning, 0);
        }
    }

    private async Task<PgBulkCopyResult> RunAsync(Func<BulkSource> source, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        Enter();
        var rented = default(PgConnection);
        try
        {
            rented = _dataSource is null ? null : await _dataSource.OpenConnectionAsync(token).ConfigureAwait(false);
            return await BulkRun.RunAsync(this, rented ?? _connection!, source(), token).ConfigureAwait(false);
        }
        finally
        {
            if (rented is not null)
                await rented.DisposeAsync().ConfigureAwait(false);
            Volatile.Write(ref _isRunning, 0);
        }
    }

    private void Enter()
    {
        if (Interlocked.Exchange(ref _isRunning, 1) != 0)
            throw BulkErrors.InUse();
    }
}
