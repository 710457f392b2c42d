using System.Globalization;
using System.Text;

namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>interval</c>: months, days and microseconds side by side, because a month has no fixed number of days
/// nor a day a fixed number of hours. <see cref="TimeSpan"/> serves for intervals without months.
/// </summary>
/// <param name="months">Months, 12 for each year; may be negative.</param>
/// <param name="days">Days; may be negative.</param>
/// <param name="time">Microseconds; may be negative.</param>
public readonly struct PgInterval(int months, int days, long time) : IEquatable<PgInterval>
{
    private const long MicrosecondsPerSecond = 1_000_000;

    /// <summary>Months, 12 for each year; may be negative, and differ in sign from the other parts.</summary>
    public int Months { get; } = months;

    /// <summary>Days; may be negative. Not carried over into <see cref="Months"/>.</summary>
    public int Days { get; } = days;

    /// <summary>Microseconds; may be negative. Not carried over into <see cref="Days"/>.</summary>
    public long Time { get; } = time;

    /// <summary>Whether all three parts are the same.</summary>
    public static bool operator ==(PgInterval left, PgInterval right) => left.Equals(right);

    /// <summary>Whether any of the three parts differs.</summary>
    public static bool operator !=(PgInterval left, PgInterval right) => !left.Equals(right);

    /// <summary>
    /// Whether all three parts are the same. The server's <c>=</c> is wider: it takes a month for 30 days and a day for 24 hours.
    /// </summary>
    public bool Equals(PgInterval other) => Months == other.Months && Days == other.Days && Time == other.Time;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgInterval other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Months, Days, Time);

    /// <summary>The interval as the server shows it (IntervalStyle postgres): <c>1 year 2 mons -3 days 04:05:06.789</c>.</summary>
    public override string ToString()
    {
        if (this == new PgInterval(int.MaxValue, int.MaxValue, long.MaxValue))
            return "infinity"; // PostgreSQL 17 and later (INTERVAL_IS_NOEND, timestamp.h)
        if (this == new PgInterval(int.MinValue, int.MinValue, long.MinValue))
            return "-infinity";
        var text = new StringBuilder();
        var isAfterNegative = false;
        Append(text, Months / 12, "year", ref isAfterNegative);
        Append(text, Months % 12, "mon", ref isAfterNegative);
        Append(text, Days, "day", ref isAfterNegative);
        if (Time != 0 || text.Length == 0)
            AppendTime(text, isAfterNegative);
        return text.ToString();
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

    private void AppendTime(StringBuilder text, bool isAfterNegative)
    {
        var sign = Time < 0 ? "-" : isAfterNegative ? "+" : "";
        var magnitude = (ulong)(Time < 0 ? unchecked(-Time) : Time);
        var (seconds, fraction) = Math.DivRem(magnitude, MicrosecondsPerSecond);
        var space = text.Length == 0 ? "" : " ";
        text.Append(CultureInfo.InvariantCulture, $"{space}{sign}{seconds / 3600:00}:{seconds / 60 % 60:00}:{seconds % 60:00}");
        if (fraction != 0)
            text.Append('.').Append(fraction.ToString("000000", CultureInfo.InvariantCulture).TrimEnd('0'));
    }
}
