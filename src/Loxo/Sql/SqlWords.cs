namespace Loxo.Sql;

internal static class SqlWords
{
    /// <summary>The word in lower case, or nothing if it is longer than the buffer and so none of those looked for.</summary>
    public static ReadOnlySpan<char> ToLower(ReadOnlySpan<char> word, Span<char> buffer)
    {
        if (word.Length > buffer.Length)
            return [];
        Ascii.ToLower(word, buffer, out var length);
        return length == word.Length ? buffer[..length] : [];
    }

    public static bool IsUnquoted(SqlTokenKind kind, ReadOnlySpan<char> text, string word) =>
        kind == SqlTokenKind.Word && Ascii.EqualsIgnoreCase(text, word);

    public static ReadOnlySpan<char> Unquote(ReadOnlySpan<char> name) => name is ['"', .. var inner, '"'] ? inner : name;

    /// <summary>The length of the longest name: NAMEDATALEN - 1 bytes. The server cuts longer ones.</summary>
    public const int LongestName = 63;

    // LATIN5 in a Turkish locale folds it to i (downcase_identifier, scansup.c); no other letter becomes one of ASCII.
    private const char DottedCapitalI = '\u0130';

    public static bool IsName(SqlTokenKind kind) => kind is SqlTokenKind.Word or SqlTokenKind.QuotedIdentifier;

    /// <summary>The name as the catalogue has it; if it is not of ASCII letters alone, something that no such name equals.</summary>
    public static ReadOnlySpan<char> Normalize(ReadOnlySpan<char> name, Span<char> buffer)
    {
        if (name is ['"', ..])
        {
            var bare = Unquote(name);
            return bare[..Math.Min(bare.Length, LongestName)];
        }
        var length = Math.Min(name.Length, LongestName);
        for (var i = 0; i < length; i++)
            buffer[i] = char.IsAsciiLetterUpper(name[i]) ? (char)(name[i] | 0x20) : name[i] == DottedCapitalI ? 'i' : name[i];
        return buffer[..length];
    }

    public static bool IsEscaped(ReadOnlySpan<char> name) => name is ['u' or 'U', '&', ..];

    /// <summary>
    /// Whether the name of a function is one that <see cref="Normalize"/> does not give as the catalogue has it: none at all, one with
    /// escapes or doubled quotes, or one of letters beyond ASCII, whose case and length depend on the server's encoding.
    /// </summary>
    public static bool MayBeAnyName(ReadOnlySpan<char> name) =>
        name.IsEmpty || IsEscaped(name) || Unquote(name).Contains('"') || !Ascii.IsValid(name);

    /// <summary>Whether the name, quoted or not, is or may be this one.</summary>
    public static bool MayBe(ReadOnlySpan<char> name, string known) => IsEscaped(name) || Ascii.EqualsIgnoreCase(Unquote(name), known);

    /// <summary>Whether the name begins or may begin with <c>pg_</c>, like all names of system tables and schemas.</summary>
    public static bool MayBeSystem(ReadOnlySpan<char> name)
    {
        var bare = Unquote(name);
        return IsEscaped(name) || bare.Length >= 3 && Ascii.EqualsIgnoreCase(bare[..3], "pg_");
    }

    /// <summary>Whether a token that begins like a number is nothing but one, in every version of the server.</summary>
    public static bool IsNumber(ReadOnlySpan<char> number)
    {
        if (number is ['0', 'x' or 'X' or 'o' or 'O' or 'b' or 'B', _, ..])
            return !number[2..].ContainsAnyExcept("0123456789abcdefABCDEF_");
        var rest = SkipDigits(number);
        if (rest is ['.', ..])
            rest = SkipDigits(rest[1..]);
        if (rest is ['e' or 'E', '+' or '-', _, ..])
            rest = SkipDigits(rest[2..]);
        else if (rest is ['e' or 'E', _, ..])
            rest = SkipDigits(rest[1..]);
        return rest.IsEmpty;
    }

    public static bool BeginsWithAny(ReadOnlySpan<char> text, params ReadOnlySpan<string> words)
    {
        foreach (var word in words)
        {
            if (text.StartsWith(word, StringComparison.OrdinalIgnoreCase) && !BeginsWithPartOfWord(text[word.Length..]))
                return true;
        }
        return false;
    }

    public static bool BeginsWithPartOfWord(ReadOnlySpan<char> text) => text is [var first, ..] && IsPartOfWord(first);

    // As in scan.l: letters, digits, underscores, dollars and everything beyond ASCII.
    public static bool IsPartOfWord(char c) => char.IsAsciiLetterOrDigit(c) || c is '_' or '$' || c >= '\u0080';

    private static ReadOnlySpan<char> SkipDigits(ReadOnlySpan<char> number) => number.TrimStart("0123456789_");
}
