namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>box</c>: a rectangle whose sides are parallel to the axes. As in the server, it is kept as its upper
/// right and its lower left corner, whichever two opposite corners it is made of.
/// </summary>
/// <remarks>Boxes with the same corners are equal. The server's <c>=</c> compares areas.</remarks>
public readonly record struct PgBox : ISpanParsable<PgBox>
{
    private const string Example = "(3,4),(1,2)";

    /// <summary>The box with these corners.</summary>
    /// <param name="corner">Any corner.</param>
    /// <param name="opposite">The one that is farthest from it.</param>
    public PgBox(PgPoint corner, PgPoint opposite)
    {
        // As box_recv does (geo_ops.c): swapped only where it has to be, so that 0 and -0 stay where they are.
        var (left, right) = IsLess(corner.X, opposite.X) ? (corner.X, opposite.X) : (opposite.X, corner.X);
        var (bottom, top) = IsLess(corner.Y, opposite.Y) ? (corner.Y, opposite.Y) : (opposite.Y, corner.Y);
        UpperRight = new PgPoint(right, top);
        LowerLeft = new PgPoint(left, bottom);
    }

    /// <summary>The box between these sides.</summary>
    public PgBox(double top, double right, double bottom, double left)
        : this(new PgPoint(right, top), new PgPoint(left, bottom))
    {
    }

    /// <summary>The corner whose coordinates are the larger ones.</summary>
    public PgPoint UpperRight { get; }

    /// <summary>The corner whose coordinates are the smaller ones.</summary>
    public PgPoint LowerLeft { get; }

    /// <summary>The smaller of the first coordinates.</summary>
    public double Left => LowerLeft.X;

    /// <summary>The larger of the first coordinates.</summary>
    public double Right => UpperRight.X;

    /// <summary>The smaller of the second coordinates.</summary>
    public double Bottom => LowerLeft.Y;

    /// <summary>The larger of the second coordinates.</summary>
    public double Top => UpperRight.Y;

    /// <summary>How far <see cref="Left"/> and <see cref="Right"/> are from each other.</summary>
    public double Width => Right - Left;

    /// <summary>How far <see cref="Bottom"/> and <see cref="Top"/> are from each other.</summary>
    public double Height => Top - Bottom;

    /// <summary>Whether it has no area.</summary>
    public bool IsEmpty => Width == 0 || Height == 0;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgBox)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgBox Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgBox>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgBox Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgBox>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgBox)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgBox result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a box as the server does: <c>(3,4),(1,2)</c>, or the same in more or fewer parentheses. Hexadecimal numbers are not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgBox result)
    {
        var scanner = new ShapeScanner(s);
        Span<PgPoint> corners = stackalloc PgPoint[2];
        var isBox = scanner.TryTakePoints(corners, mayBeOpen: false, out _) && scanner.IsAtEnd;
        result = isBox ? new PgBox(corners[0], corners[1]) : default;
        return isBox;
    }

    /// <summary>Takes it apart into corners.</summary>
    public void Deconstruct(out PgPoint lowerLeft, out PgPoint upperRight) => (lowerLeft, upperRight) = (LowerLeft, UpperRight);

    /// <summary>Takes it apart into sides.</summary>
    public void Deconstruct(out double left, out double right, out double bottom, out double top) =>
        (left, right, bottom, top) = (Left, Right, Bottom, Top);

    /// <summary>Takes it apart into sides and extent.</summary>
    public void Deconstruct(
        out double left, out double right, out double bottom, out double top, out double width, out double height) =>
        (left, right, bottom, top, width, height) = (Left, Right, Bottom, Top, Width, Height);

    /// <summary>The box as the server shows it, the upper right corner first: <c>(3,4),(1,2)</c>.</summary>
    public override string ToString() => $"{UpperRight},{LowerLeft}";

    // To the server NaN is larger than any number (float8_lt).
    private static bool IsLess(double a, double b) => a < b || (double.IsNaN(b) && !double.IsNaN(a));
}
