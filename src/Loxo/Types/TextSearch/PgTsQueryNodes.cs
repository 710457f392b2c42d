namespace Loxo;

/// <summary>A <see cref="PgTsQuery"/> without lexemes, which matches nothing. It cannot be part of another one.</summary>
public sealed class PgTsQueryEmpty : PgTsQuery
{
    private PgTsQueryEmpty()
        : base(size: 0, hash: 0)
    {
    }

    internal static PgTsQueryEmpty Instance { get; } = new();

    private protected override int Priority => int.MaxValue;

    private protected override void AppendParts(StringBuilder text)
    {
        // The server shows nothing.
    }

    private protected override bool HasSameParts(PgTsQuery other) => true;
}

/// <summary>A word that a <see cref="PgTsQuery"/> looks for: <c>'cat':*AB</c>.</summary>
public sealed class PgTsQueryLexeme : PgTsQuery
{
    private const PgTsWeights All = PgTsWeights.A | PgTsWeights.B | PgTsWeights.C | PgTsWeights.D;

    /// <param name="text">The word, not empty; the server takes up to 2,046 bytes of UTF-8.</param>
    /// <param name="weights">The weights that it may have in the text; by default any.</param>
    /// <param name="isPrefix">Whether words that only begin so are found too.</param>
    /// <exception cref="ArgumentException">The word is null or empty, or there are no such weights.</exception>
    public PgTsQueryLexeme(string text, PgTsWeights weights = PgTsWeights.Any, bool isPrefix = false)
        : base(size: 1, HashCode.Combine(text, weights, isPrefix))
    {
        ArgumentException.ThrowIfNullOrEmpty(text);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((byte)weights, (byte)All, nameof(weights));
        Text = text;
        Weights = weights;
        IsPrefix = isPrefix;
    }

    /// <summary>The word.</summary>
    public string Text { get; }

    /// <summary>The weights that it may have in the text.</summary>
    public PgTsWeights Weights { get; }

    /// <summary>Whether words that only begin so are found too.</summary>
    public bool IsPrefix { get; }

    /// <summary>The same as <see cref="IsPrefix"/>, under Npgsql's name.</summary>
    public bool IsPrefixSearch => IsPrefix;

    private protected override int Priority => int.MaxValue;

    private protected override void AppendParts(StringBuilder text)
    {
        text.Append(LexemeText.Quote(Text));
        if (Weights == PgTsWeights.Any && !IsPrefix)
            return;
        text.Append(IsPrefix ? ":*" : ":");
        for (var bit = 3; bit >= 0; bit--)
            text.Append(((int)Weights >> bit & 1) != 0 ? "DCBA"[bit..(bit + 1)] : "");
    }

    private protected override bool HasSameParts(PgTsQuery other) =>
        other is PgTsQueryLexeme same && same.Text == Text && same.Weights == Weights && same.IsPrefix == IsPrefix;
}

/// <summary>What another <see cref="PgTsQuery"/> does not match: <c>!'cat'</c>.</summary>
public sealed class PgTsQueryNot : PgTsQuery
{
    /// <param name="operand">The query that must not match; not the empty one.</param>
    /// <exception cref="ArgumentException">It is the empty query.</exception>
    public PgTsQueryNot(PgTsQuery operand)
        : base(1 + PgTsQueryBinary.SizeOf(operand), operand.GetHashCode()) => Operand = operand;

    /// <summary>The query that must not match.</summary>
    public PgTsQuery Operand { get; }

    /// <summary>The same as <see cref="Operand"/>, under Npgsql's name.</summary>
    public PgTsQuery Child => Operand;

    private protected override int Priority => 4;

    private protected override void AppendParts(StringBuilder text) => Operand.Append(text.Append('!'), Priority);

    private protected override bool HasSameParts(PgTsQuery other) => other is PgTsQueryNot same && same.Operand.Equals(Operand);
}

/// <summary>Two of <see cref="PgTsQuery"/> with an operator between them.</summary>
public abstract class PgTsQueryBinary : PgTsQuery
{
    private protected PgTsQueryBinary(PgTsQuery left, PgTsQuery right, int distance = 0)
        : base(checked(1 + SizeOf(left) + SizeOf(right)), HashCode.Combine(left, right, distance)) => (Left, Right) = (left, right);

    /// <summary>What stands in front of the operator.</summary>
    public PgTsQuery Left { get; }

    /// <summary>What stands behind the operator.</summary>
    public PgTsQuery Right { get; }

    private protected abstract string Sign { get; }

    internal static int SizeOf(PgTsQuery operand)
    {
        ArgumentNullException.ThrowIfNull(operand);
        return operand is not PgTsQueryEmpty ? operand.Size
            : throw new ArgumentException("The empty tsquery cannot be an operand.", nameof(operand));
    }

    internal bool IsSameButForLeft(PgTsQueryBinary other) => other.Sign == Sign && other.Right.Equals(Right);

    // The left side may be very deep where the rest is not: a long list of words. It is walked without recursion.
    private protected override void AppendParts(StringBuilder text)
    {
        var chain = new Stack<PgTsQueryBinary>();
        chain.Push(this);
        while (chain.Peek().Left is PgTsQueryBinary next && next.Priority >= chain.Peek().Priority)
            chain.Push(next);
        chain.Peek().Left.Append(text, chain.Peek().Priority);
        foreach (var binary in chain)
        {
            text.Append(' ').Append(binary.Sign).Append(' ');
            binary.Right.Append(text, binary.Priority, isRightOfPhrase: binary is PgTsQueryFollowedBy);
        }
    }

    private protected override bool HasSameParts(PgTsQuery other) =>
        other is PgTsQueryBinary same && IsSameButForLeft(same) && same.Left.Equals(Left);
}

/// <summary>What both of two <see cref="PgTsQuery"/> match: <c>'cat' &amp; 'dog'</c>.</summary>
/// <param name="left">What stands in front of the operator; not the empty query.</param>
/// <param name="right">What stands behind the operator; not the empty query.</param>
/// <exception cref="ArgumentException">One of them is the empty query.</exception>
public sealed class PgTsQueryAnd(PgTsQuery left, PgTsQuery right) : PgTsQueryBinary(left, right)
{
    private protected override int Priority => 2;

    private protected override string Sign => "&";
}

/// <summary>What one of two <see cref="PgTsQuery"/> matches, or both: <c>'cat' | 'dog'</c>.</summary>
/// <inheritdoc cref="PgTsQueryAnd(PgTsQuery, PgTsQuery)"/>
public sealed class PgTsQueryOr(PgTsQuery left, PgTsQuery right) : PgTsQueryBinary(left, right)
{
    private protected override int Priority => 1;

    private protected override string Sign => "|";
}

/// <summary>What two <see cref="PgTsQuery"/> match at a distance of each other: <c>'fat' &lt;-&gt; 'cat'</c>.</summary>
public sealed class PgTsQueryFollowedBy : PgTsQueryBinary
{
    internal const int MostDistance = 16_384; // MAXENTRYPOS, ts_type.h

    /// <param name="left">What comes first; not the empty query.</param>
    /// <param name="right">What comes later; not the empty query.</param>
    /// <param name="distance">How many words later, 0 to 16,384; 1 for the next word.</param>
    /// <exception cref="ArgumentException">One of them is the empty query, or the distance is out of range.</exception>
    public PgTsQueryFollowedBy(PgTsQuery left, PgTsQuery right, int distance = 1)
        : base(left, right, distance)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(distance);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(distance, MostDistance);
        Distance = distance;
    }

    /// <summary>The same in Npgsql's order of parameters.</summary>
    /// <inheritdoc cref="PgTsQueryFollowedBy(PgTsQuery, PgTsQuery, int)"/>
    public PgTsQueryFollowedBy(PgTsQuery left, short distance, PgTsQuery right)
        : this(left, right, distance)
    {
    }

    /// <summary>How many words later the second one comes: 1 for the next word, 0 for the same place.</summary>
    public int Distance { get; }

    private protected override int Priority => 3;

    private protected override string Sign => Distance == 1 ? "<->" : string.Create(CultureInfo.InvariantCulture, $"<{Distance}>");
}
