namespace Loxo;

/// <summary>
/// A value of PostgreSQL's types <c>timestamp without time zone</c> and <c>timestamp with time zone</c>: any microsecond from 4714-11-24 BC
/// to 294276-12-31 in the Gregorian calendar, infinity or -infinity (manual, "Date/Time Types"). It knows no zone: a <c>timestamp with time
/// zone</c> is in UTC, both when it is read and when it is written. <see cref="DateTime"/> serves for the years 1 to 9999. <c>default</c>
/// is 2000-01-01 00:00.
/// </summary>
public readonly record struct PgTimestamp : IComparable<PgTimestamp>, IComparable, ISpanFormattable,
    ISpanParsable<PgTimestamp>
{
    // 4714-11-24 00:00 BC and the last microsecond of 294276 (IS_VALID_TIMESTAMP, timestamp.h).
    private const long First = -211_813_488_000_000_000;
    private const long Last = 9_223_371_331_199_999_999;
    private const int MostCharacters = 48;

    /// <param name="microseconds">
    /// Microseconds since 2000-01-01 00:00; the smallest and the largest number stand for -infinity and infinity.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">PostgreSQL has no such timestamp.</exception>
    public PgTimestamp(long microseconds) => Microseconds = IsInRange(microseconds) ? microseconds : throw OutOfRange(nameof(microseconds));

    /// <param name="date">The day. With one of the infinities the time does not matter, as for the server's cast from date.</param>
    /// <param name="time">The time of the day; what is finer than a microsecond is cut off.</param>
    /// <exception cref="ArgumentOutOfRangeException">PostgreSQL has no such timestamp: a date can be later than the last one.</exception>
    public PgTimestamp(PgDate date, TimeOnly time)
    {
        var microseconds = (Int128)date.Days * PgCalendar.MicrosecondsPerDay + time.Ticks / TimeSpan.TicksPerMicrosecond;
        Microseconds = !date.IsFinite ? (date.IsInfinity ? long.MaxValue : long.MinValue)
            : microseconds <= Last ? (long)microseconds
            : throw OutOfRange(nameof(date));
    }

    /// <summary>Later than all other timestamps.</summary>
    public static PgTimestamp Infinity => new(long.MaxValue);

    /// <summary>Earlier than all other timestamps.</summary>
    public static PgTimestamp NegativeInfinity => new(long.MinValue);

    /// <summary>The first that there is, 4714-11-24 00:00:00 BC.</summary>
    public static PgTimestamp MinValue => new(First);

    /// <summary>The last that there is, 294276-12-31 23:59:59.999999.</summary>
    public static PgTimestamp MaxValue => new(Last);

    /// <summary>Microseconds since 2000-01-01 00:00; the largest and the smallest number for infinity and -infinity.</summary>
    public long Microseconds { get; }

    /// <summary>Whether it is infinity, the one later than all timestamps.</summary>
    public bool IsInfinity => Microseconds == long.MaxValue;

    /// <summary>Whether it is -infinity.</summary>
    public bool IsNegativeInfinity => Microseconds == long.MinValue;

    /// <summary>Whether it is a point in time.</summary>
    public bool IsFinite => !IsInfinity && !IsNegativeInfinity;

    /// <summary>The day; infinite if this is.</summary>
    public PgDate Date =>
        IsFinite ? new PgDate((int)PgCalendar.DayOf(Microseconds)) : IsInfinity ? PgDate.Infinity : PgDate.NegativeInfinity;

    /// <summary>The time of the day.</summary>
    /// <exception cref="InvalidOperationException">It is infinite.</exception>
    public TimeOnly TimeOfDay => IsFinite
        ? new TimeOnly((Microseconds - PgCalendar.DayOf(Microseconds) * PgCalendar.MicrosecondsPerDay) * TimeSpan.TicksPerMicrosecond)
        : throw new InvalidOperationException($"The timestamp {this} has no time of day.");

    /// <summary>
    /// The same reading of the clock, without regard to the kind; what is finer than a microsecond is cut off. MinValue and MaxValue are
    /// points in time like others here, not the infinities.
    /// </summary>
    public static explicit operator PgTimestamp(DateTime value) =>
        new(value.Ticks / TimeSpan.TicksPerMicrosecond - PgCalendar.EpochMicroseconds);

    /// <summary>The same reading of the clock, with Kind Unspecified; see also <see cref="ToDateTime"/>.</summary>
    /// <exception cref="OverflowException">It is infinite, or not in the years 1 to 9999.</exception>
    public static explicit operator DateTime(PgTimestamp value) => value.ToDateTime(DateTimeKind.Unspecified);

    /// <summary>Whether the left one is earlier.</summary>
    public static bool operator <(PgTimestamp left, PgTimestamp right) => left.Microseconds < right.Microseconds;

    /// <summary>Whether the left one is not later.</summary>
    public static bool operator <=(PgTimestamp left, PgTimestamp right) => left.Microseconds <= right.Microseconds;

    /// <summary>Whether the left one is later.</summary>
    public static bool operator >(PgTimestamp left, PgTimestamp right) => left.Microseconds > right.Microseconds;

    /// <summary>Whether the left one is not earlier.</summary>
    public static bool operator >=(PgTimestamp left, PgTimestamp right) => left.Microseconds >= right.Microseconds;

    /// <summary>
    /// Reads a timestamp as the server shows it with DateStyle ISO, without a zone: <c>2000-01-31 23:59:59.999999</c>, <c>0044-03-15
    /// 12:00:00 BC</c>, <c>infinity</c>. No other form is read.
    /// </summary>
    /// <remarks>
    /// The year has four to seven digits, every other part has two, and seconds have up to six digits behind the point. As for the server,
    /// 24:00:00 is the beginning of the next day, and a second 60 that of the next minute.
    /// </remarks>
    /// <exception cref="FormatException">It is no such text, or PostgreSQL has no such timestamp.</exception>
    public static PgTimestamp Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgTimestamp Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => TryParse(s, provider, out var timestamp)
        ? timestamp
        : throw ValueFormat.NotA("timestamp", s,
            "a timestamp such as 2000-01-31 23:59:59.999999 or 0044-03-15 12:00:00 BC, infinity or -infinity");

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no timestamp.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgTimestamp result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgTimestamp)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgTimestamp result)
    {
        result = default;
        s = AsciiBlanks.Trim(s);
        Span<byte> bytes = stackalloc byte[MostCharacters];
        if (!AsciiBlanks.TryEncode(s, bytes, out var length)
            || !DateTimeText.TryReadTimestamp(bytes[..length], hasZone: false, out var microseconds) || !IsInRange(microseconds))
            return false;
        result = new PgTimestamp(microseconds);
        return true;
    }

    /// <summary>
    /// The same reading of the clock, with the kind given: Utc for what was <c>timestamp with time zone</c>. Nothing is converted.
    /// </summary>
    /// <exception cref="OverflowException">It is infinite, or not in the years 1 to 9999.</exception>
    public DateTime ToDateTime(DateTimeKind kind) => TimestampFormat.TryToTicks(Microseconds, out var ticks)
        ? new DateTime(ticks, kind)
        : throw new OverflowException($"The timestamp {this} does not fit into DateTime, which has the years 1 to 9999.");

    /// <summary>By time; -infinity is first and infinity last.</summary>
    public int CompareTo(PgTimestamp other) => Microseconds.CompareTo(other.Microseconds);

    int IComparable.CompareTo(object? obj) => ValueFormat.Compare(this, obj);

    /// <summary>
    /// As the server shows a <c>timestamp without time zone</c> with DateStyle ISO: <c>2000-01-31 23:59:59.999999</c>, <c>infinity</c>.
    /// </summary>
    public override string ToString() => DateTimeText.FormatTimestamp(Microseconds, hasZone: false);

    /// <summary>As <see cref="ToString()"/>, whatever the provider.</summary>
    /// <exception cref="FormatException">The format is neither null nor empty nor "G".</exception>
    public string ToString(string? format, IFormatProvider? formatProvider) => ValueFormat.Show(this, format);

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null) => ValueFormat.TryShow(this, format, destination, out charsWritten);

    internal static bool IsInRange(long microseconds) => microseconds is (>= First and <= Last) or long.MinValue or long.MaxValue;

    private static ArgumentOutOfRangeException OutOfRange(string parameter) =>
        new(parameter, "PostgreSQL has the timestamps from 4714-11-24 BC to 294276-12-31.");
}
