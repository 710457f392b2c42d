using System.Collections;

namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>tsvector</c>: the lexemes of a text, sorted as the server does it (by the bytes of their UTF-8), each
/// once, with their places (manual, "Text Search Types"). It does not normalize words: that is what <c>to_tsvector</c> is for.
/// </summary>
public sealed class PgTsVector : IReadOnlyList<PgTsVectorLexeme>, IEquatable<PgTsVector>, ISpanFormattable, ISpanParsable<PgTsVector>
{
    private readonly PgTsVectorLexeme[] _lexemes;

    /// <param name="lexemes">In any order; those with the same word are put together.</param>
    /// <exception cref="ArgumentException">One of them has no word, as <c>default</c> has none.</exception>
    public PgTsVector(params IEnumerable<PgTsVectorLexeme> lexemes)
        : this(lexemes.ToArray())
    {
        if (Array.Exists(_lexemes, lexeme => lexeme.Text.Length == 0))
            throw new ArgumentException("A lexeme without a word cannot be part of a tsvector.", nameof(lexemes));
    }

    private PgTsVector(PgTsVectorLexeme[] lexemes) => _lexemes = IsInOrder(lexemes) ? lexemes : InOrder(lexemes);

    /// <summary>No lexemes.</summary>
    public static PgTsVector Empty { get; } = new([]);

    /// <summary>The number of lexemes.</summary>
    public int Count => _lexemes.Length;

    /// <summary>A lexeme by its zero-based place in the order.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no such place.</exception>
    public PgTsVectorLexeme this[int index] => _lexemes[index];

    /// <summary>Whether both have the same lexemes with the same places and weights.</summary>
    public static bool operator ==(PgTsVector? left, PgTsVector? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(PgTsVector? left, PgTsVector? right) => !(left == right);

    /// <summary>
    /// Lexemes as the server takes them, in quotes or not: <c>'a fat' cat:3A,7</c>. Quotes and backslashes are doubled, or follow a
    /// backslash. Words are taken as they are.
    /// </summary>
    /// <remarks>
    /// Refused where the server is not clear: white space beyond ASCII outside of quotes, which separates words in some of the server's
    /// locales and not in others, and places larger than <see cref="int.MaxValue"/>.
    /// </remarks>
    /// <exception cref="FormatException">It is no such text.</exception>
    public static PgTsVector Parse(string s, IFormatProvider? provider = null) =>
        Parse((s ?? throw new ArgumentNullException(nameof(s))).AsSpan(), provider);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgTsVector Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => TryParse(s, provider, out var vector)
        ? vector
        : throw ValueFormat.NotA("tsvector", s, "lexemes such as 'cat':3A,7 'fat'");

    /// <summary>As <see cref="Parse(string, IFormatProvider?)"/>, but false for what is no tsvector.</summary>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgTsVector result)
    {
        result = null;
        return s is not null && TryParse(s.AsSpan(), provider, out result);
    }

    /// <inheritdoc cref="TryParse(string?, IFormatProvider?, out PgTsVector)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, [MaybeNullWhen(false)] out PgTsVector result)
    {
        result = TsVectorParser.Parse(s) is { } lexemes ? FromLexemes(lexemes) : null;
        return result is not null;
    }

    /// <inheritdoc/>
    public bool Equals(PgTsVector? other) => other is not null && _lexemes.AsSpan().SequenceEqual(other._lexemes);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as PgTsVector);

    /// <inheritdoc/>
    public override int GetHashCode() => ValueFormat.Hash<PgTsVectorLexeme>(_lexemes);

    /// <summary>The lexemes as the server shows them: <c>'cat':3A,7 'fat'</c>.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        foreach (var lexeme in _lexemes)
            lexeme.AppendTo(text.Length == 0 ? text : text.Append(' '));
        return text.ToString();
    }

    /// <summary>As <see cref="ToString()"/>, whatever the provider.</summary>
    /// <exception cref="FormatException">The format is neither null nor empty nor "G".</exception>
    public string ToString(string? format, IFormatProvider? formatProvider) => ValueFormat.Show(this, format);

    /// <inheritdoc cref="ToString(string?, IFormatProvider?)"/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format = default,
        IFormatProvider? provider = null) => ValueFormat.TryShow(this, format, destination, out charsWritten);

    /// <inheritdoc/>
    public IEnumerator<PgTsVectorLexeme> GetEnumerator() => ((IEnumerable<PgTsVectorLexeme>)_lexemes).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Takes the array over. What the server sends is in order already.</summary>
    internal static PgTsVector FromLexemes(PgTsVectorLexeme[] lexemes) => lexemes.Length == 0 ? Empty : new PgTsVector(lexemes);

    private static bool IsInOrder(PgTsVectorLexeme[] lexemes)
    {
        for (var i = 1; i < lexemes.Length; i++)
        {
            if (LexemeText.Compare(lexemes[i - 1].Text, lexemes[i].Text) >= 0)
                return false;
        }
        return true;
    }

    private static PgTsVectorLexeme[] InOrder(PgTsVectorLexeme[] lexemes)
    {
        Array.Sort(lexemes, static (left, right) => LexemeText.Compare(left.Text, right.Text));
        var merged = new List<PgTsVectorLexeme>(lexemes.Length);
        foreach (var lexeme in lexemes)
        {
            if (merged is [.., var last] && last.Text == lexeme.Text)
                merged[^1] = last.With(lexeme);
            else
                merged.Add(lexeme);
        }
        return [.. merged];
    }
}
