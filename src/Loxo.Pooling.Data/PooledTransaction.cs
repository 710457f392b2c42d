using System.Data;
using System.Data.Common;
using Loxo.Pooling.Data;

namespace Loxo.Pooling;

/// <summary>A transaction of a <see cref="PooledConnection"/>. It ends with its connection at the latest.</summary>
public sealed class PooledTransaction : DbTransaction
{
    private readonly PooledConnection _connection;
    private readonly PhysicalConnection _physical;
    private readonly Handle<DbTransaction> _inner;

    internal PooledTransaction(Execution call, DbTransaction inner)
    {
        (_connection, _physical, _inner) = (call.Connection, call.Physical, new Handle<DbTransaction>(inner));
        _physical.Add(_inner);
    }

    /// <summary>The provider's transaction, for its own members. Do not keep it.</summary>
    /// <exception cref="InvalidOperationException">The transaction has ended.</exception>
    public DbTransaction InnerTransaction => _inner.Target
        ?? throw new InvalidOperationException("The transaction has ended, or its connection was closed.");

    /// <inheritdoc/>
    public override IsolationLevel IsolationLevel => InnerTransaction.IsolationLevel;

    /// <inheritdoc/>
    public override bool SupportsSavepoints => _inner.Target?.SupportsSavepoints ?? false;

    /// <summary>The connection that began it; null after its end.</summary>
    protected override DbConnection? DbConnection => _inner.Target is null ? null : _connection;

    /// <inheritdoc/>
    public override void Commit()
    {
        using var call = Begin(out var inner);
        inner.Commit();
        DisposeInner();
    }

    /// <inheritdoc/>
    public override async Task CommitAsync(CancellationToken cancellationToken = default)
    {
        using var call = Begin(out var inner);
        await inner.CommitAsync(cancellationToken).ConfigureAwait(false);
        await EndAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Rollback()
    {
        using var call = Begin(out var inner);
        inner.Rollback();
        DisposeInner();
    }

    /// <inheritdoc/>
    public override async Task RollbackAsync(CancellationToken cancellationToken = default)
    {
        using var call = Begin(out var inner);
        await inner.RollbackAsync(cancellationToken).ConfigureAwait(false);
        await EndAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Save(string savepointName)
    {
        using var call = Begin(out var inner);
        inner.Save(savepointName);
    }

    /// <inheritdoc/>
    public override async Task SaveAsync(string savepointName, CancellationToken cancellationToken = default)
    {
        using var call = Begin(out var inner);
        await inner.SaveAsync(savepointName, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Rollback(string savepointName)
    {
        using var call = Begin(out var inner);
        inner.Rollback(savepointName);
    }

    /// <inheritdoc/>
    public override async Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default)
    {
        using var call = Begin(out var inner);
        await inner.RollbackAsync(savepointName, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Release(string savepointName)
    {
        using var call = Begin(out var inner);
        inner.Release(savepointName);
    }

    /// <inheritdoc/>
    public override async Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default)
    {
        using var call = Begin(out var inner);
        await inner.ReleaseAsync(savepointName, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        if (_inner.Target is not null)
        {
            using var call = Begin(out _);
            await EndAsync().ConfigureAwait(false);
        }
        await base.DisposeAsync().ConfigureAwait(false);
    }

    internal bool Is(DbTransaction inner) => _inner.Target == inner;

    /// <summary>The provider's transaction, for a command of this connection.</summary>
    internal DbTransaction InnerFor(PooledConnection connection) => connection == _connection
        ? InnerTransaction
        : throw new InvalidOperationException("The command's transaction belongs to another connection than the command.");

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _inner.Target is not null)
        {
            using var call = Begin(out _);
            DisposeInner();
        }
        base.Dispose(disposing);
    }

    private Execution Begin(out DbTransaction inner)
    {
        inner = InnerTransaction;
        return new Execution(_connection, _physical);
    }

    private void DisposeInner()
    {
        try
        {
            End()?.Dispose();
        }
        catch
        {
            // It may not have been rolled back.
            _physical.Spoil();
            throw;
        }
    }

    private async ValueTask EndAsync()
    {
        try
        {
            if (End() is { } inner)
                await inner.DisposeAsync().ConfigureAwait(false);
        }
        catch
        {
            // It may not have been rolled back.
            _physical.Spoil();
            throw;
        }
    }

    private DbTransaction? End()
    {
        _physical.Remove(_inner);
        return _inner.Take();
    }
}
