namespace Loxo.Types.TextFormat;

/// <summary>What tsvector and tsquery have in common: how words are written and in which order they stand.</summary>
internal static class LexemeText
{
    /// <summary>In quotes, with quotes and backslashes doubled (tsvectorout, tsvector.c).</summary>
    public static string Quote(string word) =>
        "'" + word.Replace("'", "''", StringComparison.Ordinal).Replace("\\", "\\\\", StringComparison.Ordinal) + "'";

    /// <summary>
    /// By the bytes of UTF-8, as tsCompareString does it (tsvector_op.c): the order of the code points, which is not that of the UTF-16 units.
    /// </summary>
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
