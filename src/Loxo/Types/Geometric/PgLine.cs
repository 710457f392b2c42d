namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>line</c>: the endless line of the points for which A x + B y + C = 0.</summary>
/// <param name="A">The factor of x.</param>
/// <param name="B">The factor of y. The server takes no line of which both factors are 0.</param>
/// <param name="C">The number that is added.</param>
public readonly record struct PgLine(double A, double B, double C) : ISpanParsable<PgLine>
{
    private const string Example = "{1,-1,0}";

    // What is no larger counts as 0 (FPzero, geo_ops.h).
    private const double Epsilon = 1e-6;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLine)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgLine Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgLine>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgLine Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgLine>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLine)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgLine result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a line as the server shows it: <c>{1,-1,0}</c>. Two points, of which the server makes a line too, and hexadecimal numbers are
    /// not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgLine result)
    {
        var scanner = new ShapeScanner(s);
        double b = 0, c = 0;
        scanner.SkipBlanks();
        var isLine = scanner.TryTake('{') & scanner.TryTakeNumber(out var a)
            && scanner.TryTake(',') && scanner.TryTakeNumber(out b)
            && scanner.TryTake(',') && scanner.TryTakeNumber(out c)
            && scanner.TryTakeEnd('}') && scanner.IsAtEnd;
        isLine &= !(Math.Abs(a) <= Epsilon && Math.Abs(b) <= Epsilon);
        result = isLine ? new PgLine(a, b, c) : default;
        return isLine;
    }

    /// <summary>The line as the server shows it: <c>{1,-1,0}</c>.</summary>
    public override string ToString() => $"{{{FloatText.Show(A)},{FloatText.Show(B)},{FloatText.Show(C)}}}";
}
