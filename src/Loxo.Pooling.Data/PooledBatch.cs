using System.Data;
using System.Data.Common;
using Loxo.Pooling.Data;

namespace Loxo.Pooling;

/// <summary>Runs the provider's batch on the connection that its <see cref="PooledConnection"/> has rented.</summary>
public sealed class PooledBatch : DbBatch
{
    private readonly DbBatch _inner;
    private readonly BatchAttachment _attachment;

    internal PooledBatch(DbBatch inner) => (_inner, _attachment) = (inner, new BatchAttachment(inner));

    internal PooledBatch(DbBatch inner, PooledConnection connection, PhysicalConnection physical, PooledTransaction? transaction)
        : this(inner) =>
        _attachment.Adopt(connection, physical, transaction);

    /// <summary>The provider's batch, for its own members. Run it through this batch only.</summary>
    /// <exception cref="ObjectDisposedException">The batch was disposed.</exception>
    public DbBatch InnerBatch
    {
        get
        {
            _attachment.ThrowIfDisposed();
            return _inner;
        }
    }

    /// <inheritdoc/>
    public override int Timeout { get => InnerBatch.Timeout; set => InnerBatch.Timeout = value; }

    /// <inheritdoc/>
    protected override DbBatchCommandCollection DbBatchCommands => InnerBatch.BatchCommands;

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => _attachment.Connection;
        set => _attachment.Connection = Attachment.Require(value);
    }

    /// <inheritdoc/>
    protected override DbTransaction? DbTransaction
    {
        get => _attachment.Transaction;
        set => _attachment.Transaction = Attachment.Require(value);
    }

    /// <summary>Asks the provider to cancel the running batch. Does nothing after the connection was closed.</summary>
    public override void Cancel() => _attachment.Cancel();

    /// <inheritdoc/>
    public override void Prepare()
    {
        using var call = _attachment.Begin();
        _inner.Prepare();
    }

    /// <inheritdoc/>
    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        using var call = _attachment.Begin();
        await _inner.PrepareAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override int ExecuteNonQuery()
    {
        using var call = _attachment.Begin();
        return _inner.ExecuteNonQuery();
    }

    /// <inheritdoc/>
    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default)
    {
        using var call = _attachment.Begin();
        return await _inner.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override object? ExecuteScalar()
    {
        using var call = _attachment.Begin();
        return _inner.ExecuteScalar();
    }

    /// <inheritdoc/>
    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default)
    {
        using var call = _attachment.Begin();
        return await _inner.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _attachment.Dispose();
        base.Dispose();
    }

    /// <inheritdoc/>
    protected override DbBatchCommand CreateDbBatchCommand() => InnerBatch.CreateBatchCommand();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        using var call = _attachment.Begin();
        return new PooledDataReader(call, _inner.ExecuteReader(behavior & ~CommandBehavior.CloseConnection), behavior);
    }

    /// <inheritdoc/>
    protected override async Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        using var call = _attachment.Begin();
        var inner = await _inner.ExecuteReaderAsync(behavior & ~CommandBehavior.CloseConnection, cancellationToken).ConfigureAwait(false);
        return new PooledDataReader(call, inner, behavior);
    }
}
