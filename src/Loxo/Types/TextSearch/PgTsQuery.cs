namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>tsquery</c>: a tree of <see cref="PgTsQueryLexeme"/>, <see cref="PgTsQueryNot"/>,
/// <see cref="PgTsQueryAnd"/>, <see cref="PgTsQueryOr"/> and <see cref="PgTsQueryFollowedBy"/>, or <see cref="PgTsQueryEmpty"/> (manual,
/// "Text Search Types"). Words are taken as they are; <c>to_tsquery</c> normalizes them.
/// </summary>
/// <remarks>
/// Two queries are equal if they are the same tree. A tree that is nested so deeply that the stack of the thread does not suffice throws
/// <see cref="InsufficientExecutionStackException"/> where it is shown, compared or written; a list of operands, however long,
/// is not nested.
/// </remarks>
public abstract class PgTsQuery : IEquatable<PgTsQuery>, ISpanFormattable, ISpanParsable<PgTsQuery>
{
    private readonly int _hash;

    private protected PgTsQuery(int size, int hash)
    {
        Size = size;
        _hash = HashCode.Combine(GetType(), size, hash);
    }

    /// <summary>The kinds of nodes.</summary>
    public enum NodeKind
    {
        /// <summary><see cref="PgTsQueryEmpty"/>.</summary>
        Empty = -1,

        /// <summary><see cref="PgTsQueryLexeme"/>.</summary>
        Lexeme = 0,

        /// <summary><see cref="PgTsQueryNot"/>.</summary>
        Not = 1,

        /// <summary><see cref="PgTsQueryAnd"/>.</summary>
        And = 2,

        /// <summary><see cref="PgTsQueryOr"/>.</summary>
        Or = 3,

        /// <summary><see cref="PgTsQueryFollowedBy"/>.</summary>
        Phrase = 4,
    }

    /// <summary>Which of the derived classes it is.</summary>
    public NodeKind Kind => this switch
    {
        PgTsQueryLexeme => NodeKind.Lexeme,
        PgTsQueryNot => NodeKind.Not,
        PgTsQueryAnd => NodeKind.And,
        PgTsQueryOr => NodeKind.Or,
        PgTsQueryFollowedBy => NodeKind.Phrase,
        _ => NodeKind.Empty,
    };

    /// <summary>The query that matches nothing. It can be read but not be sent: the server takes it in text format only.</summary>
    public static PgTsQuery Empty => PgTsQueryEmpty.Instance;

    internal int Size { get; }

    /// <summary>How much it binds, for parentheses.</summary>
    private protected abstract int Priority { get; }

    /// <summary>Whether both are the same tree.</summary>
    public static bool operator ==(PgTsQuery? left, PgTsQuery? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(PgTsQuery? left, PgTsQuery? right) => !(left == right);

    /// <summary>What both match; one that is empty does not count, as for the server's <c>&amp;&amp;</c>.</summary>
    public static PgTsQuery operator &(PgTsQuery left, PgTsQuery right) => OneOf(left, right) ?? new PgTsQueryAnd(left, right);

    /// <summary>What one of them matches; one that is empty does not count, as for the server's <c>||</c>.</summary>
    public static PgTsQuery operator |(PgTsQuery left, PgTsQuery right) => OneOf(left, right) ?? new PgTsQueryOr(left, right);

    /// <summary>What it does not match; the empty query stays empty, as for the server's <c>!!</c>.</summary>
    public static PgTsQuery operator !(PgTsQuery operand) => operand is PgTsQueryEmpty ? operand : new PgTsQueryNot(operand);

    /// <summary>A query as the server takes it: <c>!'a fat' &amp; (cat:*A | dog) &lt;2&gt; rat</c>.</summary>
    /// <remarks>
    /// Refused is white space beyond ASCII outside of quotes, which separates words in some of the server's locales and not in others.
    /// </remarks>
    /// <exception cref="FormatException">It is no such text, or nested too deeply for the stack.</exception>
    public static PgTsQuery Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgTsQuery Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => TryParse(s, provider, out var query)
        ? query
        : throw ValueFormat.NotA("tsquery", s, "lexemes with operators between them, such as !'a' & ( 'b':*A | 'c' ) <2> 'd'");

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no tsquery.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgTsQuery result)
    {
        result = null;
        return s is not null && TryParse(s.AsSpan(), provider, out result);
    }

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgTsQuery)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgTsQuery result)
    {
        result = TsQueryParser.Parse(s);
        return result is not null;
    }

    /// <inheritdoc/>
    public bool Equals(PgTsQuery? other)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        var one = this;
        while (one is PgTsQueryBinary left && other is PgTsQueryBinary right && left.IsSameButForLeft(right))
            (one, other) = (left.Left, right.Left);
        return ReferenceEquals(one, other) || (other is not null && other._hash == one._hash && one.HasSameParts(other));
    }

    /// <inheritdoc/>
    public sealed override bool Equals(object? obj) => Equals(obj as PgTsQuery);

    /// <inheritdoc/>
    public sealed override int GetHashCode() => _hash;

    /// <summary>The query as the server shows it: <c>!'a fat' &amp; ( 'cat':*A | 'dog' ) &lt;2&gt; 'rat'</c>.</summary>
    public sealed override string ToString()
    {
        var text = new StringBuilder();
        Append(text, outerPriority: -1);
        return text.ToString();
    }

    /// <summary>Appends what <see cref="ToString()"/> returns.</summary>
    public void Write(StringBuilder stringBuilder)
    {
        ArgumentNullException.ThrowIfNull(stringBuilder);
        Append(stringBuilder, outerPriority: -1);
    }

    /// <summary>As <see cref="ToString()"/>, whatever the provider.</summary>
    /// <exception cref="FormatException">The format is neither null nor empty nor "G".</exception>
    public string ToString(string? format, IFormatProvider? formatProvider) => ValueFormat.Show(this, format);

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null) => ValueFormat.TryShow(this, format, destination, out charsWritten);

    /// <summary>Appends the text, in parentheses where what is around it binds more (infix, tsquery.c).</summary>
    internal void Append(StringBuilder text, int outerPriority, bool isRightOfPhrase = false)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        // A phrase is associative to the left only.
        var needsParentheses = Priority < outerPriority || (isRightOfPhrase && this is PgTsQueryFollowedBy);
        text.Append(needsParentheses ? "( " : "");
        AppendParts(text);
        text.Append(needsParentheses ? " )" : "");
    }

    private protected abstract void AppendParts(StringBuilder text);

    private protected abstract bool HasSameParts(PgTsQuery other);

    private static PgTsQuery? OneOf(PgTsQuery left, PgTsQuery right) =>
        left is PgTsQueryEmpty ? right : right is PgTsQueryEmpty ? left : null;
}
