using System.Globalization;
using NodaTime;

namespace Loxo.Noda;

/// <summary>
/// Both timestamps: microseconds since 2000-01-01 in 8 bytes; the largest and the smallest number are the infinities (timestamp.h).
/// </summary>
internal static class TimestampFormat
{
    private const long TicksPerMicrosecond = NodaConstants.TicksPerMillisecond / 1000;

    private static readonly long Epoch = Instant.FromUtc(2000, 1, 1, 0, 0).ToUnixTimeTicks() / TicksPerMicrosecond;
    private static readonly long Least = FloorMicroseconds(Instant.MinValue);
    private static readonly long Most = FloorMicroseconds(Instant.MaxValue);

    public static Instant Read(ReadOnlySpan<byte> value, string type, string target)
    {
        var microseconds = Wire.ReadInt64(value, type);
        if (microseconds >= Least && microseconds <= Most)
            return Instant.FromUnixTimeTicks((microseconds + Epoch) * TicksPerMicrosecond);
        var isInfinite = microseconds is long.MaxValue or long.MinValue;
        if (isInfinite && Wire.ConvertsInfinity)
            return microseconds > 0 ? Instant.MaxValue : Instant.MinValue;
        var what = isInfinite
            ? microseconds > 0 ? "infinity" : "-infinity"
            : string.Create(CultureInfo.InvariantCulture, $"{microseconds} microseconds from 2000-01-01");
        throw Wire.OutOfRange($"The {type} {what}", target + ", which has the years -9998 to 9999",
            "Read it as long (microseconds since 2000-01-01) or cast it to text in SQL");
    }

    /// <summary>Cuts off what is finer than a microsecond, towards the past.</summary>
    public static void Write(MessageWriter writer, Instant value) => writer.WriteInt64(
        !IsInfinite(value) ? FloorMicroseconds(value) : value == Instant.MaxValue ? long.MaxValue : long.MinValue);

    /// <summary>Whether it stands for infinity or -infinity.</summary>
    public static bool IsInfinite(Instant value) => (value == Instant.MaxValue || value == Instant.MinValue) && Wire.ConvertsInfinity;

    private static long FloorMicroseconds(Instant value)
    {
        var (quotient, rest) = Math.DivRem(value.ToUnixTimeTicks(), TicksPerMicrosecond);
        return quotient - (rest < 0 ? 1 : 0) - Epoch;
    }
}

/// <summary>timestamptz as an instant, which is what it is.</summary>
internal sealed class InstantCodec : ValueCodec<Instant>
{
    public const string Name = "timestamp with time zone";

    public override Instant Read(ReadOnlySpan<byte> value) => TimestampFormat.Read(value, Name, "Instant");

    public override void Write(MessageWriter writer, Instant value) => TimestampFormat.Write(writer, value);
}

/// <summary>timestamptz as a time in UTC: the server keeps the instant, not the zone.</summary>
internal sealed class ZonedDateTimeCodec : ValueCodec<ZonedDateTime>
{
    public override ZonedDateTime Read(ReadOnlySpan<byte> value) => TimestampFormat.Read(value, InstantCodec.Name, "ZonedDateTime").InUtc();

    public override void Write(MessageWriter writer, ZonedDateTime value)
    {
        if (value.Zone != DateTimeZone.Utc && value.Zone.Id is not ("UTC" or "Etc/UTC"))
        {
            throw Wire.NoForm($"A ZonedDateTime in zone {value.Zone.Id}",
                $"a value of PostgreSQL type {InstantCodec.Name}, which does not keep zones",
                "Write its ToInstant() or WithZone(DateTimeZone.Utc)");
        }
        TimestampFormat.Write(writer, value.ToInstant());
    }
}

/// <summary>timestamptz as a time with offset 0: the server keeps the instant, not the offset.</summary>
internal sealed class OffsetDateTimeCodec : ValueCodec<OffsetDateTime>
{
    public override OffsetDateTime Read(ReadOnlySpan<byte> value) =>
        TimestampFormat.Read(value, InstantCodec.Name, "OffsetDateTime").WithOffset(Offset.Zero);

    public override void Write(MessageWriter writer, OffsetDateTime value)
    {
        if (value.Offset != Offset.Zero)
        {
            throw Wire.NoForm($"An OffsetDateTime with offset {value.Offset}",
                $"a value of PostgreSQL type {InstantCodec.Name}, which does not keep offsets",
                "Write its ToInstant() or WithOffset(Offset.Zero)");
        }
        TimestampFormat.Write(writer, value.ToInstant());
    }
}

/// <summary>timestamp: the reading of some clock. Dates of other calendars are written as the same day in that of the server.</summary>
internal sealed class LocalDateTimeCodec : ValueCodec<LocalDateTime>
{
    public override LocalDateTime Read(ReadOnlySpan<byte> value) =>
        TimestampFormat.Read(value, "timestamp without time zone", "LocalDateTime").InUtc().LocalDateTime;

    public override void Write(MessageWriter writer, LocalDateTime value) => TimestampFormat.Write(writer, value.InUtc().ToInstant());
}
