namespace Loxo.Pooling.Core;

/// <summary>A monotonic clock in milliseconds. The system's is read without a virtual call.</summary>
internal readonly struct Clock(TimeProvider time)
{
    private readonly TimeProvider? _other = time == TimeProvider.System ? null : time;

    public bool IsSystem => _other is null;

    public long Now => _other is null ? Environment.TickCount64 : (long)_other.GetElapsedTime(0, _other.GetTimestamp()).TotalMilliseconds;

    /// <summary>When a wait of this length, begun now, is over; long.MaxValue for an infinite one.</summary>
    public long In(TimeSpan wait) => After(Now, wait);

    /// <summary>When a wait of this length, begun then, is over; long.MaxValue for an infinite one.</summary>
    public static long After(long then, TimeSpan wait) =>
        wait == Timeout.InfiniteTimeSpan ? long.MaxValue : then + (long)Math.Ceiling(wait.TotalMilliseconds);

    /// <summary>The time left until then, at least zero; infinite for long.MaxValue.</summary>
    public TimeSpan Left(long until) =>
        until == long.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(Math.Max(0, until - Now));
}
