using System.Runtime.ExceptionServices;
using Loxo.Transport;

namespace Loxo.Notifications;

/// <summary>One caller of ListenAsync: its channels and the queue of its items.</summary>
/// <param name="channels">The channels that it listens to, each once.</param>
/// <param name="options">Read once.</param>
internal sealed class NotificationReader(string[] channels, PgListenOptions options)
{
    private readonly Lock _lock = new();
    private readonly Queue<PgNotification> _items = [];
    private readonly Turn _turn = new();
    private readonly int _capacity = options.Capacity;
    private readonly PgListenOverflow _overflow = options.Overflow;
    private int _notifications;
    private bool _isListening;
    private bool _hasListened;
    private bool _endsWithGap;
    // Where the oldest ones were dropped: in front of the queue. Started while that has not been read.
    private PgNotificationGap _gapInFront;
    private long _droppedInFront;
    private long _droppedBehind;
    private Exception? _error;

    /// <summary>The channels that it listens to.</summary>
    public string[] Channels { get; } = channels;

    /// <inheritdoc cref="PgListenOptions.ProbeInterval"/>
    public TimeSpan ProbeInterval { get; } = options.ProbeInterval;

    /// <summary>Whether the server sends notifications for it.</summary>
    public bool IsListening
    {
        get
        {
            lock (_lock)
                return _isListening;
        }
    }

    /// <summary>The server sends its notifications from here on. What came before does not count.</summary>
    public void Start()
    {
        lock (_lock)
        {
            if (!_hasListened)
                _gapInFront = PgNotificationGap.Started;
            else if (_items.Count == 0 ? _gapInFront == PgNotificationGap.None : !_endsWithGap)
                AddGap(PgNotificationGap.ConnectionLost);
            _isListening = _hasListened = true;
        }
        _turn.Give();
    }

    /// <summary>The connection is lost.</summary>
    public void Stop()
    {
        lock (_lock)
            _isListening = false;
    }

    /// <summary>Adds a notification, if there is room.</summary>
    public void Add(PgNotification notification)
    {
        lock (_lock)
        {
            if (!_isListening || _error is not null || (_notifications == _capacity && !MakeRoom()))
                return;
            if (_droppedBehind > 0)
                AddGap(PgNotificationGap.QueueFull);
            _items.Enqueue(notification);
            _endsWithGap = false;
            _notifications++;
        }
        _turn.Give();
    }

    /// <summary>Ends the reader with an error, which it gets behind the items in its queue.</summary>
    public void Fail(Exception error)
    {
        lock (_lock)
            _error ??= error;
        _turn.Give();
    }

    /// <summary>The next item.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask<PgNotification> ReadAsync(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (TryRead(out var item))
            return item;
        using var cancelled = token.UnsafeRegister(static turn => ((Turn)turn!).Give(), _turn);
        while (!TryRead(out item))
        {
            await _turn.WaitAsync().ConfigureAwait(false);
            token.ThrowIfCancellationRequested();
        }
        return item;
    }

    private bool TryRead(out PgNotification item)
    {
        lock (_lock)
        {
            if (_gapInFront == PgNotificationGap.None && _items.Count == 0 && _droppedBehind > 0)
                AddGap(PgNotificationGap.QueueFull);
            if (_gapInFront != PgNotificationGap.None)
            {
                item = new PgNotification(_gapInFront, _droppedInFront);
                (_gapInFront, _droppedInFront) = (PgNotificationGap.None, 0);
                return true;
            }
            if (_items.TryDequeue(out item))
            {
                _notifications -= item.IsGap ? 0 : 1;
                return true;
            }
            if (_error is not null)
                ExceptionDispatchInfo.Throw(_error);
            return false;
        }
    }

    private bool MakeRoom()
    {
        switch (_overflow)
        {
            case PgListenOverflow.DropNewest:
                _droppedBehind++;
                return false;
            case PgListenOverflow.Fail:
                _error = new PgException($"More than {_capacity} notifications have come that were not read, and 'Overflow' is Fail. Read "
                    + "faster, or set a larger 'Capacity'.", PgErrorCode.NotificationsLost);
                return false;
            default:
                DropOldest();
                return true;
        }
    }

    // Gap markers between the dropped ones become part of the one in front.
    private void DropOldest()
    {
        PgNotification oldest;
        while ((oldest = _items.Dequeue()).IsGap)
            _droppedInFront += oldest.Dropped;
        _notifications--;
        _droppedInFront++;
        if (_gapInFront != PgNotificationGap.Started)
            _gapInFront = PgNotificationGap.QueueFull;
    }

    private void AddGap(PgNotificationGap gap)
    {
        _items.Enqueue(new PgNotification(gap, _droppedBehind));
        _endsWithGap = true;
        _droppedBehind = 0;
    }
}
