namespace Loxo.Types;

/// <summary>time: microseconds since midnight in 8 bytes, up to and including 24:00.</summary>
internal sealed class TimeOnlyCodec : ValueCodec<TimeOnly>
{
    public override TimeOnly Read(ReadOnlySpan<byte> value)
    {
        var microseconds = TimeFormat.ReadMicroseconds(value);
        return microseconds < PgCalendar.MicrosecondsPerDay
            ? new TimeOnly(microseconds * TimeSpan.TicksPerMicrosecond)
            : throw TypeErrors.OutOfRange("The time 24:00", "TimeOnly", "Read it as TimeSpan or long (microseconds since midnight)");
    }

    public override void Write(MessageWriter writer, TimeOnly value) => writer.WriteInt64(value.Ticks / TimeSpan.TicksPerMicrosecond);
}

/// <summary>time as the span since midnight, 24:00 included.</summary>
internal sealed class TimeAsTimeSpanCodec : ValueCodec<TimeSpan>
{
    public override TimeSpan Read(ReadOnlySpan<byte> value) => new(TimeFormat.ReadMicroseconds(value) * TimeSpan.TicksPerMicrosecond);

    public override void Write(MessageWriter writer, TimeSpan value)
    {
        if (value.Ticks is < 0 or > TimeSpan.TicksPerDay)
        {
            throw TypeErrors.OutOfRange(string.Create(CultureInfo.InvariantCulture, $"The TimeSpan {value}"),
                "PostgreSQL type time without time zone, which has 00:00 to 24:00", "Write it as interval (PgDbType.Interval)");
        }
        writer.WriteInt64(value.Ticks / TimeSpan.TicksPerMicrosecond);
    }
}

/// <summary>
/// timetz as DateTimeOffset on 0001-01-02: microseconds since midnight in 8 bytes, then the zone in 4, as seconds west of UTC
/// (timetz_send, date.c). Not the first day, because an offset would lead out of the range of DateTimeOffset there.
/// </summary>
internal sealed class TimeTzCodec : ValueCodec<DateTimeOffset>
{
    public const string Name = "time with time zone";
    private const string Remedy = "Cast it to text or to time in SQL";

    public override DateTimeOffset Read(ReadOnlySpan<byte> value)
    {
        FixedBytes.Exactly(12, value, Name);
        var microseconds = TimeFormat.Check(BinaryPrimitives.ReadInt64BigEndian(value), Name);
        var offset = TimeSpan.FromSeconds(-(long)BinaryPrimitives.ReadInt32BigEndian(value[8..]));
        if (microseconds == PgCalendar.MicrosecondsPerDay)
            throw TypeErrors.OutOfRange($"The {Name} 24:00", "DateTimeOffset", Remedy);
        if (offset.Ticks % TimeSpan.TicksPerMinute != 0 || offset.Duration() > TimeSpan.FromHours(14))
        {
            throw TypeErrors.OutOfRange(string.Create(CultureInfo.InvariantCulture, $"The {Name} with offset {offset}"),
                "DateTimeOffset, whose offsets are whole minutes up to 14 hours", Remedy);
        }
        return new DateTimeOffset(TimeSpan.TicksPerDay + microseconds * TimeSpan.TicksPerMicrosecond, offset);
    }

    public override void Write(MessageWriter writer, DateTimeOffset value)
    {
        writer.WriteInt64(value.TimeOfDay.Ticks / TimeSpan.TicksPerMicrosecond);
        writer.WriteInt32(-(int)value.Offset.TotalSeconds);
    }
}

internal static class TimeFormat
{
    public const string Name = "time without time zone";

    public static long ReadMicroseconds(ReadOnlySpan<byte> value) => Check(FixedBytes.Read<long>(value, Name), Name);

    public static long Check(long microseconds, string type) => microseconds is >= 0 and <= PgCalendar.MicrosecondsPerDay
        ? microseconds
        : throw TypeErrors.Malformed(type, "it is not between 00:00 and 24:00");
}
