namespace Loxo.Types;

/// <summary>Intervals as the server writes them: in IntervalStyle postgres and in iso_8601 (EncodeInterval, datetime.c).</summary>
internal static class IntervalText
{
    private const long Second = 1_000_000;
    private const long Minute = 60 * Second;
    private const long Hour = 60 * Minute;

    // The server calculates such seconds in floating point (ParseISO8601Number, datetime.c); beyond, it would come to another number.
    private const long MostSecondsWithFraction = 999_999_999;

    /// <summary>IntervalStyle postgres: 1 year 2 mons -3 days +04:05:06.789.</summary>
    public static bool TryRead(ReadOnlySpan<byte> text, out PgInterval interval)
    {
        interval = default;
        if (text.SequenceEqual("infinity"u8) || text.SequenceEqual("-infinity"u8))
        {
            interval = text[0] == '-' ? PgInterval.NegativeInfinity : PgInterval.Infinity;
            return true;
        }
        var sum = new Sum();
        var scanner = new TextScanner(text);
        do
        {
            if (!TryTakePart(ref scanner, ref sum))
                return false;
        }
        while (scanner.TryTake(" "u8));
        return scanner.IsAtEnd && sum.TryGet(out interval);
    }

    /// <summary>IntervalStyle iso_8601: P1Y2M-3DT4H5M6.789S.</summary>
    public static bool TryReadIso(ReadOnlySpan<byte> text, out PgInterval interval)
    {
        interval = default;
        var sum = new Sum();
        var scanner = new TextScanner(text);
        if (!scanner.TryTake("P"u8) || scanner.IsAtEnd)
            return false;
        for (var isTime = false; !scanner.IsAtEnd;)
        {
            if (!isTime && scanner.TryTake("T"u8))
                isTime = true;
            else if (!TryTakeIsoPart(ref scanner, isTime, ref sum))
                return false;
        }
        return sum.TryGet(out interval);
    }

    public static string ToIso(PgInterval interval)
    {
        if (!interval.IsFinite)
            return interval.ToString();
        if (interval == default)
            return "PT0S";
        var text = new StringBuilder("P");
        Append(text, interval.Months / 12, 'Y');
        Append(text, interval.Months % 12, 'M');
        Append(text, interval.Days, 'D');
        if (interval.Time == 0)
            return text.ToString();
        text.Append('T');
        Append(text, interval.Time / Hour, 'H');
        Append(text, interval.Time % Hour / Minute, 'M');
        AppendSeconds(text, interval.Time % Minute);
        return text.ToString();
    }

    private static void Append(StringBuilder text, long value, char unit)
    {
        if (value != 0)
            text.Append(CultureInfo.InvariantCulture, $"{value}{unit}");
    }

    private static void AppendSeconds(StringBuilder text, long microseconds)
    {
        if (microseconds == 0)
            return;
        var (seconds, fraction) = Math.DivRem(Math.Abs(microseconds), Second);
        text.Append(CultureInfo.InvariantCulture, $"{(microseconds < 0 ? "-" : "")}{seconds}");
        text.Append(DateTimeText.FormatFraction((ulong)fraction)).Append('S');
    }

    // Each unit once, from the largest to the smallest, as they are shown.
    private static bool TryTakePart(ref TextScanner scanner, ref Sum sum)
    {
        var sign = scanner.TryTake("-"u8) ? -1 : 1;
        if (sign > 0)
            scanner.TryTake("+"u8);
        var start = scanner;
        if (!scanner.TryTakeNumber(out var number))
            return false;
        if (scanner.TryTake(" "u8))
            return sum.TryAdd(scanner.TakeLetters(), sign * number);
        scanner = start;
        if (!DateTimeText.TryTakeLongTime(ref scanner, out var time) || !sum.TryTakeTurn(Unit.Time))
            return false;
        sum.Time = sign * time;
        return true;
    }

    private static bool TryTakeIsoPart(ref TextScanner scanner, bool isTime, ref Sum sum)
    {
        var sign = scanner.TryTake("-"u8) ? -1 : 1;
        if (!scanner.TryTakeNumber(out var number))
            return false;
        if (!isTime)
            return sum.TryAddIso(ref scanner, sign * number);
        if (!DateTimeText.TryTakeFraction(ref scanner, out var fraction) || (fraction != 0 && number > MostSecondsWithFraction))
            return false;
        var unit = scanner.TryTake("S"u8) ? Second
            : fraction != 0 ? 0 // of seconds only
            : scanner.TryTake("M"u8) ? Minute
            : scanner.TryTake("H"u8) ? Hour
            : 0;
        return unit != 0 && sum.TryAddTime(sign * ((Int128)number * unit + fraction));
    }

    private enum Unit
    {
        None,
        Year,
        Month,
        Day,
        Time,
    }

    private struct Sum
    {
        private Unit _last;

        public Int128 Years;
        public Int128 Months;
        public Int128 Days;
        public Int128 Time;

        public bool TryAdd(ReadOnlySpan<byte> unit, long value)
        {
            if ((unit.SequenceEqual("years"u8) || unit.SequenceEqual("year"u8)) && TryTakeTurn(Unit.Year))
                return TryAdd(ref Years, value);
            if ((unit.SequenceEqual("mons"u8) || unit.SequenceEqual("mon"u8)) && TryTakeTurn(Unit.Month))
                return TryAdd(ref Months, value);
            if ((unit.SequenceEqual("days"u8) || unit.SequenceEqual("day"u8)) && TryTakeTurn(Unit.Day))
                return TryAdd(ref Days, value);
            return false;
        }

        /// <summary>Adds microseconds, if they fit by themselves and with those before, as the server demands after each part.</summary>
        public bool TryAddTime(Int128 value)
        {
            Time += value;
            return (long)value == value && (long)Time == Time;
        }

        /// <summary>Whether the unit is smaller than all before it.</summary>
        public bool TryTakeTurn(Unit unit)
        {
            var isSmaller = unit > _last;
            _last = unit;
            return isSmaller;
        }

        public bool TryAddIso(ref TextScanner scanner, long value)
        {
            if (scanner.TryTake("Y"u8))
                return TryAdd(ref Years, value);
            if (scanner.TryTake("M"u8))
                return TryAdd(ref Months, value);
            if (scanner.TryTake("W"u8))
                return TryAdd(ref Days, (Int128)value * 7);
            return scanner.TryTake("D"u8) && TryAdd(ref Days, value);
        }

        public readonly bool TryGet(out PgInterval interval)
        {
            var months = Years * 12 + Months;
            var whole = new PgInterval((int)months, (int)Days, (long)Time);
            var fits = whole.Months == months && whole.Days == Days && whole.Time == Time;
            interval = fits ? whole : default;
            return fits;
        }

        // As TryAddTime, for the units that the server counts in 32 bits.
        private static bool TryAdd(ref Int128 sum, Int128 value)
        {
            sum += value;
            return (int)value == value && (int)sum == sum;
        }
    }
}
