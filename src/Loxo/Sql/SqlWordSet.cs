using System.Buffers;

namespace Loxo.Sql;

/// <summary>Words that a text is searched for, all at once.</summary>
internal sealed class SqlWordSet(params string[] words)
{
    private readonly SearchValues<string> _words = SearchValues.Create(words, StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether one of the words stands anywhere in the text, be it in a string or a comment.</summary>
    public bool IsIn(ReadOnlySpan<char> text)
    {
        var from = 0;
        while (text[from..].IndexOfAny(_words) is >= 0 and var at)
        {
            from += at;
            if ((from == 0 || !SqlWords.IsPartOfWord(text[from - 1])) && SqlWords.BeginsWithAny(text[from..], words))
                return true;
            from++;
        }
        return false;
    }
}
