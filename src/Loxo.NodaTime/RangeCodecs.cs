using NodaTime;

namespace Loxo.Noda;

/// <summary>What a range is on the wire: flags, then the bounds it has, behind their lengths (range_send, rangetypes.c).</summary>
internal static class RangeFormat
{
    public const byte Empty = 0x01;
    public const byte LowerInclusive = 0x02;
    public const byte UpperInclusive = 0x04;
    public const byte LowerInfinite = 0x08;
    public const byte UpperInfinite = 0x10;

    /// <summary>The bounds; those that the range does not have are default.</summary>
    public static byte Read<T>(ReadOnlySpan<byte> value, string type, Codec<T> codec, out T? lower, out T? upper)
        where T : struct
    {
        (lower, upper) = (null, null);
        if (value.IsEmpty)
            throw Wire.Malformed(type, "its flags are missing");
        var flags = value[0];
        var rest = value[1..];
        if ((flags & (Empty | LowerInfinite)) == 0)
            lower = codec.Read(Wire.TakeValue(ref rest, type));
        if ((flags & (Empty | UpperInfinite)) == 0)
            upper = codec.Read(Wire.TakeValue(ref rest, type));
        return rest.IsEmpty ? flags : throw Wire.Malformed(type, "bytes are left over");
    }
}

/// <summary>
/// tstzrange as an Interval, which includes its start but not its end. An empty range becomes an empty interval at the epoch, for NodaTime
/// has no other that is at no time.
/// </summary>
internal sealed class IntervalCodec : ValueCodec<Interval>, IRangeSize<Interval>
{
    private const string Name = "tstzrange";

    // Nothing that the server keeps is between two instants that are so close.
    private static readonly Duration Microsecond = Duration.FromTicks(10);

    private readonly InstantCodec _instant = new();

    public override Interval Read(ReadOnlySpan<byte> value)
    {
        var flags = RangeFormat.Read(value, Name, _instant, out var lower, out var upper);
        if ((flags & RangeFormat.Empty) != 0)
            return new Interval(NodaConstants.UnixEpoch, NodaConstants.UnixEpoch);
        var start = (flags & RangeFormat.LowerInclusive) == 0 ? Next(lower) : lower;
        var end = (flags & RangeFormat.UpperInclusive) != 0 ? Next(upper) : upper;
        return start is null || end is null || start <= end
            ? new Interval(start, end)
            : throw Wire.Malformed(Name, "its end is before its start");
    }

    public override void Write(MessageWriter writer, Interval value)
    {
        writer.WriteByte((byte)((value.HasStart ? RangeFormat.LowerInclusive : RangeFormat.LowerInfinite)
            | (value.HasEnd ? 0 : RangeFormat.UpperInfinite)));
        if (value.HasStart)
            WriteBound(writer, value.Start);
        if (value.HasEnd)
            WriteBound(writer, value.End);
    }

    public int SizeOf(Interval value) => sizeof(byte) + ((value.HasStart ? 1 : 0) + (value.HasEnd ? 1 : 0)) * (sizeof(int) + sizeof(long));

    private static Instant? Next(Instant? bound) =>
        bound is { } instant && !TimestampFormat.IsInfinite(instant) ? instant + Microsecond : bound;

    private void WriteBound(MessageWriter writer, Instant bound)
    {
        writer.WriteInt32(sizeof(long));
        _instant.Write(writer, bound);
    }
}

/// <summary>
/// daterange as a DateInterval, which includes both ends. A bound that the range does not have is LocalDate.MinIsoValue or MaxIsoValue, and
/// the other way round. No DateInterval is empty.
/// </summary>
internal sealed class DateIntervalCodec : ReferenceCodec<DateInterval>, IRangeSize<DateInterval>
{
    private const string Name = "daterange";

    private readonly LocalDateCodec _date = new();

    public override DateInterval Read(ReadOnlySpan<byte> value)
    {
        var flags = RangeFormat.Read(value, Name, _date, out var lower, out var upper);
        var start = lower is { } first ? (flags & RangeFormat.LowerInclusive) == 0 ? Shift(first, 1) : first : LocalDate.MinIsoValue;
        var end = upper is { } last ? (flags & RangeFormat.UpperInclusive) == 0 ? Shift(last, -1) : last : LocalDate.MaxIsoValue;
        if ((flags & RangeFormat.Empty) != 0 || start > end)
            throw Wire.NoForm("An empty daterange", "DateInterval, which has one day at least", "Read it as PgRange<LocalDate>");
        return new DateInterval(start, end);
    }

    public override void Write(MessageWriter writer, DateInterval value)
    {
        var (hasStart, hasEnd) = BoundsOf(value);
        writer.WriteByte((byte)((hasStart ? RangeFormat.LowerInclusive : RangeFormat.LowerInfinite)
            | (hasEnd ? RangeFormat.UpperInclusive : RangeFormat.UpperInfinite)));
        if (hasStart)
            WriteBound(writer, value.Start);
        if (hasEnd)
            WriteBound(writer, value.End);
    }

    public int SizeOf(DateInterval value)
    {
        var (hasStart, hasEnd) = BoundsOf(value);
        return sizeof(byte) + ((hasStart ? 1 : 0) + (hasEnd ? 1 : 0)) * (sizeof(int) + sizeof(int));
    }

    private static (bool HasStart, bool HasEnd) BoundsOf(DateInterval value) =>
        (value.Start.WithCalendar(CalendarSystem.Iso) != LocalDate.MinIsoValue,
            value.End.WithCalendar(CalendarSystem.Iso) != LocalDate.MaxIsoValue);

    private static LocalDate Shift(LocalDate date, int days) => LocalDateCodec.IsInfinite(date) ? date : date.PlusDays(days);

    private void WriteBound(MessageWriter writer, LocalDate bound)
    {
        writer.WriteInt32(sizeof(int));
        _date.Write(writer, bound);
    }
}
