using System.Data.Common;

namespace Loxo.Pooling.Data;

/// <summary>
/// Attaches a provider's command or batch to the provider's connection when it runs, and detaches it when the rent ends, so that it can
/// neither run nor cancel anything on a connection that has another renter.
/// </summary>
internal abstract class Attachment
{
    // Held while a cancel request is sent, so that it arrives before the connection has another renter.
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
                throw new InvalidOperationException($"The connection cannot be changed while the {Kind} runs or its reader is open.");
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
        _ => throw new ArgumentException($"A PooledConnection is needed, not a {connection.GetType().Name}.", nameof(connection)),
    };

    public static PooledTransaction? Require(DbTransaction? transaction) => transaction switch
    {
        null => null,
        PooledTransaction pooled => pooled,
        _ => throw new ArgumentException(
            $"A transaction begun by a PooledConnection is needed, not a {transaction.GetType().Name}.", nameof(transaction)),
    };

    public bool IsAttachedTo(PhysicalConnection physical) => Volatile.Read(ref _physical) == physical;

    /// <summary>Attaches a command that the provider's connection created, with the transaction that the provider gave it.</summary>
    public void Adopt(PooledConnection connection, PhysicalConnection physical, PooledTransaction? transaction)
    {
        (_connection, _physical) = (connection, physical);
        physical.Add(_self ??= new WeakReference<Attachment>(this));
        if (transaction is not null && InnerTransaction is { } given && transaction.Is(given))
            _transaction = transaction;
    }

    /// <summary>Attaches the provider's command to the connection that is rented now, and to the transaction.</summary>
    /// <exception cref="ObjectDisposedException">The command was disposed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The connection is not open, or the transaction has ended or belongs to another one.
    /// </exception>
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

    /// <summary>Detaches from the provider's connection.</summary>
    /// <returns>False if the provider refused because it still uses the connection.</returns>
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
