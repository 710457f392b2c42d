using System.Buffers.Binary;
using System.Globalization;
using NodaTime;

namespace Loxo.Noda;

/// <summary>interval: microseconds in 8 bytes, days in 4, months in 4 (interval_send, timestamp.c).</summary>
internal readonly struct IntervalParts(long microseconds, int days, int months)
{
    public long Microseconds { get; } = microseconds;

    public int Days { get; } = days;

    public int Months { get; } = months;

    private bool IsInfinite => this is { Microseconds: long.MaxValue, Days: int.MaxValue, Months: int.MaxValue }
        or { Microseconds: long.MinValue, Days: int.MinValue, Months: int.MinValue };

    public static IntervalParts Read(ReadOnlySpan<byte> value, string target)
    {
        Wire.Exactly(16, value, "interval");
        var parts = new IntervalParts(
            BinaryPrimitives.ReadInt64BigEndian(value), BinaryPrimitives.ReadInt32BigEndian(value[8..]),
            BinaryPrimitives.ReadInt32BigEndian(value[12..]));
        return !parts.IsInfinite
            ? parts
            // PostgreSQL 17 has the infinities.
            : throw Wire.OutOfRange($"The interval {(parts.Days > 0 ? "infinity" : "-infinity")}", target, "Read it as PgInterval");
    }

    public void Write(MessageWriter writer)
    {
        writer.WriteInt64(Microseconds);
        writer.WriteInt32(Days);
        writer.WriteInt32(Months);
    }
}

/// <summary>
/// interval as a Period. Months become years and months and the time of day its units; days stay days, for a day has no fixed number of
/// hours. What is finer than a microsecond is cut off.
/// </summary>
internal sealed class PeriodCodec : ReferenceCodec<Period>
{
    private const long MicrosecondsPerSecond = 1_000_000;

    public override Period Read(ReadOnlySpan<byte> value)
    {
        var parts = IntervalParts.Read(value, "Period");
        var (seconds, microseconds) = Math.DivRem(parts.Microseconds, MicrosecondsPerSecond);
        return new PeriodBuilder
        {
            Years = parts.Months / 12,
            Months = parts.Months % 12,
            Days = parts.Days,
            Hours = seconds / 3600,
            Minutes = seconds / 60 % 60,
            Seconds = seconds % 60,
            Milliseconds = microseconds / 1000,
            Nanoseconds = microseconds % 1000 * Wire.NanosecondsPerMicrosecond,
        }.Build();
    }

    public override void Write(MessageWriter writer, Period value)
    {
        var months = (long)value.Years * 12 + value.Months;
        var days = (long)value.Weeks * 7 + value.Days;
        var nanoseconds = (Int128)value.Hours * NodaConstants.NanosecondsPerHour
            + (Int128)value.Minutes * NodaConstants.NanosecondsPerMinute
            + (Int128)value.Seconds * NodaConstants.NanosecondsPerSecond
            + (Int128)value.Milliseconds * NodaConstants.NanosecondsPerMillisecond
            + (Int128)value.Ticks * NodaConstants.NanosecondsPerTick + value.Nanoseconds;
        var microseconds = nanoseconds / Wire.NanosecondsPerMicrosecond;
        if (months != (int)months || days != (int)days || microseconds < long.MinValue || microseconds > long.MaxValue)
            throw Wire.OutOfRange($"The period {value}", "PostgreSQL type interval", "Give a shorter one");
        new IntervalParts((long)microseconds, (int)days, (int)months).Write(writer);
    }
}

/// <summary>interval as a Duration, with days of 24 hours. Months have no fixed length, so they have no place in one.</summary>
internal sealed class DurationCodec : ValueCodec<Duration>
{
    private static readonly Int128 Least = Duration.MinValue.ToInt128Nanoseconds();
    private static readonly Int128 Most = Duration.MaxValue.ToInt128Nanoseconds();

    public override Duration Read(ReadOnlySpan<byte> value)
    {
        var parts = IntervalParts.Read(value, "Duration");
        if (parts.Months != 0)
        {
            throw Wire.NoForm(string.Create(CultureInfo.InvariantCulture, $"An interval of {parts.Months} months"), "Duration",
                "Read it as Period");
        }
        var nanoseconds = ((Int128)parts.Days * Wire.MicrosecondsPerDay + parts.Microseconds) * Wire.NanosecondsPerMicrosecond;
        return nanoseconds >= Least && nanoseconds <= Most
            ? Duration.FromNanoseconds(nanoseconds)
            : throw Wire.OutOfRange(
                string.Create(CultureInfo.InvariantCulture, $"An interval of {parts.Days} days and {parts.Microseconds} microseconds"),
                "Duration", "Read it as Period");
    }

    public override void Write(MessageWriter writer, Duration value) =>
        new IntervalParts(value.NanosecondOfDay / Wire.NanosecondsPerMicrosecond, value.Days, months: 0).Write(writer);
}
