namespace Loxo.Types;

/// <summary>What tsvector and tsquery have in common: how words are written and in which order they stand.</summary>
internal static class LexemeText
{
    /// <summary>Most bytes of a word in UTF-8 (MAXSTRLEN, ts_type.h).</summary>
    private const int MostBytes = 2046;

    /// <summary>Whether a word is one that the server can have: not too long, without NUL, and without half of a surrogate pair.</summary>
    public static bool Fits(string word)
    {
        Span<byte> bytes = stackalloc byte[MostBytes];
        return AsciiBlanks.TryEncode(word, bytes, out _);
    }

    public static PgTsWeight? WeightOf(char letter) => letter switch
    {
        'A' or 'a' => PgTsWeight.A,
        'B' or 'b' => PgTsWeight.B,
        'C' or 'c' => PgTsWeight.C,
        'D' or 'd' => PgTsWeight.D,
        _ => null,
    };

    /// <summary>In quotes, with quotes and backslashes doubled (tsvectorout, tsvector.c).</summary>
    public static string Quote(string word) =>
        "'" + word.Replace("'", "''", StringComparison.Ordinal).Replace("\\", "\\\\", StringComparison.Ordinal) + "'";

    /// <summary>By the bytes of UTF-8, which is the order of code points, not of UTF-16 units (tsCompareString, tsvector_op.c).</summary>
    public static int Compare(string left, string right)
    {
        var same = left.AsSpan().CommonPrefixLength(right);
        if (same == left.Length || same == right.Length)
            return left.Length.CompareTo(right.Length);
        return Rank(left[same]).CompareTo(Rank(right[same]));
    }

    // Surrogates stand for what comes behind all other characters.
    private static int Rank(char unit) => char.IsSurrogate(unit) ? unit + 0x1_0000 : unit;
}
