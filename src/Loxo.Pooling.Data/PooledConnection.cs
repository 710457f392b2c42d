using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Transactions;
using Loxo.Pooling.Data;
using IsolationLevel = System.Data.IsolationLevel;

namespace Loxo.Pooling;

/// <summary>
/// A connection of a <see cref="PooledDataSource"/>. <see cref="Open"/> rents a connection of the provider, <see cref="Close"/> gives it
/// back, and in between everything is passed on to it. Like any connection it is for one thread at a time.
/// </summary>
/// <remarks>
/// If it is collected without having been closed, the provider's connection is closed, and a place in the pool is free again, within
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

    /// <summary>
    /// The provider's connection, for what only the provider has. It must not be closed, nor kept: after <see cref="Close"/> it is
    /// somebody else's.
    /// </summary>
    /// <exception cref="InvalidOperationException">The connection is closed.</exception>
    public DbConnection InnerConnection => Physical.Connection;

    /// <summary>
    /// The connection string, as the provider's connection shows it: most providers leave the password out once it is open. It cannot be set.
    /// </summary>
    /// <exception cref="NotSupportedException">It was set.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => (_physical?.Connection ?? _source.Template).ConnectionString;
        set => throw new NotSupportedException($"The connection string belongs to the {nameof(PooledDataSource)} that made the connection: make another data source for another one.");
    }

    /// <summary>How long opening may take, in seconds: <see cref="ResourcePoolOptions.RentTimeout"/>, rounded up; 0 for no limit.</summary>
    public override int ConnectionTimeout => _source.Options.RentTimeout is var limit && limit == Timeout.InfiniteTimeSpan ? 0 : (int)Math.Ceiling(limit.TotalSeconds);

    /// <inheritdoc/>
    public override string Database => (_physical?.Connection ?? _source.Template).Database;

    /// <inheritdoc/>
    public override string DataSource => (_physical?.Connection ?? _source.Template).DataSource;

    /// <inheritdoc/>
    public override string ServerVersion => InnerConnection.ServerVersion;

    /// <summary>The state of the provider's connection; <see cref="ConnectionState.Closed"/> while none is rented.</summary>
    public override ConnectionState State => _isOpening ? ConnectionState.Connecting : _physical?.Connection.State ?? ConnectionState.Closed;

    /// <inheritdoc/>
    public override bool CanCreateBatch => (_physical?.Connection ?? _source.Template).CanCreateBatch;

    /// <inheritdoc/>
    protected override DbProviderFactory DbProviderFactory => _source.Factory;

    internal PhysicalConnection Physical => _physical
        ?? throw (_disposed ? new ObjectDisposedException(nameof(PooledConnection)) : new InvalidOperationException($"The connection is {(_isOpening ? "still opening" : "closed: open it first")}."));

    /// <summary>Rents a connection of the provider, blocking for at most <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <exception cref="PoolExhaustedException">The time is over.</exception>
    /// <exception cref="InvalidOperationException">The connection is open already.</exception>
    /// <exception cref="ObjectDisposedException">The connection or the data source was disposed.</exception>
    /// <remarks>What the provider throws when it opens a connection comes through unchanged.</remarks>
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

    /// <summary>Rents a connection of the provider, within <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <exception cref="PoolExhaustedException">The time is over.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="InvalidOperationException">The connection is open already.</exception>
    /// <exception cref="ObjectDisposedException">The connection or the data source was disposed.</exception>
    /// <remarks>What the provider throws when it opens a connection comes through unchanged.</remarks>
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
    /// Gives the provider's connection back, blocking: readers are closed, a transaction is rolled back, and what else the
    /// <see cref="PooledConnectionPolicy"/> demands is done. If that fails the provider's connection is closed, and if a command is still
    /// running it is closed when that has ended. Does nothing if the connection is closed.
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

    /// <summary>Changes the database, if the provider can. The provider's connection is then closed, not pooled, when it is given back.</summary>
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
    /// Lets the provider's connection take part in a transaction. If this connection is closed before the transaction has ended the
    /// provider's is kept for it: another open in the same <see cref="TransactionScope"/> gets it, and when the transaction ends it is closed.
    /// </summary>
    /// <param name="transaction">The transaction; null to take part in none any more, where the provider can do that.</param>
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
    public override DataTable GetSchema(string collectionName, string?[] restrictionValues) => GetSchema(inner => inner.GetSchema(collectionName, restrictionValues));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(CancellationToken cancellationToken = default) => GetSchemaAsync(inner => inner.GetSchemaAsync(cancellationToken));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, CancellationToken cancellationToken = default) =>
        GetSchemaAsync(inner => inner.GetSchemaAsync(collectionName, cancellationToken));

    /// <inheritdoc/>
    public override Task<DataTable> GetSchemaAsync(string collectionName, string?[] restrictionValues, CancellationToken cancellationToken = default) =>
        GetSchemaAsync(inner => inner.GetSchemaAsync(collectionName, restrictionValues, cancellationToken));

    internal Execution BeginCall() => new(this, Physical);

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        using var call = BeginCall();
        return _transaction = new PooledTransaction(call, call.Physical.Connection.BeginTransaction(isolationLevel));
    }

    /// <inheritdoc/>
    protected override async ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        using var call = BeginCall();
        return _transaction = new PooledTransaction(
            call, await call.Physical.Connection.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false));
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
        // Not by the finalizer: the pool takes care of what was lost.
        if (disposing)
        {
            _disposed = true;
            Close();
        }
        base.Dispose(disposing);
    }

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

    // The rental, for the first who asks.
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
