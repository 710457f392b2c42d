using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Transactions;
using Loxo.Pooling.Data;
using IsolationLevel = System.Data.IsolationLevel;

namespace Loxo.Pooling;

/// <summary>
/// A connection of a <see cref="PooledDataSource"/>. <see cref="Open"/> rents a connection of the provider, <see cref="Close"/> returns it.
/// Like any connection it is not thread-safe.
/// </summary>
/// <remarks>
/// If it is garbage collected without having been closed, the pool closes the provider's connection within
/// <see cref="ResourcePoolOptions.MaintenanceInterval"/>.
/// </remarks>
public sealed class PooledConnection : DbConnection
{
    private static readonly StateChangeEventArgs _opened = new(ConnectionState.Closed, ConnectionState.Open);
    private static readonly StateChangeEventArgs _closed = new(ConnectionState.Open, ConnectionState.Closed);

    private readonly PooledDataSource _source;
    private Rental<PhysicalConnection> _rental;
    private PhysicalConnection? _physical;
    private PooledTransaction? _transaction;
    private bool _isOpening;
    private bool _disposed;

    internal PooledConnection(PooledDataSource source) => _source = source;

    /// <summary>The provider's connection, for its own members. Do not close it, nor use it after <see cref="Close"/>.</summary>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    public DbConnection InnerConnection => Physical.Connection;

    /// <summary>The connection string as the provider shows it, mostly without the password once open. It cannot be set.</summary>
    /// <exception cref="NotSupportedException">It was set.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => Known.ConnectionString;
        set => throw new NotSupportedException("The connection string cannot be set: create another PooledDataSource for another one.");
    }

    /// <summary>How long opening may take, in seconds: <see cref="ResourcePoolOptions.RentTimeout"/>, rounded up; 0 for no limit.</summary>
    public override int ConnectionTimeout =>
        _source.Options.RentTimeout is var limit && limit == Timeout.InfiniteTimeSpan ? 0 : (int)Math.Ceiling(limit.TotalSeconds);

    /// <inheritdoc/>
    public override string Database => Known.Database;

    /// <inheritdoc/>
    public override string DataSource => Known.DataSource;

    /// <inheritdoc/>
    public override string ServerVersion => InnerConnection.ServerVersion;

    /// <summary>The state of the provider's connection; <see cref="ConnectionState.Closed"/> while none is rented.</summary>
    public override ConnectionState State =>
        _isOpening ? ConnectionState.Connecting : _physical?.Connection.State ?? ConnectionState.Closed;

    /// <inheritdoc/>
    public override bool CanCreateBatch => Known.CanCreateBatch;

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => _source.Factory;

    internal PhysicalConnection Physical => _physical ?? throw NotOpen();

    // Knows the connection string's parts.
    private DbConnection Known => _physical?.Connection ?? _source.Template;

    /// <summary>Rents a connection of the provider, within <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <exception cref="PoolExhaustedException">The rent took too long.</exception>
    /// <exception cref="InvalidOperationException">The connection is open already.</exception>
    /// <exception cref="ObjectDisposedException">The connection or the data source was disposed.</exception>
    /// <remarks>If opening fails, the provider's exception comes through unchanged.</remarks>
    public override void Open()
    {
        BeginOpen();
        try
        {
            if (TakeRental() is { } broken)
                _source.GiveBack(broken, broken.Resource.Settle());
            var ambient = Transaction.Current;
            var rental = _source.Rent(ambient);
            if (!TryEnlist(rental, ambient, out var error))
            {
                _source.GiveBack(rental, isReusable: false);
                throw error;
            }
            BeginRent(rental);
        }
        finally
        {
            _isOpening = false;
        }
        OnStateChange(_opened);
    }

    /// <param name="cancellationToken">Cancels the rent.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <inheritdoc cref="Open"/>
    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        BeginOpen();
        try
        {
            if (TakeRental() is { } broken)
                await _source.GiveBackAsync(broken, await broken.Resource.SettleAsync().ConfigureAwait(false)).ConfigureAwait(false);
            var ambient = Transaction.Current;
            var rental = await _source.RentAsync(ambient, cancellationToken).ConfigureAwait(false);
            if (!TryEnlist(rental, ambient, out var error))
            {
                await _source.GiveBackAsync(rental, isReusable: false).ConfigureAwait(false);
                throw error;
            }
            BeginRent(rental);
        }
        finally
        {
            _isOpening = false;
        }
        OnStateChange(_opened);
    }

    /// <summary>
    /// Returns the provider's connection: its readers are closed, its transaction is rolled back, and the
    /// <see cref="PooledConnectionPolicy"/> resets it. If that fails the provider's connection is closed; if a command is still running,
    /// after its end. Does nothing if the connection is closed.
    /// </summary>
    public override void Close()
    {
        if (TakeRental() is not { } rental)
            return;
        _source.GiveBack(rental, rental.Resource.Settle());
        OnStateChange(_closed);
    }

    /// <inheritdoc cref="Close"/>
    public override async Task CloseAsync()
    {
        if (TakeRental() is not { } rental)
            return;
        await _source.GiveBackAsync(rental, await rental.Resource.SettleAsync().ConfigureAwait(false)).ConfigureAwait(false);
        OnStateChange(_closed);
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        _disposed = true;
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Changes the database, if the provider can. The provider's connection is then closed instead of returned.</summary>
    public override void ChangeDatabase(string databaseName)
    {
        using var call = BeginCall();
        call.Physical.Spoil();
        call.Physical.Connection.ChangeDatabase(databaseName);
    }

    /// <inheritdoc cref="ChangeDatabase"/>
    public override async Task ChangeDatabaseAsync(string databaseName, CancellationToken cancellationToken = default)
    {
        using var call = BeginCall();
        call.Physical.Spoil();
        await call.Physical.Connection.ChangeDatabaseAsync(databaseName, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Enlists the provider's connection in a transaction. If this connection is closed before the transaction ends, the provider's is kept
    /// for the next open in the same <see cref="TransactionScope"/>, and closed at the end of the transaction.
    /// </summary>
    /// <param name="transaction">The transaction; null for none, if the provider supports that.</param>
    public override void EnlistTransaction(Transaction? transaction)
    {
        using var call = BeginCall();
        call.Physical.Connection.EnlistTransaction(transaction);
        call.Physical.Enlisted = transaction?.Clone();
    }

    /// <inheritdoc/>
    public override DataTable GetSchema() => GetSchema(static inner => inner.GetSchema());

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName) => GetSchema(inner => inner.GetSchema(collectionName));

    /// <inheritdoc/>
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues) =>
        GetSchema(inner => inner.GetSchema(collectionName, restrictionValues));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default) =>
        GetSchemaAsync(inner => inner.GetSchemaAsync(cancellationToken));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default) =>
        GetSchemaAsync(inner => inner.GetSchemaAsync(collectionName, cancellationToken));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(
        string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default) =>
        GetSchemaAsync(inner => inner.GetSchemaAsync(collectionName, restrictionValues, cancellationToken));

    internal Execution BeginCall() => new(this, Physical);

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        using var call = BeginCall();
        return _transaction = new PooledTransaction(call, call.Physical.Connection.BeginTransaction(isolationLevel));
    }

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken token)
    {
        using var call = BeginCall();
        var inner = await call.Physical.Connection.BeginTransactionAsync(isolationLevel, token).ConfigureAwait(false);
        return _transaction = new PooledTransaction(call, inner);
    }

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand() => _physical is { } physical
        ? new PooledCommand(physical.Connection.CreateCommand(), this, physical, _transaction)
        : new PooledCommand(_source.CreateInnerCommand()) { Connection = this };

    /// <inheritdoc/>
    protected override DbBatch CreateDbBatch() => _physical is { } physical
        ? new PooledBatch(physical.Connection.CreateBatch(), this, physical, _transaction)
        : new PooledBatch(_source.CreateInnerBatch()) { Connection = this };

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        // Not from the finalizer: the pool finds abandoned connections itself.
        if (disposing)
        {
            _disposed = true;
            Close();
        }
        base.Dispose(disposing);
    }

    private InvalidOperationException NotOpen() => _disposed
        ? new ObjectDisposedException(nameof(PooledConnection))
        : new InvalidOperationException($"The connection is {(_isOpening ? "still opening" : "closed: open it first")}.");

    private void BeginOpen()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (State is var state and not (ConnectionState.Closed or ConnectionState.Broken))
            throw new InvalidOperationException($"The connection cannot be opened: it is {state}.");
        _isOpening = true;
    }

    private void BeginRent(Rental<PhysicalConnection> rental)
    {
        _rental = rental;
        rental.Resource.BeginRent(this);
        _physical = rental.Resource;
    }

    // Returns the rental to the first caller, null to the others.
    private Rental<PhysicalConnection>? TakeRental()
    {
        if (Interlocked.Exchange(ref _physical, null) is null)
            return null;
        _transaction = null;
        return _rental;
    }

    private bool TryEnlist(Rental<PhysicalConnection> rental, Transaction? ambient, [NotNullWhen(false)] out Exception? error)
    {
        error = null;
        if (ambient is null || rental.Resource.Enlisted is not null)
            return true;
        try
        {
            if (_source.Policy.Enlist(rental.Resource.Connection, ambient))
                rental.Resource.Enlisted = ambient.Clone();
        }
        catch (Exception thrown)
        {
            error = thrown;
        }
        return error is null;
    }

    private DataTable GetSchema(Func<DbConnection, DataTable> get)
    {
        using var call = BeginCall();
        return get(call.Physical.Connection);
    }

    private async Task<DataTable> GetSchemaAsync(Func<DbConnection, Task<DataTable>> get)
    {
        using var call = BeginCall();
        return await get(call.Physical.Connection).ConfigureAwait(false);
    }
}
