using System.Data;
using System.Data.Common;
using System.Transactions;

namespace Loxo.Pooling.Data;

/// <summary>A provider's connection, what its renter has open on it, and whether another renter may have it. It never holds its renter.</summary>
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

    /// <summary>When it was returned, as a time stamp of the pool's clock.</summary>
    public long IdleSince { get; set; }

    /// <summary>The transaction of System.Transactions that it takes part in; null if none.</summary>
    public Transaction? Enlisted { get; set; }

    /// <summary>Whether its renter was collected without returning it.</summary>
    public bool IsLost => _hasRenter && !_renter.TryGetTarget(out _);

    /// <summary>Notes that it is not fit for another renter.</summary>
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

    /// <summary>Puts off what would disturb a call of the provider that still runs.</summary>
    /// <returns>False if none runs.</returns>
    public bool TryPutOff(Action action)
    {
        Interlocked.Exchange(ref _whenIdle, action);
        // The last call may have ended meanwhile: whoever takes the action out has it.
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

    /// <summary>Notes a command that must let go of the provider's connection when the rent ends.</summary>
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

    /// <summary>Ends what the renter left open, but for the transaction, blocking.</summary>
    /// <returns>False if it must not be rented again.</returns>
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
                // Of interest to nobody any more: the connection is closed for it.
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
                // Of interest to nobody any more: the connection is closed for it.
                Spoil();
            }
        }
        return LetGo();
    }

    /// <summary>The transaction that the renter left open, if any, for the first who asks.</summary>
    public DbTransaction? TakeLeftTransaction()
    {
        var left = _left;
        _left = null;
        return left;
    }

    private DbDataReader? NextReader()
    {
        // A call that still runs has its objects in use.
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
