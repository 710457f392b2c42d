namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>point</c>: a place in the plane.</summary>
/// <param name="X">The first coordinate.</param>
/// <param name="Y">The second coordinate.</param>
/// <remarks>
/// Equal are points with the same numbers; the server's operators take points for the same that differ by less than 1e-6.
/// </remarks>
public readonly record struct PgPoint(double X, double Y) : ISpanParsable<PgPoint>
{
    private const string Example = "(1.5,-2)";

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPoint)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgPoint Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPoint>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgPoint Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPoint>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPoint)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgPoint result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a point as the server does: <c>(1.5,-2)</c>, or the same without parentheses. Hexadecimal numbers are not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgPoint result)
    {
        var scanner = new ShapeScanner(s);
        var isPoint = scanner.TryTakePoint(out var point) && scanner.IsAtEnd;
        result = isPoint ? point : default;
        return isPoint;
    }

    /// <summary>The point as the server shows it: <c>(1.5,-2)</c>.</summary>
    public override string ToString() => $"({FloatText.Show(X)},{FloatText.Show(Y)})";
}
