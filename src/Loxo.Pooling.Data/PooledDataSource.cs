using System.Data.Common;
using System.Transactions;
using Loxo.Pooling.Data;

namespace Loxo.Pooling;

/// <summary>
/// Pools the connections of any ADO.NET provider. Its connections are wrappers: opening one rents a connection of the provider, closing it
/// returns that. All members are thread-safe.
/// </summary>
/// <remarks>Switch the provider's own pool off, mostly with <c>Pooling=false</c>. Otherwise two pools count, check and reset.</remarks>
public sealed class PooledDataSource : DbDataSource
{
    private readonly ResourcePool<PhysicalConnection> _pool;
    private readonly EnlistedConnections _enlisted;
    private readonly Func<DbConnection> _create;

    private PooledDataSource(
        Func<DbConnection> create, DbProviderFactory? factory, ResourcePoolOptions? options, PooledConnectionPolicy? policy)
    {
        options ??= new ResourcePoolOptions();
        _create = create;
        Policy = policy ?? new PooledConnectionPolicy();
        Template = create();
        InnerFactory = factory ?? DbProviderFactories.GetFactory(Template);
        Factory = new PooledProviderFactory(this);
        _pool = new ResourcePool<PhysicalConnection>(new PhysicalConnectionPolicy(create, Policy, options.Time), options);
        _enlisted = new EnlistedConnections(_pool);
    }

    /// <summary>The provider's connection string, mostly with the password.</summary>
    public override string ConnectionString => Template.ConnectionString;

    /// <summary>The options that the pool was created with.</summary>
    public ResourcePoolOptions Options => _pool.Options;

    internal PooledConnectionPolicy Policy { get; }

    /// <summary>A connection of the provider that is never opened. It knows the connection string's parts.</summary>
    internal DbConnection Template { get; }

    internal DbProviderFactory? InnerFactory { get; }

    internal DbProviderFactory Factory { get; }

    /// <summary>Creates a data source from a provider's factory.</summary>
    /// <param name="factory">The provider.</param>
    /// <param name="connectionString">The provider's connection string, which should switch its pool off.</param>
    /// <param name="options">Sizes and times of the pool; null for the defaults.</param>
    /// <param name="policy">Opens, checks, resets and closes connections; null for the defaults.</param>
    /// <exception cref="ArgumentException">The provider refuses the connection string.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="NotSupportedException">The factory creates no connections.</exception>
    public static PooledDataSource Create(
        DbProviderFactory factory, string connectionString, ResourcePoolOptions? options = null, PooledConnectionPolicy? policy = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        return new PooledDataSource(Make, factory, options, policy);

        DbConnection Make()
        {
            var connection = factory.CreateConnection()
                ?? throw new NotSupportedException($"{factory.GetType().Name} creates no connections.");
            connection.ConnectionString = connectionString;
            return connection;
        }
    }

    /// <summary>Creates a data source from one of the provider's, which should not pool itself.</summary>
    /// <param name="dataSource">Creates the connections. The caller disposes it after this data source.</param>
    /// <param name="options">Sizes and times of the pool; null for the defaults.</param>
    /// <param name="policy">Opens, checks, resets and closes connections; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public static PooledDataSource Create(
        DbDataSource dataSource, ResourcePoolOptions? options = null, PooledConnectionPolicy? policy = null)
    {
        ArgumentNullException.ThrowIfNull(dataSource);
        return new PooledDataSource(dataSource.CreateConnection, null, options, policy);
    }

    /// <summary>Creates a closed connection.</summary>
    public new PooledConnection CreateConnection() => new(this);

    /// <summary>Creates and opens a connection, blocking.</summary>
    /// <inheritdoc cref="PooledConnection.Open"/>
    public new PooledConnection OpenConnection() => (PooledConnection)base.OpenConnection();

    /// <summary>Creates and opens a connection.</summary>
    /// <inheritdoc cref="PooledConnection.OpenAsync(CancellationToken)"/>
    public new async ValueTask<PooledConnection> OpenConnectionAsync(CancellationToken cancellationToken = default) =>
        (PooledConnection)await base.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);

    /// <inheritdoc cref="ResourcePool{T}.GetStatistics"/>
    public PoolStatistics GetStatistics() => _pool.GetStatistics();

    /// <inheritdoc cref="ResourcePool{T}.Clear"/>
    public void Clear() => _pool.Clear();

    /// <inheritdoc cref="ResourcePool{T}.ClearAsync"/>
    public ValueTask ClearAsync() => _pool.ClearAsync();

    /// <inheritdoc cref="ResourcePool{T}.WarmUp"/>
    public void WarmUp(int count) => _pool.WarmUp(count);

    /// <inheritdoc cref="ResourcePool{T}.WarmUpAsync"/>
    public ValueTask WarmUpAsync(int count, CancellationToken token = default) => _pool.WarmUpAsync(count, token);

    /// <inheritdoc cref="ResourcePool{T}.Resize"/>
    public void Resize(int minimum, int maximum) => _pool.Resize(minimum, maximum);

    /// <inheritdoc cref="ResourcePool{T}.DrainAsync"/>
    public ValueTask<bool> DrainAsync(TimeSpan timeout) => _pool.DrainAsync(timeout);

    internal Rental<PhysicalConnection> Rent(Transaction? ambient) =>
        ambient is not null && _enlisted.TryTake(ambient, out var rental) ? rental : _pool.Rent();

    internal ValueTask<Rental<PhysicalConnection>> RentAsync(Transaction? ambient, CancellationToken token) =>
        ambient is not null && _enlisted.TryTake(ambient, out var rental) ? new(rental) : _pool.RentAsync(token);

    internal void GiveBack(Rental<PhysicalConnection> rental, bool isReusable)
    {
        if (IsKept(rental, ref isReusable) || IsPutOff(rental, isReusable))
            return;
        if (isReusable)
            _pool.Return(rental);
        else
            _pool.Discard(rental);
    }

    internal ValueTask GiveBackAsync(Rental<PhysicalConnection> rental, bool isReusable)
    {
        if (IsKept(rental, ref isReusable) || IsPutOff(rental, isReusable))
            return default;
        return isReusable ? _pool.ReturnAsync(rental) : _pool.DiscardAsync(rental);
    }

    /// <summary>A command of the provider that belongs to no connection.</summary>
    internal DbCommand CreateInnerCommand()
    {
        if (InnerFactory?.CreateCommand() is { } command)
            return command;
        command = _create().CreateCommand();
        command.Connection = null;
        return command;
    }

    /// <summary>A batch of the provider that belongs to no connection.</summary>
    /// <exception cref="NotSupportedException">The provider has none.</exception>
    internal DbBatch CreateInnerBatch()
    {
        if (InnerFactory is { CanCreateBatch: true } factory)
            return factory.CreateBatch();
        var batch = _create().CreateBatch();
        batch.Connection = null;
        return batch;
    }

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => CreateConnection();

    /// <inheritdoc cref="ResourcePool{T}.Dispose"/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _pool.Dispose();
    }

    /// <inheritdoc cref="Dispose(bool)"/>
    protected override ValueTask DisposeAsyncCore() => _pool.DisposeAsync();

    private bool IsPutOff(Rental<PhysicalConnection> rental, bool isReusable) =>
        !isReusable && rental.Resource.TryPutOff(() => _ = Task.Run(() => _pool.DiscardAsync(rental).AsTask()));

    private bool IsKept(Rental<PhysicalConnection> rental, ref bool isReusable)
    {
        var physical = rental.Resource;
        if (physical.Enlisted is not { } transaction)
            return false;
        var status = transaction.TransactionInformation.Status;
        if (status is TransactionStatus.Active && isReusable)
        {
            _enlisted.Add(transaction, rental);
            return true;
        }
        // After an abort the provider may still be rolling back on another thread.
        isReusable &= status is TransactionStatus.Committed;
        physical.Enlisted = null;
        return false;
    }
}
