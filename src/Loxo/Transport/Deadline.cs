namespace Loxo.Transport;

/// <summary>How long each wait may last, and all together; without a total there is no clock to read (13-47 ns each time).</summary>
internal readonly struct Deadline
{
    private readonly TimeProvider? _time;
    private readonly long _expiresAt;

    private Deadline(int perWait, TimeProvider? time, long expiresAt)
    {
        PerWait = perWait;
        _time = time;
        _expiresAt = expiresAt;
    }

    public static Deadline None => new(Timeout.Infinite, null, 0);

    /// <summary>Milliseconds that one wait may last, whatever is left in total; <see cref="Timeout.Infinite"/> for no limit.</summary>
    public int PerWait { get; }

    /// <summary>Each wait may last that long, the total is unbounded.</summary>
    public static Deadline EachWait(int milliseconds) => new(milliseconds, null, 0);

    /// <summary>All waits together end at one moment. <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</summary>
    public static Deadline In(TimeSpan total, TimeProvider time) => total == Timeout.InfiniteTimeSpan
        ? None
        : new(Timeout.Infinite, time, time.GetTimestamp() + (long)(total.TotalSeconds * time.TimestampFrequency));

    /// <summary>Milliseconds that the next wait may last; 0 when the time is over, <see cref="Timeout.Infinite"/> for no limit.</summary>
    public int NextWait
    {
        get
        {
            if (_time is null)
                return PerWait;
            var left = Math.Max(0, (_expiresAt - _time.GetTimestamp()) * 1000.0 / _time.TimestampFrequency);
            var total = (int)Math.Min(int.MaxValue, Math.Ceiling(left));
            return PerWait == Timeout.Infinite ? total : Math.Min(total, PerWait);
        }
    }

    public TimeSpan Left => NextWait is Timeout.Infinite ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(NextWait);

    public bool HasExpired => _time is not null && NextWait == 0;

    /// <summary>The same, or an earlier one.</summary>
    public Deadline AtMost(TimeSpan span, TimeProvider time) => Left is var left && (left == Timeout.InfiniteTimeSpan || left > span)
        ? In(span, time)
        : this;
}
