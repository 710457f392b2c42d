namespace Loxo.Pooling.Core;

/// <summary>When maintenance is due. Used under the pool's lock; times are those of the pool's clock, long.MaxValue for never.</summary>
/// <param name="options">The intervals.</param>
/// <param name="clock">The pool's clock.</param>
/// <param name="watchesIdle">Whether the policy tells which idle resources need a check.</param>
/// <param name="findsLost">Whether it tells which rented ones are lost.</param>
internal sealed class MaintenanceSchedule(ResourcePoolOptions options, Clock clock, bool watchesIdle, bool findsLost)
{
    private static readonly TimeSpan _longestPause = TimeSpan.FromMinutes(2);

    private readonly bool _watchesIdle = watchesIdle;
    private readonly bool _findsLost = findsLost;
    private long _next = long.MaxValue;
    private long _nextAttention;
    // While renters wait.
    private long _nextSearch = long.MaxValue;
    private int _refillFailures;

    /// <summary>
    /// Whether the idle resources have been asked if they need a check, and none was returned since. The next returner ends this, and so
    /// sets the timer again.
    /// </summary>
    public bool AwaitsReturn { get; set; } = watchesIdle;

    /// <summary>When the idle resources were last asked.</summary>
    public long LastAttention { get; private set; }

    /// <summary>When missing resources may be opened in the background; 0 for at once.</summary>
    public long RefillAt { get; private set; }

    public bool IsFullDue(long now) => now >= _next;

    public bool IsAttentionDue(long now) => _watchesIdle && !AwaitsReturn && now >= _nextAttention;

    /// <summary>Whether lost resources are to be looked for.</summary>
    public bool IsSearchDue(long now) => _findsLost && (now >= _next || now >= _nextSearch);

    public void NoteAttention(long now, bool sawReturns) =>
        (LastAttention, _nextAttention, AwaitsReturn) = (now, Later(now, options.AttentionInterval), !sawReturns);

    /// <summary>Notes that a resource was opened, and returns when maintenance is due.</summary>
    public long NoteOpened()
    {
        (RefillAt, _refillFailures) = (0, 0);
        if (_next == long.MaxValue)
            _next = Later(clock.Now, options.MaintenanceInterval);
        return _next;
    }

    /// <summary>Notes that opening failed: the pause before the next attempt in the background doubles with each failure.</summary>
    public void NoteOpenFailed()
    {
        var interval = options.MaintenanceInterval == Timeout.InfiniteTimeSpan ? TimeSpan.FromSeconds(10) : options.MaintenanceInterval;
        var pause = interval * Math.Pow(2, Math.Min(_refillFailures++, 10));
        var longest = interval > _longestPause ? interval : _longestPause;
        RefillAt = clock.Now + (long)(pause < longest ? pause : longest).TotalMilliseconds;
    }

    /// <summary>Notes that a resource was returned, and returns when maintenance is due; null if unchanged.</summary>
    public long? NoteReturned()
    {
        if (!AwaitsReturn)
            return null;
        AwaitsReturn = false;
        return _nextAttention = Later(clock.Now, options.AttentionInterval);
    }

    /// <summary>Notes that a renter waits, and returns when maintenance is due; null if unchanged.</summary>
    public long? NoteWaiting() => !_findsLost || _nextSearch != long.MaxValue ? null
        : _nextSearch = Later(clock.Now, options.AttentionInterval);

    /// <summary>Begins the next interval if one is over, and returns when maintenance is due; null for never.</summary>
    public long? Advance(long now, bool isEmpty, bool isAwaited, long? refillDue)
    {
        if (now >= _nextSearch)
            _nextSearch = isAwaited ? Later(now, options.AttentionInterval) : long.MaxValue;
        if (now >= _next)
            _next = Later(now, options.MaintenanceInterval);
        if (isEmpty)
            _next = long.MaxValue;
        var next = Math.Min(_next, _nextSearch);
        if (refillDue is { } refill)
            next = Math.Min(next, Math.Max(refill, now + 1));
        if (_watchesIdle && !AwaitsReturn)
            next = Math.Min(next, _nextAttention);
        return next == long.MaxValue ? null : next;
    }

    private static long Later(long now, TimeSpan interval) =>
        interval == Timeout.InfiniteTimeSpan ? long.MaxValue : now + (long)interval.TotalMilliseconds;
}
