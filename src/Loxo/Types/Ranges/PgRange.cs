using System.ComponentModel;

namespace Loxo;

/// <summary>
/// A value of one of PostgreSQL's range types: all values between two bounds. Reads and writes <c>int4range</c>, <c>int8range</c>,
/// <c>numrange</c>, <c>tsrange</c>, <c>tstzrange</c>, <c>daterange</c> and ranges that a database defines itself; an array or a list of
/// them is a multirange.
/// </summary>
/// <remarks>
/// The server brings ranges of whole numbers and of days into one form: <c>[1,5]</c> comes back as <c>[1,6)</c>. That form is the server's
/// business: here these two are different values, and are written as they are. The server's <c>=</c> is wider, too: to it they are equal.
/// </remarks>
/// <typeparam name="T">The .NET type of a bound.</typeparam>
public readonly record struct PgRange<T> : ISpanParsable<PgRange<T>>
{
    // The flags with that for emptiness turned round, so that default is the empty range.
    private readonly RangeFlags _state;

    /// <summary>A range with both bounds part of it: <c>[lowerBound,upperBound]</c>.</summary>
    /// <param name="lowerBound">The smallest value; null for no bound.</param>
    /// <param name="upperBound">The largest value; null for no bound.</param>
    public PgRange(T? lowerBound, T? upperBound)
        : this(lowerBound, true, false, upperBound, true, false)
    {
    }

    /// <summary>A range with two bounds.</summary>
    /// <param name="lowerBound">The lower bound; null for none.</param>
    /// <param name="lowerBoundIsInclusive">Whether the lower bound is part of the range: <c>[</c> instead of <c>(</c>.</param>
    /// <param name="upperBound">The upper bound; null for none.</param>
    /// <param name="upperBoundIsInclusive">Whether the upper bound is part of the range: <c>]</c> instead of <c>)</c>.</param>
    public PgRange(T? lowerBound, bool lowerBoundIsInclusive, T? upperBound, bool upperBoundIsInclusive)
        : this(lowerBound, lowerBoundIsInclusive, false, upperBound, upperBoundIsInclusive, false)
    {
    }

    /// <summary>A range that may lack bounds.</summary>
    /// <param name="lowerBound">The lower bound; looked at only if there is one.</param>
    /// <param name="lowerBoundIsInclusive">Whether the lower bound is part of the range.</param>
    /// <param name="lowerBoundInfinite">Whether there is no lower bound.</param>
    /// <param name="upperBound">The upper bound; looked at only if there is one.</param>
    /// <param name="upperBoundIsInclusive">Whether the upper bound is part of the range.</param>
    /// <param name="upperBoundInfinite">Whether there is no upper bound.</param>
    public PgRange(
        T? lowerBound, bool lowerBoundIsInclusive, bool lowerBoundInfinite, T? upperBound, bool upperBoundIsInclusive,
            bool upperBoundInfinite)
        : this(lowerBound, upperBound, ToFlags(lowerBoundIsInclusive, lowerBoundInfinite, upperBoundIsInclusive, upperBoundInfinite))
    {
    }

    internal PgRange(T? lowerBound, T? upperBound, RangeFlags flags)
    {
        if (lowerBound is null || (flags & RangeFlags.LowerInfinite) != 0)
        {
            lowerBound = default;
            flags = (flags | RangeFlags.LowerInfinite) & ~RangeFlags.LowerInclusive;
        }
        if (upperBound is null || (flags & RangeFlags.UpperInfinite) != 0)
        {
            upperBound = default;
            flags = (flags | RangeFlags.UpperInfinite) & ~RangeFlags.UpperInclusive;
        }
        if (HoldsNothing(lowerBound, upperBound, flags))
            return;
        LowerBound = lowerBound;
        UpperBound = upperBound;
        _state = flags ^ RangeFlags.Empty;
    }

    /// <summary>The range that contains nothing: <c>empty</c>. The default value, too.</summary>
    public static PgRange<T> Empty => default;

    /// <summary>The lower bound; the default of <typeparamref name="T"/> if there is none.</summary>
    public T? LowerBound { get; }

    /// <summary>The upper bound; the default of <typeparamref name="T"/> if there is none.</summary>
    public T? UpperBound { get; }

    /// <summary>Whether the lower bound is part of the range. False if there is none.</summary>
    public bool LowerBoundIsInclusive => (Flags & RangeFlags.LowerInclusive) != 0;

    /// <summary>Whether the upper bound is part of the range. False if there is none.</summary>
    public bool UpperBoundIsInclusive => (Flags & RangeFlags.UpperInclusive) != 0;

    /// <summary>Whether there is no lower bound. False for the empty range. A bound whose value is infinity is a bound.</summary>
    public bool LowerBoundInfinite => (Flags & RangeFlags.LowerInfinite) != 0;

    /// <summary>Whether there is no upper bound. False for the empty range. A bound whose value is infinity is a bound.</summary>
    public bool UpperBoundInfinite => (Flags & RangeFlags.UpperInfinite) != 0;

    /// <summary>
    /// Whether the range contains nothing. Bounds that are equal to the server, such as intervals of 1 month and of 30 days, make it so
    /// unless both are part of the range.
    /// </summary>
    public bool IsEmpty => (Flags & RangeFlags.Empty) != 0;

    internal RangeFlags Flags => _state ^ RangeFlags.Empty;

    /// <summary>Reads a range from what the server shows, and from what <see cref="ToString"/> makes.</summary>
    /// <param name="s">
    /// The text, as in "Range Input/Output" in the manual: bounds may be quoted, with quotes doubled or behind a backslash, and blanks may
    /// stand around the range. A bound looks as the server shows it. A lower bound behind the upper one is refused, as by the server, but
    /// not where only the server knows their order: of texts (<see cref="string"/>, <see cref="char"/>), which follow its collation, JSON,
    /// arrays and text search. There the server refuses the range when it is sent.
    /// </param>
    /// <param name="provider">Not used: the server's format depends on no culture.</param>
    /// <exception cref="FormatException">The text is no range.</exception>
    /// <exception cref="NotSupportedException">No built-in type has <typeparamref name="T"/> for its values.</exception>
    public static PgRange<T> Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) =>
        TryParse(s, provider, out var range) ? range : throw new FormatException($"'{s}' is not a range as PostgreSQL shows it.");

    /// <inheritdoc cref="Parse(ReadOnlySpan{char}, IFormatProvider?)"/>
    public static PgRange<T> Parse(string s, IFormatProvider? provider = null)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan(), provider);
    }

    /// <inheritdoc cref="Parse(ReadOnlySpan{char}, IFormatProvider?)"/>
    /// <returns>Whether the text is a range.</returns>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgRange<T> result) =>
        RangeBounds<T>.TryParse(s, out result);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgRange{T})"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgRange<T> result)
    {
        result = default;
        return s is not null && TryParse(s.AsSpan(), provider, out result);
    }

    /// <summary>The range as the server shows it: <c>[1,5)</c>, <c>(,2024-01-31]</c>, <c>empty</c>.</summary>
    public override string ToString() => RangeBounds<T>.ToText(this);

    /// <summary>Converts ranges from and to text, as for <see cref="TypeDescriptor"/>.</summary>
    public class RangeTypeConverter : TypeConverter
    {
        /// <summary>Makes this the converter of the type.</summary>
        [RequiresUnreferencedCode("TypeDescriptor needs the converter's members.")]
        public static void Register() => TypeDescriptor.AddAttributes(
            typeof(PgRange<T>), new TypeConverterAttribute(typeof(RangeTypeConverter)));

        /// <inheritdoc/>
        public override bool CanConvertFrom(ITypeDescriptorContext? context, Type sourceType) =>
            sourceType == typeof(string) || base.CanConvertFrom(context, sourceType);

        /// <inheritdoc/>
        /// <exception cref="FormatException">The text is not a range.</exception>
        public override object? ConvertFrom(ITypeDescriptorContext? context, CultureInfo? culture, object value) =>
            value is string text ? Parse(text) : base.ConvertFrom(context, culture, value);

        /// <inheritdoc/>
        public override object? ConvertTo(ITypeDescriptorContext? context, CultureInfo? culture, object? value, Type destinationType) =>
            destinationType == typeof(string) ? value?.ToString() : base.ConvertTo(context, culture, value, destinationType);
    }

    private static RangeFlags ToFlags(bool lowerIsInclusive, bool lowerIsInfinite, bool upperIsInclusive, bool upperIsInfinite) =>
        (lowerIsInclusive ? RangeFlags.LowerInclusive : 0) | (lowerIsInfinite ? RangeFlags.LowerInfinite : 0)
        | (upperIsInclusive ? RangeFlags.UpperInclusive : 0) | (upperIsInfinite ? RangeFlags.UpperInfinite : 0);

    // As the server decides (range_serialize, rangetypes.c).
    private static bool HoldsNothing(T? lower, T? upper, RangeFlags flags)
    {
        const RangeFlags infinite = RangeFlags.LowerInfinite | RangeFlags.UpperInfinite;
        const RangeFlags inclusive = RangeFlags.LowerInclusive | RangeFlags.UpperInclusive;
        return (flags & RangeFlags.Empty) != 0
            || ((flags & infinite) == 0 && (flags & inclusive) != inclusive && BoundOrder.AreEqual(lower, upper));
    }
}
