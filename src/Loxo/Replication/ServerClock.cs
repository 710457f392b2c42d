namespace Loxo.Replication;

/// <summary>Moments as the replication protocol has them: microseconds since the beginning of the year 2000, in UTC.</summary>
internal static class ServerClock
{
    private static readonly DateTime _start = new(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>The moment; the earliest or latest one that a <see cref="DateTime"/> holds where it holds no such moment.</summary>
    public static DateTime ToTime(long microseconds)
    {
        var ticks = (Int128)_start.Ticks + ((Int128)microseconds * TimeSpan.TicksPerMicrosecond);
        return new((long)Int128.Clamp(ticks, DateTime.MinValue.Ticks, DateTime.MaxValue.Ticks), DateTimeKind.Utc);
    }

    public static long FromTime(DateTime utc) => (utc - _start).Ticks / TimeSpan.TicksPerMicrosecond;
}
