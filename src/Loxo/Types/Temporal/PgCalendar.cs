namespace Loxo.Types;

/// <summary>PostgreSQL's calendar: days and microseconds since 2000-01-01, with infinity at both ends (timestamp.h, date.h).</summary>
internal static class PgCalendar
{
    public const long MicrosecondsPerDay = 86_400_000_000;

    /// <summary>2000-01-01 in days since 0001-01-01.</summary>
    public const int EpochDay = 730_119;

    /// <summary>2000-01-01 in microseconds since 0001-01-01.</summary>
    public const long EpochMicroseconds = EpochDay * MicrosecondsPerDay;

    // The calendar repeats after 400 years, and .NET's knows the first 9999: shift into them and back.
    private const int YearsPerCycle = 400;
    private const int DaysPerCycle = 146_097;

    // More than a date of PostgreSQL can have (5874897), and far from any overflow.
    private const long MostYears = 10_000_000;

    /// <summary>Turns the conversion between infinity and MinValue or MaxValue off for the whole process.</summary>
    public const string InfinitySwitch = "Loxo.DisableDateTimeInfinityConversions";

    /// <summary>Whether infinity and -infinity are MaxValue and MinValue of the .NET types. Asked for those values only.</summary>
    public static bool ConvertsInfinity => !(AppContext.TryGetSwitch(InfinitySwitch, out var off) && off);

    public static string Describe(long daysSinceEpoch)
    {
        var (year, month, day) = ToDate(daysSinceEpoch);
        return year > 0
            ? string.Create(CultureInfo.InvariantCulture, $"{year:0000}-{month:00}-{day:00}")
            : string.Create(CultureInfo.InvariantCulture, $"{1 - year:0000}-{month:00}-{day:00} BC");
    }

    public static long DayOf(long microseconds) => FloorDivide(microseconds, MicrosecondsPerDay);

    /// <summary>Days since 2000-01-01 of a Gregorian date, with year 0 for 1 BC; null if there is no such date.</summary>
    public static long? ToDays(long year, long month, long day)
    {
        if (year is < -MostYears or > MostYears || month is < 1 or > 12)
            return null;
        var cycles = FloorDivide(year - 1, YearsPerCycle);
        var yearOfCycle = (int)(year - cycles * YearsPerCycle);
        if (day < 1 || day > DateTime.DaysInMonth(yearOfCycle, (int)month))
            return null;
        return new DateOnly(yearOfCycle, (int)month, (int)day).DayNumber + cycles * DaysPerCycle - EpochDay;
    }

    /// <summary>The Gregorian date, with year 0 for 1 BC.</summary>
    public static (long Year, int Month, int Day) ToDate(long daysSinceEpoch)
    {
        var day = daysSinceEpoch + EpochDay;
        var cycles = FloorDivide(day, DaysPerCycle);
        var date = DateOnly.FromDayNumber((int)(day - cycles * DaysPerCycle));
        return (date.Year + cycles * YearsPerCycle, date.Month, date.Day);
    }

    private static long FloorDivide(long value, long divisor)
    {
        var (quotient, rest) = Math.DivRem(value, divisor);
        return rest < 0 ? quotient - 1 : quotient;
    }
}
