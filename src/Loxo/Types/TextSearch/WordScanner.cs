namespace Loxo.Types;

/// <summary>
/// Takes the text of a tsvector or a tsquery apart (gettoken_tsvector, tsvector_parser.c). Outside of quotes, white space beyond ASCII is
/// refused: whether it separates words depends on the server's locale. In a tsquery, operators end a word that is not in quotes.
/// </summary>
internal ref struct WordScanner(ReadOnlySpan<char> text, bool hasOperators)
{
    private readonly ReadOnlySpan<char> _text = text;
    private int _at;

    public readonly bool IsAtEnd => _at == _text.Length;

    /// <summary>The next character; NUL, which no text of the server has, at the end.</summary>
    public readonly char Next => IsAtEnd ? '\0' : _text[_at];

    public void Skip(int count) => _at += count;

    public void SkipBlanks()
    {
        while (!IsAtEnd && AsciiBlanks.Contains(_text[_at]))
            _at++;
    }

    public bool TryTake(char expected)
    {
        if (Next != expected || IsAtEnd)
            return false;
        _at++;
        return true;
    }

    /// <summary>A number without a sign; false if there is none, or it is larger than an int.</summary>
    public bool TryTakeNumber(out int number)
    {
        var start = _at;
        var wide = 0L;
        for (; char.IsAsciiDigit(Next) && wide <= int.MaxValue; _at++)
            wide = wide * 10 + (Next - '0');
        number = (int)Math.Min(wide, int.MaxValue);
        return _at > start && wide <= int.MaxValue;
    }

    public void SkipDigits()
    {
        while (char.IsAsciiDigit(Next))
            _at++;
    }

    /// <summary>A word, in quotes or not; null if there is none, the quotes do not end, or it is longer than words can be.</summary>
    public string? TakeWord()
    {
        var word = new StringBuilder();
        var isWhole = TryTake('\'') ? TakeQuoted(word) : TakePlain(word);
        if (!isWhole || word.Length == 0)
            return null;
        var text = word.ToString();
        return LexemeText.Fits(text) ? text : null;
    }

    private bool TakeQuoted(StringBuilder word)
    {
        while (!IsAtEnd)
        {
            var next = _text[_at++];
            if (next == '\'' && !TryTake('\''))
                return true;
            if (next == '\\' && !TryUnescape(out next))
                return false;
            word.Append(next);
        }
        return false;
    }

    private bool TakePlain(StringBuilder word)
    {
        // In front of a word a colon is part of it, unless it is an operand.
        if (!hasOperators && TryTake(':'))
            word.Append(':');
        while (!IsAtEnd && !IsEndOfWord(Next))
        {
            var next = _text[_at++];
            if (next == '\\' ? !TryUnescape(out next) : char.IsWhiteSpace(next))
                return false;
            word.Append(next);
        }
        return true;
    }

    // Whatever follows a backslash is part of the word.
    private bool TryUnescape(out char character)
    {
        character = Next;
        var isThere = !IsAtEnd;
        _at += isThere ? 1 : 0;
        return isThere;
    }

    private readonly bool IsEndOfWord(char character) =>
        character == ':' || AsciiBlanks.Contains(character) || (hasOperators && "!&|()<".Contains(character, StringComparison.Ordinal));
}
