namespace Loxo.Tests.Wire;

/// <summary>A clock that moves only when a test moves it, and its timers with it.</summary>
internal sealed class SimulatedTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<SimulatedTimer> _timers = [];
    private TimeSpan _now = TimeSpan.FromHours(1);

    /// <summary>Raised after each move, so that blocking waits look at the clock again.</summary>
    public event Action? Moved;

    /// <summary>How long it takes to create a timer: one that is due by then fires before its creator has it.</summary>
    public TimeSpan TimerCreation { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public TimeSpan Now
    {
        get
        {
            lock (_gate)
                return _now;
        }
    }

    /// <summary>Timers that are set and have not fired.</summary>
    public int TimersSet
    {
        get
        {
            lock (_gate)
                return _timers.Count(timer => timer.Due is not null);
        }
    }

    public override long GetTimestamp() => Now.Ticks;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (period != Timeout.InfiniteTimeSpan && period != TimeSpan.Zero)
            throw new NotSupportedException("Timers that repeat are not simulated.");
        var timer = new SimulatedTimer(this, () => callback(state));
        lock (_gate)
            _timers.Add(timer);
        timer.Change(dueTime, period);
        if (TimerCreation > TimeSpan.Zero)
            Advance(TimerCreation);
        return timer;
    }

    /// <summary>Moves the clock; every timer that becomes due fires at its own moment, on the caller's thread.</summary>
    public void Advance(TimeSpan by)
    {
        var target = Now + by;
        while (TakeDue(target) is { } timer)
        {
            timer.Fire();
            Moved?.Invoke();
        }
        lock (_gate)
            _now = target;
        Moved?.Invoke();
    }

    private SimulatedTimer? TakeDue(TimeSpan target)
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

    private sealed class SimulatedTimer(SimulatedTime time, Action fire) : ITimer
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
