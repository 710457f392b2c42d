namespace Loxo.Types;

/// <summary>timestamp without time zone as DateTime: the reading of some clock, so never UTC unless a policy allows it.</summary>
internal sealed class TimestampCodec(TimestampPolicy policy) : ValueCodec<DateTime>
{
    public const string Name = "timestamp without time zone";

    public override DateTime Read(ReadOnlySpan<byte> value) =>
        new(TimestampFormat.ToTicks(FixedBytes.Read<long>(value, Name), Name, "DateTime"), DateTimeKind.Unspecified);

    public override void Write(MessageWriter writer, DateTime value) => writer.WriteInt64(ToServer(value));

    internal override void WriteWithLength(MessageWriter writer, DateTime value) => FixedBytes.WriteWithLength(writer, ToServer(value));

    private long ToServer(DateTime value)
    {
        if (value.Kind == DateTimeKind.Utc && policy == TimestampPolicy.Strict && !TimestampFormat.IsInfinite(value.Ticks))
        {
            throw TypeErrors.WrongKind("A DateTime of Kind Utc", "a value of PostgreSQL type " + Name + ", which is no instant",
                "Write it as timestamp with time zone (PgDbType.TimestampTz), give it Kind Unspecified with DateTime.SpecifyKind, " +
                "or choose another TimestampPolicy");
        }
        return TimestampFormat.FromTicks(value.Ticks);
    }
}

/// <summary>timestamp with time zone as DateTime: an instant, so always UTC unless a policy says what to make of other kinds.</summary>
internal sealed class TimestampTzCodec(TimestampPolicy policy) : ValueCodec<DateTime>
{
    public const string Name = "timestamp with time zone";

    public override DateTime Read(ReadOnlySpan<byte> value)
    {
        var ticks = TimestampFormat.ToTicks(FixedBytes.Read<long>(value, Name), Name, "DateTime");
        return policy == TimestampPolicy.Legacy ? LocalTime.Of(ticks) : new(ticks, DateTimeKind.Utc);
    }

    public override void Write(MessageWriter writer, DateTime value) => writer.WriteInt64(ToServer(value));

    internal override void WriteWithLength(MessageWriter writer, DateTime value) => FixedBytes.WriteWithLength(writer, ToServer(value));

    private long ToServer(DateTime value) => TimestampFormat.FromTicks(
        value.Kind == DateTimeKind.Utc || TimestampFormat.IsInfinite(value.Ticks) ? value.Ticks : ToUtc(value).Ticks);

    private DateTime ToUtc(DateTime value)
    {
        if (policy == TimestampPolicy.Strict)
        {
            throw TypeErrors.WrongKind($"A DateTime of Kind {value.Kind}", "a value of PostgreSQL type " + Name + ", which is an instant",
                "Give it Kind Utc (ToUniversalTime, DateTime.UtcNow or DateTime.SpecifyKind), " +
                "write it as timestamp without time zone (PgDbType.Timestamp), or choose another TimestampPolicy");
        }
        if (value.Kind == DateTimeKind.Unspecified && policy != TimestampPolicy.ConvertToUtc)
            return value;
        var converted = value.ToUniversalTime();
        // What would lie outside of the calendar becomes its end (DateTime.ToUniversalTime), which is infinity to the server.
        return !TimestampFormat.IsInfinite(converted.Ticks)
            ? converted
            : throw TypeErrors.OutOfRange(string.Create(CultureInfo.InvariantCulture, $"The local time {value:s}"),
                "the years 1 to 9999 when it is converted to UTC",
                "Write it as PgTimestamp");
    }
}

/// <summary>timestamp with time zone as DateTimeOffset, always with offset 0: the server keeps the instant, not the offset.</summary>
internal sealed class TimestampTzAsOffsetCodec(TimestampPolicy policy) : ValueCodec<DateTimeOffset>
{
    public override DateTimeOffset Read(ReadOnlySpan<byte> value)
    {
        var ticks = TimestampFormat.ToTicks(FixedBytes.Read<long>(value, TimestampTzCodec.Name), TimestampTzCodec.Name, "DateTimeOffset");
        return policy == TimestampPolicy.Legacy ? LocalTime.OffsetOf(ticks) : new(ticks, TimeSpan.Zero);
    }

    public override void Write(MessageWriter writer, DateTimeOffset value)
    {
        if (value.Offset != TimeSpan.Zero && policy == TimestampPolicy.Strict)
        {
            throw TypeErrors.WrongKind($"A DateTimeOffset with offset {value:zzz}", "a value of PostgreSQL type " + TimestampTzCodec.Name +
                ", which does not keep offsets", "Write its ToUniversalTime(), or choose another TimestampPolicy");
        }
        writer.WriteInt64(TimestampFormat.FromTicks(value.UtcTicks));
    }
}

internal sealed class PgTimestampCodec(string type) : ValueCodec<PgTimestamp>
{
    public override PgTimestamp Read(ReadOnlySpan<byte> value)
    {
        var microseconds = FixedBytes.Read<long>(value, type);
        return PgTimestamp.IsInRange(microseconds) ? new PgTimestamp(microseconds) : throw TypeErrors.Malformed(type, "it is out of range");
    }

    public override void Write(MessageWriter writer, PgTimestamp value) => writer.WriteInt64(value.Microseconds);
}

/// <summary>Both timestamps: microseconds since 2000-01-01 in 8 bytes; the largest and the smallest number are the infinities.</summary>
internal static class TimestampFormat
{
    private const long LastMicrosecond = 3_155_378_975_999_999_999 / TimeSpan.TicksPerMicrosecond - PgCalendar.EpochMicroseconds;

    /// <summary>False for what is not in the years 1 to 9999, the infinities among them.</summary>
    public static bool TryToTicks(long microseconds, out long ticks)
    {
        // One test covers infinity too, which lies beyond both ends.
        var fits = microseconds is >= -PgCalendar.EpochMicroseconds and <= LastMicrosecond;
        ticks = fits ? (microseconds + PgCalendar.EpochMicroseconds) * TimeSpan.TicksPerMicrosecond : 0;
        return fits;
    }

    public static long ToTicks(long microseconds, string type, string target)
    {
        if (TryToTicks(microseconds, out var ticks))
            return ticks;
        if (microseconds is long.MaxValue or long.MinValue)
            return Infinite(microseconds > 0, type, target);
        throw OutOfRange($"The {type} on {PgCalendar.Describe(PgCalendar.DayOf(microseconds))}", target);
    }

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
        what, target + ", which has the years 1 to 9999", "Read it as PgTimestamp, or as long (microseconds since 2000-01-01)");
}
