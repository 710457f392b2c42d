using System.Collections;

namespace Loxo;

/// <summary>A value of PostgreSQL's type <c>path</c>: points that are connected one after the other. It cannot be changed.</summary>
public readonly record struct PgPath : IList<PgPoint>, IReadOnlyList<PgPoint>, ISpanParsable<PgPath>
{
    private const string Example = "((1,2),(3,4))";

    private readonly PgPoint[]? _points;

    /// <summary>A path through these points.</summary>
    /// <param name="points">At least one, or the server does not take it.</param>
    /// <param name="open">Whether the last point is not connected with the first one.</param>
    /// <exception cref="ArgumentNullException"><paramref name="points"/> is null.</exception>
    public PgPath(IEnumerable<PgPoint> points, bool open = false)
        : this(open, [.. points ?? throw new ArgumentNullException(nameof(points))])
    {
    }

    /// <summary>A closed path through these points.</summary>
    /// <param name="points">At least one, or the server does not take it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="points"/> is null.</exception>
    public PgPath(params PgPoint[] points)
        : this((IEnumerable<PgPoint>)points)
    {
    }

    /// <summary>Takes the array as it is.</summary>
    internal PgPath(bool open, PgPoint[] points) => (Open, _points) = (open, points);

    /// <summary>Whether the last point is not connected with the first one.</summary>
    public bool Open { get; }

    /// <summary>How many points it has; 0 only in the struct's default value, which the server does not take.</summary>
    public int Count => _points?.Length ?? 0;

    /// <summary>The point at a place.</summary>
    /// <param name="index">From 0 on.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public PgPoint this[int index] => (uint)index < (uint)Count ? _points![index] : throw new ArgumentOutOfRangeException(nameof(index));

    /// <summary>True: a path cannot be changed.</summary>
    public bool IsReadOnly => true;

    PgPoint IList<PgPoint>.this[int index] { get => this[index]; set => throw Unchangeable(); }

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPath)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgPath Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPath>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgPath Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgPath>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgPath)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgPath result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a path as the server does: <c>[(1,2),(3,4)]</c> when it is open, <c>((1,2),(3,4))</c>, in more or fewer parentheses, when it
    /// is closed. Hexadecimal numbers are not read.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgPath result)
    {
        var scanner = new ShapeScanner(s);
        var points = new PgPoint[ShapeScanner.CountPoints(s)];
        scanner.SkipBlanks();
        var isEnclosed = scanner.TryTakeOnlyParenthesis();
        var isPath = scanner.TryTakePoints(points, mayBeOpen: true, out var isOpen)
            && (!isEnclosed || scanner.TryTakeEnd(')')) && scanner.IsAtEnd && points.Length > 0;
        result = isPath ? new PgPath(isOpen, points) : default;
        return isPath;
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
    public IEnumerator<PgPoint> GetEnumerator() => ((IEnumerable<PgPoint>)(_points ?? [])).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>
    /// Whether the same points are in the same order, and both are open or both are closed. The server's <c>=</c> compares the number of
    /// points.
    /// </summary>
    public bool Equals(PgPath other) => Open == other.Open && AsSpan().SequenceEqual(other.AsSpan());

    /// <inheritdoc/>
    public override int GetHashCode() => ValueFormat.Hash(AsSpan());

    /// <summary>The path as the server shows it: <c>[(1,2),(3,4)]</c> when it is open, else <c>((1,2),(3,4))</c>.</summary>
    public override string ToString() => Open ? $"[{string.Join(',', this)}]" : $"({string.Join(',', this)})";

    internal ReadOnlySpan<PgPoint> AsSpan() => _points;

    private static NotSupportedException Unchangeable() =>
        new("A PgPath cannot be changed: collect the points in a list and make a PgPath of it.");
}
