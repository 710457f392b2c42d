namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>lseg</c>: a line from one point to another.</summary>
/// <param name="Start">The first point.</param>
/// <param name="End">The second point.</param>
public readonly record struct PgLSeg(PgPoint Start, PgPoint End) : ISpanParsable<PgLSeg>
{
    private const string Example = "[(1,2),(3,4)]";

    /// <summary>A line from the point (startX,startY) to the point (endX,endY).</summary>
    public PgLSeg(double startX, double startY, double endX, double endY)
        : this(new PgPoint(startX, startY), new PgPoint(endX, endY))
    {
    }

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLSeg)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgLSeg Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgLSeg>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgLSeg Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgLSeg>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgLSeg)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgLSeg result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a line segment as the server does: <c>[(1,2),(3,4)]</c>, or the same in parentheses, or without any. Hexadecimal numbers are
    /// not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgLSeg result)
    {
        var scanner = new ShapeScanner(s);
        Span<PgPoint> ends = stackalloc PgPoint[2];
        var isSegment = scanner.TryTakePoints(ends, mayBeOpen: true, out _) && scanner.IsAtEnd;
        result = isSegment ? new PgLSeg(ends[0], ends[1]) : default;
        return isSegment;
    }

    /// <summary>The line segment as the server shows it: <c>[(1,2),(3,4)]</c>.</summary>
    public override string ToString() => $"[{Start},{End}]";
}
