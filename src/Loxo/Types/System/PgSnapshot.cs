namespace Loxo;

/// <summary>
/// A value of PostgreSQL's types <c>pg_snapshot</c> and <c>txid_snapshot</c>: which transactions were in progress at a moment (manual,
/// "Transaction ID and Snapshot Information Functions"). It cannot be changed.
/// </summary>
public sealed class PgSnapshot : IEquatable<PgSnapshot>, ISpanParsable<PgSnapshot>
{
    private const string Example = "10:20:10,14,15";

    private readonly ulong[] _inProgress;

    /// <summary>A snapshot.</summary>
    /// <param name="xmin">The lowest transaction that was in progress; 1 at least.</param>
    /// <param name="xmax">One past the highest transaction that had ended; not below <paramref name="xmin"/>.</param>
    /// <param name="inProgress">The transactions between them that were in progress, in ascending order.</param>
    /// <exception cref="ArgumentNullException"><paramref name="inProgress"/> is null.</exception>
    /// <exception cref="ArgumentException">The numbers are not in this order.</exception>
    public PgSnapshot(ulong xmin, ulong xmax, IEnumerable<ulong> inProgress)
    {
        ArgumentNullException.ThrowIfNull(inProgress);
        (XMin, XMax, _inProgress) = (xmin, xmax, [.. inProgress]);
        if (!IsInOrder(xmin, xmax, _inProgress))
            throw new ArgumentException($"The numbers of a snapshot have to be in order, and those of {this} are not.");
    }

    private PgSnapshot(ulong xmin, ulong xmax, ulong[] inProgress) => (XMin, XMax, _inProgress) = (xmin, xmax, inProgress);

    /// <summary>The lowest transaction that was in progress: all before it had ended.</summary>
    public ulong XMin { get; }

    /// <summary>One past the highest transaction that had ended: none from here on had begun.</summary>
    public ulong XMax { get; }

    /// <summary>The transactions from <see cref="XMin"/> to before <see cref="XMax"/> that were in progress, in ascending order.</summary>
    public IReadOnlyList<ulong> InProgress => _inProgress.AsReadOnly();

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgSnapshot)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgSnapshot Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgSnapshot>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgSnapshot Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgSnapshot>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgSnapshot)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgSnapshot result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a snapshot as the server shows it: <c>xmin:xmax:</c> and the transactions in progress, <c>10:20:10,14,15</c>.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgSnapshot result)
    {
        result = null;
        var first = s.IndexOf(':');
        var second = s.LastIndexOf(':');
        if (first == second || !TryParseNumber(s[..first], out var xmin) || !TryParseNumber(s[(first + 1)..second], out var xmax))
            return false;
        var inProgress = new List<ulong>();
        var rest = s[(second + 1)..];
        foreach (var part in rest.Split(','))
        {
            if (rest.IsEmpty)
                break;
            if (!TryParseNumber(rest[part], out var number))
                return false;
            inProgress.Add(number);
        }
        result = Of(xmin, xmax, [.. inProgress]);
        return result is not null;
    }

    /// <summary>Whether a transaction had ended, committed or not (as <c>pg_visible_in_snapshot</c>).</summary>
    public bool HasEnded(ulong transactionId) =>
        transactionId < XMin || (transactionId < XMax && Array.BinarySearch(_inProgress, transactionId) < 0);

    /// <summary>Whether all numbers are the same.</summary>
    public bool Equals(PgSnapshot? other) =>
        other is not null && XMin == other.XMin && XMax == other.XMax && _inProgress.AsSpan().SequenceEqual(other._inProgress);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as PgSnapshot);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(XMin, XMax, _inProgress.Length);

    /// <summary>The snapshot as the server shows it: <c>10:20:10,14,15</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{XMin}:{XMax}:{string.Join(',', _inProgress)}");

    /// <summary>Takes the array as it is; null when the numbers are not in order.</summary>
    internal static PgSnapshot? Of(ulong xmin, ulong xmax, ulong[] inProgress) =>
        IsInOrder(xmin, xmax, inProgress) ? new PgSnapshot(xmin, xmax, inProgress) : null;

    private static bool TryParseNumber(ReadOnlySpan<char> digits, out ulong number) =>
        ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out number);

    // What parse_snapshot demands (xid8funcs.c).
    private static bool IsInOrder(ulong xmin, ulong xmax, ReadOnlySpan<ulong> inProgress)
    {
        if (xmin == 0 || xmax < xmin)
            return false;
        var least = xmin;
        foreach (var number in inProgress)
        {
            if (number < least || number >= xmax)
                return false;
            least = number + 1;
        }
        return true;
    }
}
