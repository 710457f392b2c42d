namespace Loxo.Types;

/// <summary>Dates and times as the server writes them in DateStyle ISO.</summary>
internal static class DateTimeText
{
    public const string StyleRemedy = "DateStyle has to be ISO";

    private const long MicrosecondsPerSecond = 1_000_000;
    private const long MicrosecondsPerHour = 3600 * MicrosecondsPerSecond;
    private const int MostOffsetHours = 15; // MAX_TZDISP_HOUR, timestamp.h
    private const int LeastDigitsOfYear = 4;
    private const int MostDigitsOfYear = 7;
    private const int DigitsOfFraction = 6;

    /// <summary>2000-01-31, 0044-03-15 BC, infinity. The year has four digits or more: 10-09-22 depends on DateStyle.</summary>
    public static bool TryReadDate(ReadOnlySpan<byte> text, out int days)
    {
        text = text.Trim(AsciiBlanks.AllBytes);
        if (TryReadInfinity(text, out var isPositive))
        {
            days = isPositive ? int.MaxValue : int.MinValue;
            return true;
        }
        days = 0;
        var scanner = new TextScanner(text);
        if (!TryTakeDate(ref scanner, out var year, out var month, out var day) || !TryTakeEnd(ref scanner, ref year)
            || PgCalendar.ToDays(year, month, day) is not { } count || (int)count != count)
            return false;
        days = (int)count;
        return true;
    }

    public static bool TryReadTimestamp(ReadOnlySpan<byte> text, bool hasZone, out long microseconds)
    {
        text = text.Trim(AsciiBlanks.AllBytes);
        var scanner = new TextScanner(text);
        if (TryReadInfinity(text, out var isPositive))
        {
            microseconds = isPositive ? long.MaxValue : long.MinValue;
            return true;
        }
        microseconds = 0;
        if (!TryTakeDate(ref scanner, out var year, out var month, out var day) || !scanner.TryTake(" "u8)
            || !TryTakeTime(ref scanner, out var time))
            return false;
        var offset = 0;
        if ((hasZone && !TryTakeOffset(ref scanner, out offset)) || !TryTakeEnd(ref scanner, ref year)
            || PgCalendar.ToDays(year, month, day) is not { } days)
            return false;
        var wide = (Int128)days * PgCalendar.MicrosecondsPerDay + time - offset * MicrosecondsPerSecond;
        microseconds = (long)wide;
        return microseconds == wide;
    }

    /// <summary>23:59:59.999999, up to 24:00:00. A minute may have a second 60, which is the first one of the next minute.</summary>
    public static bool TryTakeTime(ref TextScanner scanner, out long microseconds)
    {
        microseconds = 0;
        if (!scanner.TryTakeDigits(2, out var hours) || !TryTakeMinutes(ref scanner, out var rest))
            return false;
        microseconds = hours * MicrosecondsPerHour + rest;
        return microseconds <= PgCalendar.MicrosecondsPerDay;
    }

    /// <summary>Two digits of hours or more, of an interval: the magnitude of its time can be larger than the time itself.</summary>
    public static bool TryTakeLongTime(ref TextScanner scanner, out Int128 microseconds)
    {
        microseconds = 0;
        if (!scanner.TryTakeNumber(out var hours, out var digits) || digits < 2 || !TryTakeMinutes(ref scanner, out var rest))
            return false;
        microseconds = (Int128)hours * MicrosecondsPerHour + rest;
        return true;
    }

    // :59:59.999999
    private static bool TryTakeMinutes(ref TextScanner scanner, out long microseconds)
    {
        microseconds = 0;
        if (!scanner.TryTake(":"u8) || !scanner.TryTakeDigits(2, out var minutes) || minutes > 59
            || !scanner.TryTake(":"u8) || !scanner.TryTakeDigits(2, out var seconds) || seconds > 60
            || !TryTakeFraction(ref scanner, out var fraction))
            return false;
        microseconds = (minutes * 60 + seconds) * MicrosecondsPerSecond + fraction;
        return true;
    }

    /// <summary>What may follow seconds: a point and up to six digits, as microseconds; 0 if there is no point.</summary>
    public static bool TryTakeFraction(ref TextScanner scanner, out long microseconds)
    {
        microseconds = 0;
        if (!scanner.TryTake("."u8))
            return true;
        if (!scanner.TryTakeNumber(out microseconds, out var digits) || digits > DigitsOfFraction)
            return false;
        for (; digits < DigitsOfFraction; digits++)
            microseconds *= 10;
        return true;
    }

    /// <summary>+05, -05:30 or +00:19:32, in seconds east of UTC.</summary>
    public static bool TryTakeOffset(ref TextScanner scanner, out int seconds)
    {
        seconds = 0;
        var isNegative = scanner.TryTake("-"u8);
        if (!isNegative && !scanner.TryTake("+"u8))
            return false;
        for (var unit = 3600; unit > 0; unit /= 60)
        {
            if (!scanner.TryTakeDigits(2, out var part) || part > (unit == 3600 ? MostOffsetHours : 59))
                return false;
            seconds += (int)part * unit;
            if (!scanner.TryTake(":"u8))
                break;
        }
        seconds = isNegative ? -seconds : seconds;
        return true;
    }

    public static string FormatDate(int days) => days switch
    {
        int.MaxValue => "infinity",
        int.MinValue => "-infinity",
        _ => PgCalendar.Describe(days),
    };

    public static string FormatTimestamp(long microseconds, bool hasZone)
    {
        if (microseconds is long.MaxValue or long.MinValue)
            return microseconds > 0 ? "infinity" : "-infinity";
        var days = PgCalendar.DayOf(microseconds);
        var date = PgCalendar.Describe(days);
        var time = FormatTime(microseconds - days * PgCalendar.MicrosecondsPerDay) + (hasZone ? "+00" : "");
        return date is [.. var day, ' ', 'B', 'C'] ? $"{day} {time} BC" : $"{date} {time}";
    }

    /// <summary>The magnitude of an interval's time may be larger than a long.</summary>
    public static string FormatTime(Int128 microseconds)
    {
        var (seconds, fraction) = Math.DivRem((ulong)microseconds, (ulong)MicrosecondsPerSecond);
        var time = string.Create(CultureInfo.InvariantCulture, $"{seconds / 3600:00}:{seconds / 60 % 60:00}:{seconds % 60:00}");
        return time + FormatFraction(fraction);
    }

    /// <summary>A point and the microseconds behind it, without zeros at the end; nothing for none.</summary>
    public static string FormatFraction(ulong microseconds) =>
        microseconds == 0 ? "" : "." + microseconds.ToString("000000", CultureInfo.InvariantCulture).TrimEnd('0');

    /// <summary>As short as it can be: +05, -05:30, +00:19:32.</summary>
    public static string FormatOffset(long seconds)
    {
        var magnitude = Math.Abs(seconds);
        var text = string.Create(CultureInfo.InvariantCulture, $"{(seconds < 0 ? '-' : '+')}{magnitude / 3600:00}");
        if (magnitude % 3600 != 0)
            text += string.Create(CultureInfo.InvariantCulture, $":{magnitude / 60 % 60:00}");
        return magnitude % 60 == 0 ? text : text + string.Create(CultureInfo.InvariantCulture, $":{magnitude % 60:00}");
    }

    private static bool TryReadInfinity(ReadOnlySpan<byte> text, out bool isPositive)
    {
        isPositive = System.Text.Ascii.EqualsIgnoreCase(text, "infinity"u8);
        return isPositive || System.Text.Ascii.EqualsIgnoreCase(text, "-infinity"u8);
    }

    private static bool TryTakeDate(ref TextScanner scanner, out long year, out long month, out long day)
    {
        month = day = 0;
        return scanner.TryTakeNumber(out year, out var digits) && digits is >= LeastDigitsOfYear and <= MostDigitsOfYear
            && scanner.TryTake("-"u8)
            && scanner.TryTakeDigits(2, out month) && scanner.TryTake("-"u8)
            && scanner.TryTakeDigits(2, out day);
    }

    // 1 BC is the year 0 of the calendar's arithmetic.
    private static bool TryTakeEnd(ref TextScanner scanner, ref long year)
    {
        if (year == 0)
            return false;
        if (scanner.TryTake(" BC"u8))
            year = 1 - year;
        return scanner.IsAtEnd;
    }
}
