using Loxo.Protocol.Frontend;

namespace Loxo.Types.Codecs;

/// <summary>timestamp without time zone as DateTime: the reading of some clock, so never UTC.</summary>
internal sealed class TimestampCodec : ValueCodec<DateTime>
{
    private const string Name = "timestamp without time zone";

    public override DateTime Read(ReadOnlySpan<byte> value) =>
        new(TimestampFormat.ToTicks(FixedBytes.ReadInt64(value, Name), Name, "DateTime"), DateTimeKind.Unspecified);

    public override void Write(MessageWriter writer, DateTime value)
    {
        if (value.Kind == DateTimeKind.Utc && !TimestampFormat.IsInfinite(value.Ticks))
        {
            throw TypeErrors.NoForm("A DateTime of Kind Utc", "a value of PostgreSQL type " + Name + ", which is no instant",
                "Write it as timestamp with time zone (PgDbType.TimestampTz), or give it Kind Unspecified with DateTime.SpecifyKind");
        }
        writer.WriteInt64(TimestampFormat.FromTicks(value.Ticks));
    }
}

/// <summary>timestamp with time zone as DateTime: an instant, so always UTC.</summary>
internal sealed class TimestampTzCodec : ValueCodec<DateTime>
{
    public const string Name = "timestamp with time zone";

    public override DateTime Read(ReadOnlySpan<byte> value) =>
        new(TimestampFormat.ToTicks(FixedBytes.ReadInt64(value, Name), Name, "DateTime"), DateTimeKind.Utc);

    public override void Write(MessageWriter writer, DateTime value)
    {
        if (value.Kind != DateTimeKind.Utc && !TimestampFormat.IsInfinite(value.Ticks))
        {
            throw TypeErrors.NoForm($"A DateTime of Kind {value.Kind}", "a value of PostgreSQL type " + Name + ", which is an instant",
                "Give it Kind Utc (ToUniversalTime, DateTime.UtcNow or DateTime.SpecifyKind), " +
                "or write it as timestamp without time zone (PgDbType.Timestamp)");
        }
        writer.WriteInt64(TimestampFormat.FromTicks(value.Ticks));
    }
}

/// <summary>timestamp with time zone as DateTimeOffset, always with offset 0: the server keeps the instant, not the offset.</summary>
internal sealed class TimestampTzAsOffsetCodec : ValueCodec<DateTimeOffset>
{
    public override DateTimeOffset Read(ReadOnlySpan<byte> value) => new(
        TimestampFormat.ToTicks(FixedBytes.ReadInt64(value, TimestampTzCodec.Name), TimestampTzCodec.Name, "DateTimeOffset"),
        TimeSpan.Zero);

    public override void Write(MessageWriter writer, DateTimeOffset value)
    {
        if (value.Offset != TimeSpan.Zero)
        {
            throw TypeErrors.NoForm($"A DateTimeOffset with offset {value:zzz}", "a value of PostgreSQL type " + TimestampTzCodec.Name +
                ", which does not keep offsets", "Write its ToUniversalTime()");
        }
        writer.WriteInt64(TimestampFormat.FromTicks(value.Ticks));
    }
}

/// <summary>Both timestamps: microseconds since 2000-01-01 in 8 bytes; the largest and the smallest number are the infinities.</summary>
internal static class TimestampFormat
{
    private const long LastMicrosecond = 3_155_378_975_999_999_999 / TimeSpan.TicksPerMicrosecond - PgCalendar.EpochMicroseconds;

    public static long ToTicks(long microseconds, string type, string target)
    {
        // One test covers infinity too, which lies beyond both ends.
        if (microseconds is >= -PgCalendar.EpochMicroseconds and <= LastMicrosecond)
            return (microseconds + PgCalendar.EpochMicroseconds) * TimeSpan.TicksPerMicrosecond;
        if (microseconds is long.MaxValue or long.MinValue)
            return Infinite(microseconds > 0, type, target);
        throw OutOfRange($"The {type} on {PgCalendar.Describe(PgCalendar.DayOf(microseconds))}", target);
    }

    /// <summary>Cuts off what is finer than a microsecond.</summary>
    public static long FromTicks(long ticks)
    {
        if (IsInfinite(ticks))
            return ticks == 0 ? long.MinValue : long.MaxValue;
        return ticks / TimeSpan.TicksPerMicrosecond - PgCalendar.EpochMicroseconds;
    }

    /// <summary>Whether these are the ticks of MinValue or MaxValue, and those stand for infinity.</summary>
    public static bool IsInfinite(long ticks) => (ticks == 0 || ticks == DateTime.MaxValue.Ticks) && PgCalendar.ConvertsInfinity;

    private static long Infinite(bool isPositive, string type, string target)
    {
        if (!PgCalendar.ConvertsInfinity)
            throw OutOfRange($"The {type} {(isPositive ? "infinity" : "-infinity")}", target);
        return isPositive ? DateTime.MaxValue.Ticks : 0;
    }

    private static OverflowException OutOfRange(string what, string target) => TypeErrors.OutOfRange(
        what, target + ", which has the years 1 to 9999", "Read it as long (microseconds since 2000-01-01) or cast it to text in SQL");
}
