using System.Data.Common;

namespace Loxo.Pooling.Data;

/// <summary>
/// Where a command or batch runs. The provider's object is given the provider's connection when it runs, and loses it when the rent
/// ends: a command of a closed wrapper can neither run nor cancel anything on what by then is somebody else's.
/// </summary>
internal abstract class Attachment
{
    // Held while a cancel request is sent, so that it has been sent before the connection is handed on.
    private readonly Lock _gate = new();
    private WeakReference<Attachment>? _self;
    private PhysicalConnection? _physical;
    private PooledConnection? _connection;
    private PooledTransaction? _transaction;
    private bool _givesTransaction;
    private bool _disposed;

    public PooledConnection? Connection
    {
        get => _connection;
        set
        {
            if (_connection == value)
                return;
            if (_physical is { } physical && !TryDetach(physical))
                throw new InvalidOperationException("The connection cannot be changed while the command runs or its reader is open: close the reader first.");
            _connection = value;
            Transaction = null;
        }
    }

    public PooledTransaction? Transaction
    {
        get => _transaction;
        set
        {
            _givesTransaction |= value != _transaction;
            _transaction = value;
        }
    }

    protected abstract string Kind { get; }

    protected abstract DbConnection? InnerConnection { get; set; }

    protected abstract DbTransaction? InnerTransaction { get; set; }

    public static PooledConnection? Require(DbConnection? connection) => connection switch
    {
        null => null,
        PooledConnection pooled => pooled,
        _ => throw new ArgumentException($"The connection is a {connection.GetType().Name}, but a {nameof(PooledConnection)} of a {nameof(PooledDataSource)} is needed.", nameof(connection)),
    };

    public static PooledTransaction? Require(DbTransaction? transaction) => transaction switch
    {
        null => null,
        PooledTransaction pooled => pooled,
        _ => throw new ArgumentException($"The transaction is a {transaction.GetType().Name}, but a {nameof(PooledTransaction)} is needed: begin it with the {nameof(PooledConnection)}.", nameof(transaction)),
    };

    public bool IsAttachedTo(PhysicalConnection physical) => Volatile.Read(ref _physical) == physical;

    /// <summary>For a command that the provider's connection itself has made, and given its transaction if providers do so.</summary>
    public void Adopt(PooledConnection connection, PhysicalConnection physical, PooledTransaction? transaction)
    {
        (_connection, _physical) = (connection, physical);
        physical.Add(_self ??= new WeakReference<Attachment>(this));
        if (transaction is not null && InnerTransaction is { } given && transaction.Is(given))
            _transaction = transaction;
    }

    /// <summary>Binds the provider's command to its connection and transaction of now.</summary>
    /// <exception cref="ObjectDisposedException">The command was disposed.</exception>
    /// <exception cref="InvalidOperationException">There is no open connection, or the transaction is over or another connection's.</exception>
    public Execution Begin()
    {
        ThrowIfDisposed();
        var connection = _connection ?? throw new InvalidOperationException($"The {Kind} has no connection: set its Connection.");
        var physical = connection.Physical;
        var transaction = _transaction?.InnerFor(connection);
        lock (_gate)
        {
            if (_physical != physical)
            {
                InnerConnection = physical.Connection;
                physical.Add(_self ??= new WeakReference<Attachment>(this));
                _physical = physical;
            }
            if (_givesTransaction && InnerTransaction != transaction)
                InnerTransaction = transaction;
        }
        return new Execution(connection, physical);
    }

    public void Cancel()
    {
        lock (_gate)
        {
            if (_physical is not null && !_disposed)
                CancelInner();
        }
    }

    /// <summary>Lets go of the provider's connection.</summary>
    /// <returns>False if the provider refused: it still uses it.</returns>
    public bool TryDetach(PhysicalConnection physical)
    {
        lock (_gate)
        {
            if (_physical != physical)
                return true;
            try
            {
                if (InnerTransaction is not null)
                    InnerTransaction = null;
                InnerConnection = null;
            }
            catch (Exception)
            {
                return false;
            }
            _physical = null;
            return true;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (_disposed)
                return;
            _disposed = true;
            _physical = null;
            DisposeInner();
        }
    }

    public void ThrowIfDisposed()
    {
        if (_disposed)
            throw new ObjectDisposedException(Kind, $"The {Kind} has been disposed.");
    }

    protected abstract void CancelInner();

    protected abstract void DisposeInner();
}
