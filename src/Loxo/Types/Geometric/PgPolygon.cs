using System.Collections;

namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>polygon</c>: the corners of an area. It cannot be changed.</summary>
/// <remarks>
/// Polygons with the same corners in the same order are equal. The server's <c>~=</c> takes polygons for the same that start at another
/// corner.
/// </remarks>
public readonly record struct PgPolygon : IList<PgPoint>, IReadOnlyList<PgPoint>, ISpanParsable<PgPolygon>
{
    private const string Example = "((1,2),(3,4),(5,6))";

    private readonly PgPath _corners; // a closed one

    /// <summary>A polygon with these corners.</summary>
    /// <param name="points">At least one, or the server does not take it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="points"/> is null.</exception>
    public PgPolygon(IEnumerable<PgPoint> points) => _corners = new PgPath(points);

    /// <inheritdoc cref="PgPolygon(IEnumerable{PgPoint})"/>
    public PgPolygon(params PgPoint[] points)
        : this((IEnumerable<PgPoint>)points)
    {
    }

    private PgPolygon(PgPath corners) => _corners = corners;

    /// <summary>How many points it has; 0 only in the struct's default value, which the server does not take.</summary>
    public int Count => _corners.Count;

    /// <summary>The point at a place.</summary>
    /// <param name="index">From 0 on.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public PgPoint this[int index] => _corners[index];

    /// <summary>True: a polygon cannot be changed.</summary>
    public bool IsReadOnly => true;

    PgPoint IList<PgPoint>.this[int index] { get => this[index]; set => throw Unchangeable(); }

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPolygon)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgPolygon Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPolygon>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgPolygon Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPolygon>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPolygon)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgPolygon result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a polygon as the server does: <c>((1,2),(3,4),(5,6))</c>, or the same in more or fewer parentheses. Hexadecimal numbers are
    /// not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgPolygon result)
    {
        var scanner = new ShapeScanner(s);
        var points = new PgPoint[ShapeScanner.CountPoints(s)];
        var isPolygon = scanner.TryTakePoints(points, mayBeOpen: false, out _) && scanner.IsAtEnd && points.Length > 0;
        result = isPolygon ? Of(points) : default;
        return isPolygon;
    }

    /// <summary>The place of the first point that equals <paramref name="item"/>, from 0; -1 if there is none.</summary>
    public int IndexOf(PgPoint item) => AsSpan().IndexOf(item);

    /// <summary>Whether a point equals <paramref name="item"/>.</summary>
    public bool Contains(PgPoint item) => IndexOf(item) >= 0;

    /// <summary>Copies the points.</summary>
    /// <exception cref="ArgumentException">There is not enough room.</exception>
    public void CopyTo(PgPoint[] array, int arrayIndex)
    {
        ArgumentNullException.ThrowIfNull(array);
        AsSpan().CopyTo(array.AsSpan(arrayIndex));
    }

    void ICollection<PgPoint>.Add(PgPoint item) => throw Unchangeable();

    void IList<PgPoint>.Insert(int index, PgPoint item) => throw Unchangeable();

    bool ICollection<PgPoint>.Remove(PgPoint item) => throw Unchangeable();

    void IList<PgPoint>.RemoveAt(int index) => throw Unchangeable();

    void ICollection<PgPoint>.Clear() => throw Unchangeable();

    /// <summary>The points one after the other.</summary>
    public IEnumerator<PgPoint> GetEnumerator() => _corners.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>The polygon as the server shows it: <c>((1,2),(3,4),(5,6))</c>.</summary>
    public override string ToString() => _corners.ToString();

    internal static PgPolygon Of(PgPoint[] points) => new(new PgPath(open: false, points));

    internal ReadOnlySpan<PgPoint> AsSpan() => _corners.AsSpan();

    private static NotSupportedException Unchangeable() =>
        new("A PgPolygon cannot be changed: collect the points in a list and make a PgPolygon of it.");
}
