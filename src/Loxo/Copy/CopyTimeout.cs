namespace Loxo.Copy;

/// <summary>The time limits of copies, which users give as spans of time.</summary>
internal static class CopyTimeout
{
    /// <summary>Milliseconds; <see cref="Timeout.Infinite"/> for a span of zero or <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    public static int Milliseconds(TimeSpan time)
    {
        if (time == Timeout.InfiniteTimeSpan || time == TimeSpan.Zero)
            return Timeout.Infinite;
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        return (int)Math.Clamp(Math.Ceiling(time.TotalMilliseconds), 1, int.MaxValue);
    }

    /// <summary>The span for so many milliseconds; zero for no limit.</summary>
    public static TimeSpan Of(int milliseconds) =>
        milliseconds == Timeout.Infinite ? TimeSpan.Zero : TimeSpan.FromMilliseconds(milliseconds);
}
