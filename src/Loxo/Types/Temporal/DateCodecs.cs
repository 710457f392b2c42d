namespace Loxo.Types;

/// <summary>date: days since 2000-01-01 in 4 bytes; the largest and the smallest number are infinity and -infinity.</summary>
internal sealed class DateOnlyCodec : ValueCodec<DateOnly>
{
    public override DateOnly Read(ReadOnlySpan<byte> value) => DateFormat.Read(FixedBytes.Read<int>(value, "date"), "DateOnly");

    public override void Write(MessageWriter writer, DateOnly value) => writer.WriteInt32(DateFormat.ToDays(value));
}

/// <summary>date as midnight, of unspecified kind. A time of day is not written, as the server's cast to date drops it.</summary>
internal sealed class DateAsDateTimeCodec : ValueCodec<DateTime>
{
    public override DateTime Read(ReadOnlySpan<byte> value)
    {
        var days = FixedBytes.Read<int>(value, "date");
        return days == int.MaxValue && PgCalendar.ConvertsInfinity
            ? DateTime.MaxValue // its time is the end of that day, not midnight
            : DateFormat.Read(days, "DateTime").ToDateTime(default);
    }

    public override void Write(MessageWriter writer, DateTime value)
    {
        // Only the very first and the very last moment stand for the infinities; any other time on those days is a date.
        var isInfinite = value == DateTime.MinValue || value == DateTime.MaxValue;
        var date = DateOnly.FromDateTime(value);
        writer.WriteInt32(isInfinite ? DateFormat.ToDays(date) : date.DayNumber - PgCalendar.EpochDay);
    }
}

internal sealed class PgDateCodec : ValueCodec<PgDate>
{
    public override PgDate Read(ReadOnlySpan<byte> value)
    {
        var days = FixedBytes.Read<int>(value, "date");
        return PgDate.IsInRange(days) ? new PgDate(days) : throw TypeErrors.Malformed("date", "it is out of range");
    }

    public override void Write(MessageWriter writer, PgDate value) => writer.WriteInt32(value.Days);
}

internal static class DateFormat
{
    public static readonly int LastDay = DateOnly.MaxValue.DayNumber - PgCalendar.EpochDay;

    public static DateOnly Read(int days, string target)
    {
        if (days is int.MaxValue or int.MinValue)
            return Infinite(days, target);
        if (days < -PgCalendar.EpochDay || days > LastDay)
            throw OutOfRange("The date " + PgCalendar.Describe(days), target);
        return DateOnly.FromDayNumber(days + PgCalendar.EpochDay);
    }

    public static int ToDays(DateOnly value)
    {
        if (value == DateOnly.MaxValue && PgCalendar.ConvertsInfinity)
            return int.MaxValue;
        return value == DateOnly.MinValue && PgCalendar.ConvertsInfinity ? int.MinValue : value.DayNumber - PgCalendar.EpochDay;
    }

    private static DateOnly Infinite(int days, string target)
    {
        if (!PgCalendar.ConvertsInfinity)
            throw OutOfRange(days > 0 ? "The date infinity" : "The date -infinity", target);
        return days > 0 ? DateOnly.MaxValue : DateOnly.MinValue;
    }

    private static OverflowException OutOfRange(string what, string target) =>
        TypeErrors.OutOfRange(what, target + ", which has the years 1 to 9999",
            "Read it as PgDate, or as int (days since 2000-01-01)");
}
