using System.Buffers.Binary;
using System.Globalization;
using NodaTime;

namespace Loxo.Noda;

/// <summary>
/// date: days since 2000-01-01 in 4 bytes; the largest and the smallest number are the infinities (date.h). Dates of other calendars are
/// written as the same day in that of the server.
/// </summary>
internal sealed class LocalDateCodec : ValueCodec<LocalDate>
{
    private static readonly LocalDate Epoch = new(2000, 1, 1);
    private static readonly int Least = Period.DaysBetween(Epoch, LocalDate.MinIsoValue);
    private static readonly int Most = Period.DaysBetween(Epoch, LocalDate.MaxIsoValue);

    public override LocalDate Read(ReadOnlySpan<byte> value)
    {
        var days = Wire.ReadInt32(value, "date");
        if (days >= Least && days <= Most)
            return Epoch.PlusDays(days);
        var isInfinite = days is int.MaxValue or int.MinValue;
        if (isInfinite && Wire.ConvertsInfinity)
            return days > 0 ? LocalDate.MaxIsoValue : LocalDate.MinIsoValue;
        var what = isInfinite
            ? days > 0 ? "infinity" : "-infinity"
            : string.Create(CultureInfo.InvariantCulture, $"{days} days from 2000-01-01");
        throw Wire.OutOfRange($"The date {what}", "LocalDate, which has the years -9998 to 9999",
            "Read it as int (days since 2000-01-01) or cast it to text in SQL");
    }

    public override void Write(MessageWriter writer, LocalDate value)
    {
        var iso = value.WithCalendar(CalendarSystem.Iso);
        writer.WriteInt32(!IsInfinite(iso) ? Period.DaysBetween(Epoch, iso) : iso == LocalDate.MaxIsoValue ? int.MaxValue : int.MinValue);
    }

    /// <summary>Whether it stands for infinity or -infinity.</summary>
    public static bool IsInfinite(LocalDate iso) => (iso == LocalDate.MaxIsoValue || iso == LocalDate.MinIsoValue) && Wire.ConvertsInfinity;
}

/// <summary>time: microseconds since midnight in 8 bytes. What is finer is cut off.</summary>
internal sealed class LocalTimeCodec : ValueCodec<LocalTime>
{
    public override LocalTime Read(ReadOnlySpan<byte> value) =>
        FromMicroseconds(Wire.ReadInt64(value, "time without time zone"), "time without time zone", "LocalTime", "Read it as TimeSpan");

    public override void Write(MessageWriter writer, LocalTime value) => writer.WriteInt64(ToMicroseconds(value));

    public static long ToMicroseconds(LocalTime value) => value.NanosecondOfDay / Wire.NanosecondsPerMicrosecond;

    public static LocalTime FromMicroseconds(long microseconds, string type, string target, string remedy) => microseconds switch
    {
        >= 0 and < Wire.MicrosecondsPerDay => LocalTime.FromNanosecondsSinceMidnight(microseconds * Wire.NanosecondsPerMicrosecond),
        Wire.MicrosecondsPerDay => throw Wire.OutOfRange($"The {type} 24:00", target, remedy),
        _ => throw Wire.Malformed(type, "it is no time of a day"),
    };
}

/// <summary>timetz: microseconds since midnight in 8 bytes, then the zone in seconds west of UTC in 4 (timetz_send, date.c).</summary>
internal sealed class OffsetTimeCodec : ValueCodec<OffsetTime>
{
    private const string Name = "time with time zone";
    private const int MostSeconds = 15 * 3600 + 59 * 60 + 59; // MAX_TZDISP_HOUR, timestamp.h

    public override OffsetTime Read(ReadOnlySpan<byte> value)
    {
        Wire.Exactly(sizeof(long) + sizeof(int), value, Name);
        var time = LocalTimeCodec.FromMicroseconds(BinaryPrimitives.ReadInt64BigEndian(value), Name, "OffsetTime",
            "Cast it to text in SQL");
        var west = BinaryPrimitives.ReadInt32BigEndian(value[sizeof(long)..]);
        return west is >= -MostSeconds and <= MostSeconds
            ? time.WithOffset(Offset.FromSeconds(-west))
            : throw Wire.Malformed(Name, "its zone is impossible");
    }

    public override void Write(MessageWriter writer, OffsetTime value)
    {
        if (value.Offset.Seconds is < -MostSeconds or > MostSeconds)
            throw Wire.OutOfRange($"The offset {value.Offset}", $"PostgreSQL type {Name}", "Give one below 16 hours");
        writer.WriteInt64(LocalTimeCodec.ToMicroseconds(value.TimeOfDay));
        writer.WriteInt32(-value.Offset.Seconds);
    }
}
