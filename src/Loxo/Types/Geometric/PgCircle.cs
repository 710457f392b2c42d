namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>circle</c>.</summary>
/// <param name="Center">Its middle.</param>
/// <param name="Radius">How far its rim is from <paramref name="Center"/>; the server takes none below 0.</param>
public readonly record struct PgCircle(PgPoint Center, double Radius) : ISpanParsable<PgCircle>
{
    private const string Example = "<(1,2),3>";

    /// <summary>A circle around the point (x,y).</summary>
    /// <param name="x">The first coordinate of its middle.</param>
    /// <param name="y">The second coordinate of its middle.</param>
    /// <param name="radius">How far its rim is from there; the server takes none below 0.</param>
    public PgCircle(double x, double y, double radius)
        : this(new PgPoint(x, y), radius)
    {
    }

    /// <summary>The first coordinate of <see cref="Center"/>.</summary>
    public double X => Center.X;

    /// <summary>The second coordinate of <see cref="Center"/>.</summary>
    public double Y => Center.Y;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCircle)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgCircle Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCircle>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgCircle Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCircle>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCircle)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgCircle result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a circle as the server does: <c>&lt;(1,2),3&gt;</c>, <c>((1,2),3)</c> or <c>1,2,3</c>. Hexadecimal numbers are not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgCircle result)
    {
        var scanner = new ShapeScanner(s);
        double radius = 0;
        scanner.SkipBlanks();
        var isEnclosed = scanner.TryTake('<') || scanner.TryTakeFirstOfTwoParentheses();
        var isCircle = scanner.TryTakePoint(out var center) & (scanner.TryTake(',') | true)
            && scanner.TryTakeNumber(out radius) && !(radius < 0)
            && (!isEnclosed || scanner.TryTakeEnd('>') || scanner.TryTakeEnd(')')) && scanner.IsAtEnd;
        result = isCircle ? new PgCircle(center, radius) : default;
        return isCircle;
    }

    /// <summary>Takes it apart.</summary>
    public void Deconstruct(out double x, out double y, out double radius) => (x, y, radius) = (X, Y, Radius);

    /// <summary>The circle as the server shows it: <c>&lt;(1,2),3&gt;</c>.</summary>
    public override string ToString() => $"<{Center},{FloatText.Show(Radius)}>";
}
