namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>interval</c>: months, days and microseconds side by side, because a month has no fixed number of days
/// nor a day a fixed number of hours. <see cref="TimeSpan"/> serves for intervals without months. <c>default</c> is no time at all.
/// </summary>
/// <remarks>
/// Intervals with the same three parts are equal. The server's <c>=</c> is wider: it takes a month for 30 days and a day for 24 hours.
/// </remarks>
public readonly record struct PgInterval : ISpanFormattable, ISpanParsable<PgInterval>
{
    private const int MostCharacters = 128;

    /// <param name="months">Months, 12 for each year; may be negative.</param>
    /// <param name="days">Days; may be negative.</param>
    /// <param name="time">Microseconds; may be negative.</param>
    public PgInterval(int months, int days, long time) => (Months, Days, Time) = (months, days, time);

    /// <summary>
    /// Longer than all other intervals: the largest number in each part. PostgreSQL has it since version 17; before, these are just large
    /// numbers.
    /// </summary>
    public static PgInterval Infinity => new(int.MaxValue, int.MaxValue, long.MaxValue);

    /// <summary>The opposite of <see cref="Infinity"/>: the smallest number in each part.</summary>
    public static PgInterval NegativeInfinity => new(int.MinValue, int.MinValue, long.MinValue);

    /// <summary>Months, 12 for each year; may be negative, and differ in sign from the other parts.</summary>
    public int Months { get; }

    /// <summary>Days; may be negative. Not carried over into <see cref="Months"/>.</summary>
    public int Days { get; }

    /// <summary>Microseconds; may be negative. Not carried over into <see cref="Days"/>.</summary>
    public long Time { get; }

    /// <summary>Whether it is infinity.</summary>
    public bool IsInfinity => this == Infinity;

    /// <summary>Whether it is -infinity.</summary>
    public bool IsNegativeInfinity => this == NegativeInfinity;

    /// <summary>Whether it is neither infinity nor -infinity.</summary>
    public bool IsFinite => !IsInfinity && !IsNegativeInfinity;

    /// <summary>Whole days of 24 hours and the rest as time; what is finer than a microsecond is cut off.</summary>
    public static explicit operator PgInterval(TimeSpan value) =>
        new(months: 0, value.Days, value.Ticks % TimeSpan.TicksPerDay / TimeSpan.TicksPerMicrosecond);

    /// <summary>The days, of 24 hours, and the time.</summary>
    /// <exception cref="OverflowException">It has months, is infinite, or is longer than a TimeSpan can be.</exception>
    public static explicit operator TimeSpan(PgInterval value) => value.TryToTimeSpan(out var span)
        ? span
        : throw new OverflowException($"The interval '{value}' does not fit into TimeSpan, "
            + "which has no months and 10,675,199 days at most.");

    /// <summary>
    /// Reads an interval as the server shows it with IntervalStyle postgres, <c>1 year 2 mons -3 days +04:05:06.789</c>, or iso_8601,
    /// <c>P1Y2M-3DT4H5M6.789S</c>. No other form is read.
    /// </summary>
    /// <remarks>
    /// In the former the units have to be those, in this order, each once. In the latter weeks are understood too, but of fractions only
    /// those of seconds. Seconds have up to six digits behind the point, and in ISO 8601 up to nine in front of it if there is a point.
    /// </remarks>
    /// <exception cref="FormatException">
    /// It is no such text, is longer than 128 characters, or a part is larger than an interval can have it.
    /// </exception>
    public static PgInterval Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgInterval Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => TryParse(s, provider, out var interval)
        ? interval
        : throw ValueFormat.NotA("interval", s, "an interval such as 1 year 2 mons -3 days +04:05:06.789 or P1Y2M-3DT4H5M6.789S");

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no interval.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgInterval result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgInterval)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgInterval result)
    {
        result = default;
        // The server takes no blanks around ISO 8601.
        var isIso = s is ['P', ..];
        if (!isIso)
            s = AsciiBlanks.Trim(s);
        Span<byte> bytes = stackalloc byte[MostCharacters];
        if (!AsciiBlanks.TryEncode(s, bytes, out var length))
            return false;
        ReadOnlySpan<byte> text = bytes[..length];
        return isIso ? IntervalText.TryReadIso(text, out result) : IntervalText.TryRead(text, out result);
    }

    /// <summary>The interval as the server shows it (IntervalStyle postgres): <c>1 year 2 mons -3 days 04:05:06.789</c>.</summary>
    public override string ToString()
    {
        if (!IsFinite)
            return IsInfinity ? "infinity" : "-infinity"; // PostgreSQL 17 and later (INTERVAL_IS_NOEND, timestamp.h)
        var text = new StringBuilder();
        var isAfterNegative = false;
        Append(text, Months / 12, "year", ref isAfterNegative);
        Append(text, Months % 12, "mon", ref isAfterNegative);
        Append(text, Days, "day", ref isAfterNegative);
        if (Time == 0 && text.Length > 0)
            return text.ToString();
        var sign = Time < 0 ? "-" : isAfterNegative ? "+" : "";
        return text.Append(text.Length == 0 ? "" : " ").Append(sign).Append(DateTimeText.FormatTime(Int128.Abs(Time))).ToString();
    }

    /// <summary>As <see cref="ToString()"/>, or in ISO 8601 (IntervalStyle iso_8601); whatever the provider.</summary>
    /// <param name="format">Null, empty or "G" for the former, "I" for the latter.</param>
    /// <param name="formatProvider">Not used.</param>
    /// <exception cref="FormatException">It is another format.</exception>
    public string ToString(string? format, IFormatProvider? formatProvider)
    {
        if (format is "I" or "i")
            return IntervalText.ToIso(this);
        ValueFormat.Check(format);
        return ToString();
    }

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null) =>
        ValueFormat.TryCopy(ToString(format is "I" or "i" ? "I" : format.ToString(), provider), destination, out charsWritten);

    /// <summary>Microseconds by which the server compares intervals: of months with 30 days, and days with 24 hours.</summary>
    internal Int128 Length => ((Int128)Months * 30 + Days) * (TimeSpan.TicksPerDay / TimeSpan.TicksPerMicrosecond) + Time;

    internal bool TryToTimeSpan(out TimeSpan span)
    {
        var ticks = (Int128)Time * TimeSpan.TicksPerMicrosecond + (Int128)Days * TimeSpan.TicksPerDay;
        var fits = Months == 0 && ticks >= long.MinValue && ticks <= long.MaxValue;
        span = fits ? new TimeSpan((long)ticks) : default;
        return fits;
    }

    // A positive part behind a negative one gets a plus sign, or the minus would seem to go for both (AddPostgresIntPart, datetime.c).
    private static void Append(StringBuilder text, int value, string unit, ref bool isAfterNegative)
    {
        if (value == 0)
            return;
        var space = text.Length == 0 ? "" : " ";
        var sign = isAfterNegative && value > 0 ? "+" : "";
        text.Append(CultureInfo.InvariantCulture, $"{space}{sign}{value} {unit}{(value == 1 ? "" : "s")}");
        isAfterNegative = value < 0;
    }
}
