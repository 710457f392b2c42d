namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>pg_lsn</c>: a place in the write-ahead log, counted in bytes from its beginning.</summary>
public readonly record struct PgLogSequenceNumber : IComparable<PgLogSequenceNumber>, IComparable, ISpanParsable<PgLogSequenceNumber>
{
    private const string Example = "16/B374D848";
    private const int MostDigits = 8;

    /// <param name="value">The number of bytes; 0 for <see cref="Invalid"/>.</param>
    public PgLogSequenceNumber(ulong value) => Value = value;

    /// <summary>0, where no record is: what the server says when there is no place (InvalidXLogRecPtr).</summary>
    public static readonly PgLogSequenceNumber Invalid;

    /// <summary>Bytes from the beginning of the log.</summary>
    public ulong Value { get; }

    /// <summary>Bytes from the beginning of the log.</summary>
    public static explicit operator ulong(PgLogSequenceNumber place) => place.Value;

    /// <summary>The place so many bytes from the beginning of the log.</summary>
    public static explicit operator PgLogSequenceNumber(ulong value) => new(value);

    /// <summary>Whether the left place comes before the right one.</summary>
    public static bool operator <(PgLogSequenceNumber left, PgLogSequenceNumber right) => left.Value < right.Value;

    /// <summary>Whether the left place comes behind the right one.</summary>
    public static bool operator >(PgLogSequenceNumber left, PgLogSequenceNumber right) => left.Value > right.Value;

    /// <summary>Whether the left place comes before the right one or is the same.</summary>
    public static bool operator <=(PgLogSequenceNumber left, PgLogSequenceNumber right) => left.Value <= right.Value;

    /// <summary>Whether the left place comes behind the right one or is the same.</summary>
    public static bool operator >=(PgLogSequenceNumber left, PgLogSequenceNumber right) => left.Value >= right.Value;

    /// <summary>The bytes from the right place to the left one; negative when the left one comes first.</summary>
    /// <exception cref="OverflowException">The number is too large for a long.</exception>
    public static long operator -(PgLogSequenceNumber left, PgLogSequenceNumber right) => checked((long)((Int128)left.Value - right.Value));

    /// <summary>The place so many bytes behind another, or before it if the number is negative.</summary>
    /// <exception cref="OverflowException">There is no such place.</exception>
    public static PgLogSequenceNumber operator +(PgLogSequenceNumber place, long bytes) =>
        new(checked((ulong)((Int128)place.Value + bytes)));

    /// <summary>The place so many bytes before another, or behind it if the number is negative.</summary>
    /// <exception cref="OverflowException">There is no such place.</exception>
    public static PgLogSequenceNumber operator -(PgLogSequenceNumber place, long bytes) =>
        new(checked((ulong)((Int128)place.Value - bytes)));

    /// <summary>The one that comes behind the other.</summary>
    public static PgLogSequenceNumber Larger(PgLogSequenceNumber first, PgLogSequenceNumber second) => first > second ? first : second;

    /// <summary>The one that comes before the other.</summary>
    public static PgLogSequenceNumber Smaller(PgLogSequenceNumber first, PgLogSequenceNumber second) => first < second ? first : second;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLogSequenceNumber)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgLogSequenceNumber Parse(string s, IFormatProvider? provider = null) =>
        ValueFormat.Parse<PgLogSequenceNumber>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgLogSequenceNumber Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) =>
        ValueFormat.Parse<PgLogSequenceNumber>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLogSequenceNumber)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgLogSequenceNumber result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>Reads a place as the server shows it: the two halves in hexadecimal digits, <c>16/B374D848</c>.</summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgLogSequenceNumber result)
    {
        var slash = s.IndexOf('/');
        uint low = 0;
        var isPlace = TryParseHalf(slash < 0 ? [] : s[..slash], out var high) && TryParseHalf(s[(slash + 1)..], out low);
        result = isPlace ? new PgLogSequenceNumber((ulong)high << 32 | low) : default;
        return isPlace;
    }

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLogSequenceNumber)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, out PgLogSequenceNumber result) => TryParse(s, null, out result);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLogSequenceNumber)"/>
    public static bool TryParse(ReadOnlySpan<char> s, out PgLogSequenceNumber result) => TryParse(s, null, out result);

    /// <inheritdoc/>
    public int CompareTo(PgLogSequenceNumber other) => Value.CompareTo(other.Value);

    /// <inheritdoc/>
    /// <exception cref="ArgumentException"><paramref name="obj"/> is something else.</exception>
    public int CompareTo(object? obj) => ValueFormat.Compare(this, obj);

    /// <summary>The place as the server shows it: <c>16/B374D848</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Value >> 32:X}/{(uint)Value:X}");

    private static bool TryParseHalf(ReadOnlySpan<char> digits, out uint half)
    {
        half = 0;
        return digits.Length <= MostDigits && uint.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out half);
    }
}
