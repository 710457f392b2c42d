using System.Numerics;

namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>numeric</c> with all its digits: up to 131,072 before the point and 16,383 after it, NaN and both
/// infinities (manual, "Arbitrary Precision Numbers"). It is for carrying values; to calculate with them convert them, or let the server do
/// it.
/// </summary>
/// <remarks>
/// Two values are equal if they are the same number, as with the server's <c>=</c>: 1.0 equals 1.00, and NaN equals NaN.
/// <see cref="Scale"/> tells the former apart. <c>default</c> is zero.
/// </remarks>
public readonly record struct PgNumeric : IComparable<PgNumeric>, IComparable, ISpanFormattable, ISpanParsable<PgNumeric>
{
    // Kept as it is on the wire, so that reading and writing is copying. Null for zero.
    private readonly byte[]? _binary;

    private PgNumeric(byte[] binary) => _binary = binary;

    /// <summary>0, without digits after the point.</summary>
    public static PgNumeric Zero => default;

    /// <summary>Not a number. Equal to itself and greater than all others, as for the server.</summary>
    public static PgNumeric NaN { get; } = Parse("NaN");

    /// <summary>Infinity, which PostgreSQL has since version 14.</summary>
    public static PgNumeric PositiveInfinity { get; } = Parse("Infinity");

    /// <summary>-Infinity, which PostgreSQL has since version 14.</summary>
    public static PgNumeric NegativeInfinity { get; } = Parse("-Infinity");

    /// <summary>Digits after the point, zeros at the end included: 2 for 1.50. 0 for NaN and the infinities.</summary>
    public int Scale => IsFinite ? View.Scale : 0;

    /// <summary>Whether it is neither NaN nor infinite.</summary>
    public bool IsFinite => View.Special is null;

    /// <summary>Whether it is NaN.</summary>
    public bool IsNaN => Rank == 2;

    /// <summary>Whether it is a finite number whose digits after the point are all zero.</summary>
    public bool IsInteger => IsFinite && !View.HasFraction;

    /// <summary>-1 below zero, 0 for zero, 1 above; also for the infinities.</summary>
    /// <exception cref="ArithmeticException">It is NaN.</exception>
    public int Sign => IsNaN ? throw new ArithmeticException("NaN has no sign.") : IsFinite ? SignOf(View) : Rank;

    internal ReadOnlySpan<byte> Binary => _binary ?? ZeroBytes;

    private static ReadOnlySpan<byte> ZeroBytes => [0, 0, 0, 0, 0, 0, 0, 0];

    private NumericView View => new(Binary);

    // The order of what is no number among all others (cmp_numerics, numeric.c).
    private int Rank => View.Special switch { null => 0, "NaN" => 2, "Infinity" => 1, _ => -1 };

    /// <summary>The same number, with the same scale.</summary>
    public static explicit operator PgNumeric(decimal value)
    {
        var writer = new MessageWriter(initialSize: 32);
        NumericDecimal.Write(writer, value);
        return new PgNumeric(writer.Pending.ToArray());
    }

    /// <summary>
    /// The same number, with the fewest digits that tell it from other doubles; NaN and the infinities become themselves.
    /// </summary>
    public static explicit operator PgNumeric(double value) => Parse(value.ToString("R", CultureInfo.InvariantCulture));

    /// <summary>The same number.</summary>
    public static explicit operator PgNumeric(long value) => (PgNumeric)(decimal)value;

    /// <summary>The same number.</summary>
    /// <exception cref="OverflowException">It has more than 131,072 digits.</exception>
    public static explicit operator PgNumeric(BigInteger value) => Parse(value.ToString(CultureInfo.InvariantCulture));

    /// <summary>The same number with the same scale, as far as there is room for zeros at its end.</summary>
    /// <exception cref="OverflowException">decimal cannot hold it exactly, or it is NaN or infinite.</exception>
    public static explicit operator decimal(PgNumeric value) => NumericDecimal.Read(value.Binary);

    /// <summary>The nearest double.</summary>
    /// <exception cref="OverflowException">It is finite and larger than double.</exception>
    public static explicit operator double(PgNumeric value) => new NumericFloatCodec<double>().Read(value.Binary);

    /// <summary>The same number; it is not rounded.</summary>
    /// <exception cref="InvalidCastException">It has digits other than zero after the point.</exception>
    /// <exception cref="OverflowException">It is too large for long, or it is NaN or infinite.</exception>
    public static explicit operator long(PgNumeric value) => new NumericIntegerCodec<long>().Read(value.Binary);

    /// <summary>The same number; it is not rounded.</summary>
    /// <exception cref="InvalidCastException">It has digits other than zero after the point, or it is NaN or infinite.</exception>
    public static explicit operator BigInteger(PgNumeric value) => new NumericWideIntegerCodec<BigInteger>().Read(value.Binary);

    /// <summary>By value; see <see cref="CompareTo(PgNumeric)"/>.</summary>
    public static bool operator <(PgNumeric left, PgNumeric right) => left.CompareTo(right) < 0;

    /// <summary>By value; see <see cref="CompareTo(PgNumeric)"/>.</summary>
    public static bool operator <=(PgNumeric left, PgNumeric right) => left.CompareTo(right) <= 0;

    /// <summary>By value; see <see cref="CompareTo(PgNumeric)"/>.</summary>
    public static bool operator >(PgNumeric left, PgNumeric right) => left.CompareTo(right) > 0;

    /// <summary>By value; see <see cref="CompareTo(PgNumeric)"/>.</summary>
    public static bool operator >=(PgNumeric left, PgNumeric right) => left.CompareTo(right) >= 0;

    /// <summary>
    /// Reads a number as the server does: digits with an optional sign, point and exponent, or NaN, Infinity, inf and the like in any case;
    /// always with a point, whatever the provider. What only some versions of PostgreSQL read is not read: other bases (<c>0x1F</c>),
    /// underscores between digits, and a blank behind the e of an exponent.
    /// </summary>
    /// <exception cref="FormatException">It is no number.</exception>
    /// <exception cref="OverflowException">It has more digits than numeric.</exception>
    public static PgNumeric Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgNumeric Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null)
    {
        var writer = new MessageWriter(NumericFormat.HeaderSize + s.Length);
        try
        {
            NumericText.Write(writer, s);
        }
        catch (InvalidCastException error)
        {
            throw new FormatException(error.Message, error);
        }
        return new PgNumeric(writer.Pending.ToArray());
    }

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no number or has too many digits.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgNumeric result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgNumeric)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgNumeric result)
    {
        var writer = new MessageWriter(NumericFormat.HeaderSize + s.Length);
        var isNumber = NumericText.TryWrite(writer, s);
        result = isNumber ? new PgNumeric(writer.Pending.ToArray()) : default;
        return isNumber;
    }

    /// <inheritdoc/>
    public bool Equals(PgNumeric other) => CompareTo(other) == 0;

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var view = View;
        var hash = new HashCode();
        hash.Add(Rank);
        if (Rank != 0)
            return hash.ToHashCode();
        hash.Add(SignOf(view));
        for (var i = 0; i < view.Count; i++)
            hash.Add(view[i]);
        hash.Add(view.Count == 0 ? 0 : view.Weight);
        return hash.ToHashCode();
    }

    /// <summary>By value, as the server orders: -Infinity first, then the numbers, then Infinity, then NaN.</summary>
    public int CompareTo(PgNumeric other)
    {
        var (rank, otherRank) = (Rank, other.Rank);
        if (rank != 0 || otherRank != 0)
            return rank.CompareTo(otherRank);
        var view = View;
        var otherView = other.View;
        var (sign, otherSign) = (SignOf(view), SignOf(otherView));
        return sign != otherSign || sign == 0 ? sign.CompareTo(otherSign) : sign * CompareMagnitudes(view, otherView);
    }

    int IComparable.CompareTo(object? obj) => ValueFormat.Compare(this, obj);

    /// <summary>All digits, as the server shows them: <c>-1.50</c>, <c>NaN</c>, <c>Infinity</c>.</summary>
    public override string ToString() => NumericText.ToText(View);

    /// <summary>As <see cref="ToString()"/>, whatever the provider.</summary>
    /// <exception cref="FormatException">The format is neither null nor empty nor "G".</exception>
    public string ToString(string? format, IFormatProvider? formatProvider) => ValueFormat.Show(this, format);

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null)
    {
        ValueFormat.Check(format);
        var length = NumericText.LengthOf(View);
        charsWritten = length <= destination.Length ? length : 0;
        if (charsWritten == 0)
            return false;
        NumericText.Format(destination[..length], View);
        return true;
    }

    internal static PgNumeric FromBinary(ReadOnlySpan<byte> binary)
    {
        new NumericView(binary).CheckGroups();
        return new PgNumeric(binary.ToArray());
    }

    private static int SignOf(NumericView view) => view.Count == 0 ? 0 : view.IsNegative ? -1 : 1;

    private static int CompareMagnitudes(NumericView left, NumericView right)
    {
        if (left.Weight != right.Weight)
            return left.Weight.CompareTo(right.Weight);
        for (var i = 0; i < left.Count && i < right.Count; i++)
        {
            if (left[i] != right[i])
                return left[i].CompareTo(right[i]);
        }
        return left.Count.CompareTo(right.Count); // no group at the end is zero
    }
}
