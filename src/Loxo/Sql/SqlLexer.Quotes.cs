using static Loxo.Sql.SqlCharacters;

namespace Loxo.Sql;

internal ref partial struct SqlLexer
{
    private enum Quote
    {
        None,
        /// <summary><c>''</c> stands for a quote, a backslash for itself: scan.l's xq and xus.</summary>
        Doubling,
        /// <summary><c>''</c> stands for a quote, a backslash takes the next character with it: xe.</summary>
        Escaping,
        /// <summary>The first quote ends it: xb and xh. <c>B'0''\'</c> is a bit string and a string.</summary>
        Bits,
    }

    private readonly Quote PlainQuote => _standardConformingStrings ? Quote.Doubling : Quote.Escaping;

    private readonly Quote QuoteAfter(char prefix) => prefix switch
    {
        'e' or 'E' => Quote.Escaping,
        'b' or 'B' or 'x' or 'X' => Quote.Bits,
        'n' or 'N' => PlainQuote,
        _ => Quote.None,
    };

    private readonly bool StartsQuote(int at)
    {
        var rest = _text[at..];
        if (rest.Length < 2)
            return false;
        return rest[1] == '\'' ? QuoteAfter(rest[0]) != Quote.None
            : rest[0] is 'u' or 'U' && rest[1] == '&' && rest.Length > 2 && rest[2] is '\'' or '"';
    }

    private SqlTokenKind ReadString(int contents, Quote quote)
    {
        _position = contents;
        do
            SkipQuoted(quote);
        while (TryContinueString());
        return SqlTokenKind.String;
    }

    private void SkipQuoted(Quote quote)
    {
        while (_position < _text.Length)
        {
            var rest = _text[_position..];
            var next = quote == Quote.Escaping ? rest.IndexOfAny('\'', '\\') : rest.IndexOf('\'');
            if (next < 0)
                break;
            _position += next + 1;
            if (rest[next] == '\\' || quote != Quote.Bits && Peek(0) == '\'')
                _position++;
            else
                return;
        }
        _position = _text.Length;
    }

    /// <summary>Two literals with a newline between them are one, with the mode of the first (scan.l: quotecontinue).</summary>
    private bool TryContinueString()
    {
        var hasNewline = false;
        for (var at = _position; at < _text.Length; at++)
        {
            if (_text[at] is '\n' or '\r')
                hasNewline = true;
            else if (_text[at] == '\'' && hasNewline)
            {
                _position = at + 1;
                return true;
            }
            else if (StartsLineComment(at))
                at = EndOfLine(at) - 1;
            else if (!IsSpace(_text[at]))
                return false;
        }
        return false;
    }

    private SqlTokenKind ReadQuotedIdentifier(int contents)
    {
        _position = contents;
        while (_position < _text.Length)
        {
            var next = _text[_position..].IndexOf('"');
            _position = next < 0 ? _text.Length : _position + next + 1;
            if (Peek(0) != '"')
                break;
            _position++;
        }
        return SqlTokenKind.QuotedIdentifier;
    }

    /// <summary><c>$1</c>, <c>$tag$...$tag$</c>, or a dollar that means nothing.</summary>
    private SqlTokenKind ReadDollar()
    {
        var end = _position + 1;
        if (IsDigit(Peek(1)))
        {
            while (end < _text.Length && IsDigit(_text[end]))
                end++;
            return Take(end - _position, SqlTokenKind.Parameter);
        }
        if (IsIdentifierStart(Peek(1)))
            end = EndOfAlphanumerics(end);
        if (end >= _text.Length || _text[end] != '$')
            return Take(1, SqlTokenKind.Unknown);
        var delimiter = _text[_position..(end + 1)];
        var contents = _text[(end + 1)..];
        var length = contents.IndexOf(delimiter);
        return Take(delimiter.Length + (length < 0 ? contents.Length : length + delimiter.Length), SqlTokenKind.String);
    }

    private void SkipBlanks()
    {
        while (_position < _text.Length)
        {
            if (IsSpace(_text[_position]))
                _position++;
            else if (StartsLineComment(_position))
                _position = EndOfLine(_position);
            else if (!StartsBlockComment(_position) || !TrySkipBlockComment())
                return;
        }
    }

    // One that is not terminated stays: the server refuses the whole text for it.
    private bool TrySkipBlockComment()
    {
        var depth = 1;
        var start = _position;
        _position += 2;
        while (depth > 0 && _text[_position..].IndexOfAny('*', '/') is >= 0 and var next)
        {
            _position += next;
            var mark = (Peek(0), Peek(1));
            depth += mark is ('/', '*') ? 1 : mark is ('*', '/') ? -1 : 0;
            _position += mark is ('/', '*') or ('*', '/') ? 2 : 1;
        }
        if (depth > 0)
            _position = start;
        return depth == 0;
    }

    private readonly bool StartsComment(int at) => StartsLineComment(at) || StartsBlockComment(at);

    private readonly bool StartsLineComment(int at) => _text[at] == '-' && at + 1 < _text.Length && _text[at + 1] == '-';

    private readonly bool StartsBlockComment(int at) => _text[at] == '/' && at + 1 < _text.Length && _text[at + 1] == '*';

    private readonly int EndOfLine(int at)
    {
        var length = _text[at..].IndexOfAny('\n', '\r');
        return length < 0 ? _text.Length : at + length;
    }
}
