namespace Loxo;

/// <summary>
/// A value of type <c>cube</c>, which the extension of that name brings: a point or a box with up to 100 dimensions, given by two opposite
/// corners. It cannot be changed.
/// </summary>
public readonly record struct PgCube : ISpanParsable<PgCube>
{
    private const string Example = "(1, 2),(3, 4)";

    /// <summary>As many as the server takes (CUBE_MAX_DIM, cubedata.h).</summary>
    internal const int MostDimensions = 100;

    private readonly double[]? _corner;
    private readonly double[]? _opposite;

    /// <summary>A point with one dimension.</summary>
    /// <param name="coordinate">Its coordinate.</param>
    public PgCube(double coordinate)
        : this([coordinate], null)
    {
    }

    /// <summary>
    /// A box with one dimension: the line between two coordinates. A point with two dimensions is <c>new PgCube([1, 2])</c>.
    /// </summary>
    /// <param name="corner">One end.</param>
    /// <param name="opposite">The other end.</param>
    public PgCube(double corner, double opposite)
        : this([corner], [opposite])
    {
    }

    /// <summary>A point.</summary>
    /// <param name="point">Its coordinates, one for each dimension: 0 to 100.</param>
    /// <exception cref="ArgumentNullException"><paramref name="point"/> is null.</exception>
    /// <exception cref="ArgumentException">There are more than 100.</exception>
    public PgCube(IEnumerable<double> point)
        : this([.. point ?? throw new ArgumentNullException(nameof(point))], null)
    {
    }

    /// <summary>The box between two corners.</summary>
    /// <param name="corner">The coordinates of any corner, one for each dimension: 0 to 100.</param>
    /// <param name="opposite">The coordinates of the corner that is farthest from it.</param>
    /// <exception cref="ArgumentNullException">A corner is null.</exception>
    /// <exception cref="ArgumentException">The corners differ in their number of dimensions, or it is above 100.</exception>
    public PgCube(IEnumerable<double> corner, IEnumerable<double> opposite)
        : this([.. corner ?? throw new ArgumentNullException(nameof(corner))],
            [.. opposite ?? throw new ArgumentNullException(nameof(opposite))])
    {
    }

    /// <summary>A cube with one more dimension, in which both corners have the same coordinate.</summary>
    /// <param name="cube">The other dimensions.</param>
    /// <param name="coordinate">The coordinate in the new dimension.</param>
    /// <exception cref="ArgumentException"><paramref name="cube"/> has 100 dimensions already.</exception>
    public PgCube(PgCube cube, double coordinate)
        : this(cube, coordinate, coordinate)
    {
    }

    /// <summary>A cube with one more dimension.</summary>
    /// <param name="cube">The other dimensions.</param>
    /// <param name="corner">The coordinate of the first corner in the new dimension.</param>
    /// <param name="opposite">The coordinate of the opposite corner in the new dimension.</param>
    /// <exception cref="ArgumentException"><paramref name="cube"/> has 100 dimensions already.</exception>
    public PgCube(PgCube cube, double corner, double opposite)
        : this([.. cube.Corner, corner], [.. cube.Opposite, opposite])
    {
    }

    private PgCube(double[] corner, double[]? opposite)
    {
        if (opposite is not null && opposite.Length != corner.Length)
            throw new ArgumentException($"One corner has {corner.Length} dimensions and the other {opposite.Length}.", nameof(opposite));
        if (corner.Length > MostDimensions)
            throw new ArgumentException($"A cube has at most {MostDimensions} dimensions, and this one has {corner.Length}.",
                nameof(corner));
        _corner = corner;
        // The server keeps a box without extent as a point, too (cube_yyparse). NaN differs from itself there.
        _opposite = opposite is null || AreSame(corner, opposite) ? corner : opposite;
    }

    /// <summary>How many coordinates a corner has: 0 to 100.</summary>
    public int Dimensions => Corner.Length;

    /// <summary>Whether both corners are the same.</summary>
    public bool IsPoint => _corner == _opposite;

    /// <summary>The smaller coordinate in each dimension.</summary>
    public IReadOnlyList<double> LowerLeft => Each(Math.Min);

    /// <summary>The larger coordinate in each dimension.</summary>
    public IReadOnlyList<double> UpperRight => Each(Math.Max);

    internal ReadOnlySpan<double> Corner => _corner;

    internal ReadOnlySpan<double> Opposite => _opposite;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCube)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgCube Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCube>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgCube Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCube>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCube)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgCube result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a cube as the server does: <c>(1, 2)</c> or <c>1, 2</c> for a point, <c>(1, 2),(3, 4)</c>, in brackets or not, for a box.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgCube result)
    {
        var isCube = CubeParser.TryParse(s, out var corner, out var opposite)
            && opposite.Length == corner.Length && corner.Length <= MostDimensions;
        result = isCube ? Of(corner, opposite) : default;
        return isCube;
    }

    /// <summary>A cube with some of the dimensions of this one, in any order; the same dimension may be taken several times.</summary>
    /// <param name="dimensions">Zero-based indexes of dimensions.</param>
    /// <exception cref="ArgumentNullException"><paramref name="dimensions"/> is null.</exception>
    /// <exception cref="IndexOutOfRangeException">There is no such dimension.</exception>
    /// <exception cref="ArgumentException">There are more than 100 indexes.</exception>
    public PgCube ToSubset(params int[] dimensions)
    {
        ArgumentNullException.ThrowIfNull(dimensions);
        var (corner, opposite) = (_corner ?? [], _opposite ?? []);
        return new PgCube(Array.ConvertAll(dimensions, index => corner[index]), Array.ConvertAll(dimensions, index => opposite[index]));
    }

    /// <summary>Whether the corners are the same, in the same order: a cube is kept as it was given, here and in the server.</summary>
    public bool Equals(PgCube other) =>
        IsPoint == other.IsPoint && Corner.SequenceEqual(other.Corner) && Opposite.SequenceEqual(other.Opposite);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(ValueFormat.Hash(Corner), ValueFormat.Hash(Opposite));

    /// <summary>The cube as the server shows it: <c>(1, 2)</c> for a point, <c>(1, 2),(3, 4)</c> for a box.</summary>
    public override string ToString() => IsPoint ? Show(_corner) : $"{Show(_corner)},{Show(_opposite)}";

    internal static PgCube Of(double[] corner, double[] opposite) => new(corner, opposite);

    private static string Show(double[]? corner) => $"({string.Join(", ", (corner ?? []).Select(FloatText.Show))})";

    private double[] Each(Func<double, double, double> choose)
    {
        var chosen = new double[Dimensions];
        for (var i = 0; i < chosen.Length; i++)
            chosen[i] = choose(Corner[i], Opposite[i]);
        return chosen;
    }

    private static bool AreSame(double[] corner, double[] opposite)
    {
        for (var i = 0; i < corner.Length; i++)
        {
            if (corner[i] != opposite[i])
                return false;
        }
        return true;
    }
}
