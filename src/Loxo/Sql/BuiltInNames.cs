namespace Loxo.Sql;

/// <summary>tools/SqlFunctions/FunctionReview.cs decides which functions leave nothing. Names are without regard to case.</summary>
internal static partial class BuiltInNames
{
    /// <summary>Whether all built-in functions of the name leave nothing in the session that calls them.</summary>
    public static bool IsPlainFunction(ReadOnlySpan<char> name) => Contains(PlainFunctions, name);

    /// <summary>Whether a built-in function of the name may leave something in the session that calls it.</summary>
    public static bool IsOtherFunction(ReadOnlySpan<char> name) => Contains(OtherFunctions, name);

    public static bool IsKeyword(ReadOnlySpan<char> word) => Contains(Keywords, word);

    /// <summary>Whether it is a keyword that no function can have for its name.</summary>
    public static bool NamesNoFunction(ReadOnlySpan<char> word) => Contains(KeywordsThatNameNoFunction, word);

    /// <summary>Bisects a list of names, sorted by their bytes and separated by blanks.</summary>
    private static bool Contains(ReadOnlySpan<byte> names, ReadOnlySpan<char> name)
    {
        while (names.Length > 0)
        {
            var start = names.Length / 2;
            while (start > 0 && (names[start] <= ' ' || names[start - 1] > ' '))
                start--;
            var end = names[start..].IndexOfAnyInRange((byte)0, (byte)' ');
            var length = end < 0 ? names.Length - start : end;
            var order = Compare(name, names.Slice(start, length));
            if (order == 0)
                return true;
            names = (order < 0 ? names[..start] : names[(start + length)..]).Trim(" \r\n"u8);
        }
        return false;
    }

    // Folds ASCII alone, as the server's scanner does for keywords; a letter beyond it is in no name here.
    private static int Compare(ReadOnlySpan<char> name, ReadOnlySpan<byte> known)
    {
        for (var i = 0; i < name.Length && i < known.Length; i++)
        {
            var c = char.IsAsciiLetterUpper(name[i]) ? (char)(name[i] | 0x20) : name[i];
            if (c != known[i])
                return c - known[i];
        }
        return name.Length - known.Length;
    }
}
