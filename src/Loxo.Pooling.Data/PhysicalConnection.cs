using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Loxo.Pooling.Data;

/// <summary>A provider's connection, with the readers, transaction and commands of its renter. It does not keep the renter alive.</summary>
internal sealed class PhysicalConnection(DbConnection connection)
{
    private const int FewAttachments = 16;

    private readonly WeakReference<PooledConnection?> _renter = new(null);
    private readonly List<Handle<DbDataReader>> _readers = [];
    private readonly List<WeakReference<Attachment>> _attachments = [];
    private int _pruneAt = FewAttachments;
    private Handle<DbTransaction>? _transaction;
    private DbTransaction? _left;
    private volatile bool _hasRenter;
    private volatile bool _isSpoiled;
    private int _calls;
    private Action? _whenIdle;

    public DbConnection Connection { get; } = connection;

    /// <summary>When it was returned, as a timestamp of the pool's clock.</summary>
    public long IdleSince { get; set; }

    /// <summary>The transaction of System.Transactions that it is enlisted in; null if none.</summary>
    public Transaction? Enlisted { get; set; }

    /// <summary>Whether its renter was garbage collected without returning it.</summary>
    public bool IsLost => _hasRenter && !_renter.TryGetTarget(out _);

    /// <summary>Prevents another rent.</summary>
    public void Spoil() => _isSpoiled = true;

    public void BeginRent(PooledConnection renter)
    {
        _renter.SetTarget(renter);
        _hasRenter = true;
    }

    public void BeginCall() => Interlocked.Increment(ref _calls);

    public void EndCall()
    {
        if (Interlocked.Decrement(ref _calls) == 0)
            Interlocked.Exchange(ref _whenIdle, null)?.Invoke();
    }

    /// <summary>Puts off an action until no call of the provider runs.</summary>
    /// <returns>False if none runs.</returns>
    public bool TryPutOff(Action action)
    {
        Interlocked.Exchange(ref _whenIdle, action);
        // The last call may have ended meanwhile. The thread that takes the action out runs it.
        return Volatile.Read(ref _calls) > 0 || Interlocked.Exchange(ref _whenIdle, null) is null;
    }

    public void Add(Handle<DbDataReader> reader)
    {
        lock (_readers)
        {
            _readers.RemoveAll(other => other.Target is null or { IsClosed: true });
            _readers.Add(reader);
        }
    }

    public void Remove(Handle<DbDataReader> reader)
    {
        lock (_readers)
            _readers.Remove(reader);
    }

    public void Add(Handle<DbTransaction> transaction) => _transaction = transaction;

    public void Remove(Handle<DbTransaction> transaction) => Interlocked.CompareExchange(ref _transaction, null, transaction);

    /// <summary>Adds a command that must be detached when the rent ends.</summary>
    public void Add(WeakReference<Attachment> attachment)
    {
        lock (_attachments)
        {
            if (_attachments.Count >= _pruneAt)
            {
                _attachments.RemoveAll(other => !other.TryGetTarget(out var target) || !target.IsAttachedTo(this));
                _pruneAt = Math.Max(FewAttachments, 2 * _attachments.Count);
            }
            _attachments.Add(attachment);
        }
    }

    /// <summary>Closes the renter's readers and detaches its commands.</summary>
    /// <returns>False if the connection must not be rented again.</returns>
    public bool Settle()
    {
        _hasRenter = false;
        while (NextReader() is { } reader)
        {
            try
            {
                reader.Dispose();
            }
            catch (Exception)
            {
                // The renter is gone, so the error only closes the connection.
                Spoil();
            }
        }
        return LetGo();
    }

    /// <inheritdoc cref="Settle"/>
    public async ValueTask<bool> SettleAsync()
    {
        _hasRenter = false;
        while (NextReader() is { } reader)
        {
            try
            {
                await reader.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception)
            {
                // The renter is gone, so the error only closes the connection.
                Spoil();
            }
        }
        return LetGo();
    }

    /// <summary>Returns the transaction that the renter left open to the first caller; null if there is none.</summary>
    public DbTransaction? TakeLeftTransaction()
    {
        var left = _left;
        _left = null;
        return left;
    }

    private DbDataReader? NextReader()
    {
        // A running call still uses its readers.
        if (Volatile.Read(ref _calls) > 0)
            return null;
        lock (_readers)
        {
            while (_readers.Count > 0)
            {
                var reader = _readers[^1].Take();
                _readers.RemoveAt(_readers.Count - 1);
                if (reader is not null)
                    return reader;
            }
        }
        return null;
    }

    private bool LetGo()
    {
        _left = _transaction?.Take();
        _transaction = null;
        if (Volatile.Read(ref _calls) > 0)
        {
            Spoil();
            return false;
        }
        lock (_attachments)
        {
            foreach (var reference in _attachments)
            {
                if (reference.TryGetTarget(out var attachment) && !attachment.TryDetach(this))
                    Spoil();
            }
            _attachments.Clear();
        }
        return !_isSpoiled && Connection.State == ConnectionState.Open;
    }
}
