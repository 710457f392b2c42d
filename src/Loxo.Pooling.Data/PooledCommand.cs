using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Loxo.Pooling.Data;

namespace Loxo.Pooling;

/// <summary>Runs the provider's command on the connection that its <see cref="PooledConnection"/> has rented.</summary>
public sealed class PooledCommand : DbCommand
{
    private readonly DbCommand _inner;
    private readonly CommandAttachment _attachment;

    internal PooledCommand(DbCommand inner) => (_inner, _attachment) = (inner, new CommandAttachment(inner));

    internal PooledCommand(DbCommand inner, PooledConnection connection, PhysicalConnection physical, PooledTransaction? transaction)
        : this(inner) =>
        _attachment.Adopt(connection, physical, transaction);

    /// <summary>The provider's command, for its own members. Run it through this command only.</summary>
    /// <exception cref="ObjectDisposedException">The command was disposed.</exception>
    public DbCommand InnerCommand
    {
        get
        {
            _attachment.ThrowIfDisposed();
            return _inner;
        }
    }

    /// <inheritdoc/>
    [AllowNull]
    public override string CommandText { get => InnerCommand.CommandText; set => InnerCommand.CommandText = value; }

    /// <inheritdoc/>
    public override int CommandTimeout { get => InnerCommand.CommandTimeout; set => InnerCommand.CommandTimeout = value; }

    /// <inheritdoc/>
    public override CommandType CommandType { get => InnerCommand.CommandType; set => InnerCommand.CommandType = value; }

    /// <inheritdoc/>
    public override bool DesignTimeVisible { get => InnerCommand.DesignTimeVisible; set => InnerCommand.DesignTimeVisible = value; }

    /// <inheritdoc/>
    public override UpdateRowSource UpdatedRowSource { get => InnerCommand.UpdatedRowSource; set => InnerCommand.UpdatedRowSource = value; }

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

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => InnerCommand.Parameters;

    /// <summary>Asks the provider to cancel the running command. Does nothing after the connection was closed.</summary>
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
    public override async Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
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
    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        using var call = _attachment.Begin();
        return await _inner.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => InnerCommand.CreateParameter();

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

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _attachment.Dispose();
        base.Dispose(disposing);
    }
}
