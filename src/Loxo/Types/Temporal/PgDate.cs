namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>date</c>: any day from 4714-11-24 BC to 5874897-12-31 in the Gregorian calendar, infinity or -infinity
/// (manual, "Date/Time Types"). <see cref="DateOnly"/> serves for the years 1 to 9999. <c>default</c> is 2000-01-01.
/// </summary>
public readonly record struct PgDate : IComparable<PgDate>, IComparable, ISpanFormattable, ISpanParsable<PgDate>
{
    // 4714-11-24 BC and 5874897-12-31 (IS_VALID_DATE, date.h).
    private const int FirstDay = -2_451_545;
    private const int LastDay = 2_145_031_948;
    private const int MostCharacters = 32;

    /// <param name="days">Days since 2000-01-01; the smallest and the largest number stand for -infinity and infinity.</param>
    /// <exception cref="ArgumentOutOfRangeException">PostgreSQL has no such date.</exception>
    public PgDate(int days) => Days = IsInRange(days)
        ? days
        : throw new ArgumentOutOfRangeException(nameof(days), days, "PostgreSQL has the dates from 4714-11-24 BC to 5874897-12-31.");

    /// <param name="year">The year; 0 is 1 BC, -1 is 2 BC, as in ISO 8601.</param>
    /// <param name="month">The month, 1 to 12.</param>
    /// <param name="day">The day, from 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such date, or PostgreSQL has none.</exception>
    public PgDate(int year, int month, int day) =>
        Days = PgCalendar.ToDays(year, month, day) is { } days && days is >= FirstDay and <= LastDay
        ? (int)days
        : throw new ArgumentOutOfRangeException(nameof(year), string.Create(CultureInfo.InvariantCulture,
            $"There is no date with year {year}, month {month} and day {day} from 4714-11-24 BC to 5874897-12-31."));

    /// <summary>Later than all other dates.</summary>
    public static PgDate Infinity => new(int.MaxValue);

    /// <summary>Earlier than all other dates.</summary>
    public static PgDate NegativeInfinity => new(int.MinValue);

    /// <summary>The first day that there is, 4714-11-24 BC.</summary>
    public static PgDate MinValue => new(FirstDay);

    /// <summary>The last day that there is, 5874897-12-31.</summary>
    public static PgDate MaxValue => new(LastDay);

    /// <summary>Days since 2000-01-01; the largest and the smallest number for infinity and -infinity.</summary>
    public int Days { get; }

    /// <summary>Whether it is infinity, the one later than all dates.</summary>
    public bool IsInfinity => Days == int.MaxValue;

    /// <summary>Whether it is -infinity.</summary>
    public bool IsNegativeInfinity => Days == int.MinValue;

    /// <summary>Whether it is a day.</summary>
    public bool IsFinite => !IsInfinity && !IsNegativeInfinity;

    /// <summary>The year; 0 is 1 BC, -1 is 2 BC, as in ISO 8601.</summary>
    /// <exception cref="InvalidOperationException">It is infinite.</exception>
    public int Year => (int)Parts.Year;

    /// <summary>The month, 1 to 12.</summary>
    /// <exception cref="InvalidOperationException">It is infinite.</exception>
    public int Month => Parts.Month;

    /// <summary>The day of the month, from 1.</summary>
    /// <exception cref="InvalidOperationException">It is infinite.</exception>
    public int Day => Parts.Day;

    private (long Year, int Month, int Day) Parts => IsFinite
        ? PgCalendar.ToDate(Days)
        : throw new InvalidOperationException($"The date {this} has no year, month and day.");

    /// <summary>The same day; MinValue and MaxValue are days like others here, not the infinities.</summary>
    public static implicit operator PgDate(DateOnly value) => new(value.DayNumber - PgCalendar.EpochDay);

    /// <summary>The same day.</summary>
    /// <exception cref="OverflowException">It is infinite, or not in the years 1 to 9999.</exception>
    public static explicit operator DateOnly(PgDate value) => value.Days is >= -PgCalendar.EpochDay && value.Days <= DateFormat.LastDay
        ? DateOnly.FromDayNumber(value.Days + PgCalendar.EpochDay)
        : throw new OverflowException($"The date {value} does not fit into DateOnly, which has the years 1 to 9999.");

    /// <summary>Whether the left one is earlier.</summary>
    public static bool operator <(PgDate left, PgDate right) => left.Days < right.Days;

    /// <summary>Whether the left one is not later.</summary>
    public static bool operator <=(PgDate left, PgDate right) => left.Days <= right.Days;

    /// <summary>Whether the left one is later.</summary>
    public static bool operator >(PgDate left, PgDate right) => left.Days > right.Days;

    /// <summary>Whether the left one is not earlier.</summary>
    public static bool operator >=(PgDate left, PgDate right) => left.Days >= right.Days;

    /// <summary>
    /// Reads a date as the server shows it with DateStyle ISO: <c>2000-01-31</c>, <c>0044-03-15 BC</c>, <c>infinity</c>. No other form is
    /// read.
    /// </summary>
    /// <remarks>
    /// The year has four to seven digits, month and day have two. So every text that is read means the same to every server: which day
    /// <c>10-09-22</c> is depends on the setting DateStyle.
    /// </remarks>
    /// <exception cref="FormatException">It is no such text, or PostgreSQL has no such date.</exception>
    public static PgDate Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgDate Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => TryParse(s, provider, out var date)
        ? date
        : throw ValueFormat.NotA("date", s, "a date such as 2000-01-31 or 0044-03-15 BC, infinity or -infinity");

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no date.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgDate result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgDate)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgDate result)
    {
        result = default;
        s = AsciiBlanks.Trim(s);
        Span<byte> bytes = stackalloc byte[MostCharacters];
        if (!AsciiBlanks.TryEncode(s, bytes, out var length)
            || !DateTimeText.TryReadDate(bytes[..length], out var days) || !IsInRange(days))
            return false;
        result = new PgDate(days);
        return true;
    }

    /// <summary>By time; -infinity is first and infinity last.</summary>
    public int CompareTo(PgDate other) => Days.CompareTo(other.Days);

    int IComparable.CompareTo(object? obj) => ValueFormat.Compare(this, obj);

    /// <summary>The date as the server shows it with DateStyle ISO: <c>2000-01-31</c>, <c>0044-03-15 BC</c>, <c>infinity</c>.</summary>
    public override string ToString() => DateTimeText.FormatDate(Days);

    /// <summary>As <see cref="ToString()"/>, whatever the provider.</summary>
    /// <exception cref="FormatException">The format is neither null nor empty nor "G".</exception>
    public string ToString(string? format, IFormatProvider? formatProvider) => ValueFormat.Show(this, format);

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null) => ValueFormat.TryShow(this, format, destination, out charsWritten);

    internal static bool IsInRange(int days) => days is (>= FirstDay and <= LastDay) or int.MinValue or int.MaxValue;
}
