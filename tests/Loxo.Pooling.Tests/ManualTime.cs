namespace Loxo.Pooling.Tests;

/// <summary>A clock that moves only when a test moves it, and its timers with it. Timers fire on the thread that moves it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<ManualTimer> _timers = [];
    private TimeSpan _now = TimeSpan.FromHours(1);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public TimeSpan Now
    {
        get
        {
            lock (_gate)
                return _now;
        }
    }

    /// <summary>When the next timer fires, from now; null if none is set.</summary>
    public TimeSpan? NextDue
    {
        get
        {
            lock (_gate)
                return _timers.Min(timer => timer.Due) - _now;
        }
    }

    public override long GetTimestamp() => Now.Ticks;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (period != Timeout.InfiniteTimeSpan && period != TimeSpan.Zero)
            throw new NotSupportedException("Timers that repeat are not simulated.");
        // As the system's timers do.
        var context = ExecutionContext.Capture();
        var timer = new ManualTimer(this, context is null ? () => callback(state) : () => ExecutionContext.Run(context, _ => callback(state), null));
        lock (_gate)
            _timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock; every timer that becomes due fires at its own moment.</summary>
    public void Advance(TimeSpan by)
    {
        var target = Now + by;
        while (TakeDue(target) is { } timer)
            timer.Fire();
        lock (_gate)
            _now = target;
    }

    /// <summary>Sets the clock, forwards or backwards, as a machine's clock may be set: no timer fires.</summary>
    public void Jump(TimeSpan by)
    {
        lock (_gate)
            _now += by;
    }

    private ManualTimer? TakeDue(TimeSpan target)
    {
        lock (_gate)
        {
            var next = _timers.Where(timer => timer.Due <= target).MinBy(timer => timer.Due);
            if (next is null)
                return null;
            _now = next.Due > _now ? next.Due.Value : _now;
            next.Due = null;
            return next;
        }
    }

    private sealed class ManualTimer(ManualTime time, Action fire) : ITimer
    {
        public TimeSpan? Due { get; set; }

        public void Fire() => fire();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._gate)
                Due = dueTime == Timeout.InfiniteTimeSpan ? null : time._now + dueTime;
            return true;
        }

        public void Dispose()
        {
            lock (time._gate)
                time._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
