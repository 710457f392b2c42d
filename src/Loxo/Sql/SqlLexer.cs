using static Loxo.Sql.SqlCharacters;

namespace Loxo.Sql;

/// <summary>
/// Cuts SQL text into tokens where PostgreSQL's own scanner (src/backend/parser/scan.l) would cut it, and takes <c>@name</c> and
/// <c>:name</c> for one token. Never fails: what is not terminated reaches to the end of the text, and the server reports it.
/// </summary>
/// <remarks>
/// <para>A placeholder's name is what the scanner takes for an identifier (letters, everything from U+0080 on, digits, <c>_</c>, <c>$</c>;
/// so <c>@a$b$</c> is one name and opens no dollar quote), or digits with letters and <c>_</c> behind them (<c>@0</c>, <c>:1</c>). With
/// that rule the text falls into the same quotes and comments whether a placeholder is rewritten or stays as written.</para>
/// <para>What looks like a placeholder is none, since the other reading is certain or likelier: behind an operand (a literal, a
/// <c>"name"</c>, a parameter, <c>]</c>; a word or <c>)</c> only when nothing stands between): <c>a[1:n]</c>, <c>json_object('k':v)</c>,
/// <c>geom@box</c>; when the name is a literal's prefix (<c>@e'..'</c>); when the <c>@</c> ends one of the operators <c>@@</c>,
/// <c>@@@</c>, <c>@-@</c>; in <c>::name</c>; and <c>@1.5</c>. Behind any other operator <c>@</c> begins a name: in <c>id=@id</c> and
/// <c>price&lt;@max</c> nobody means the operators <c>=@</c> and <c>&lt;@</c>.</para>
/// </remarks>
internal ref partial struct SqlLexer(ReadOnlySpan<char> text, bool standardConformingStrings)
{
    private readonly ReadOnlySpan<char> _text = text;
    private readonly bool _standardConformingStrings = standardConformingStrings;
    private int _position;
    private SqlToken _last;

    /// <summary>The next token behind whitespace and comments; false at the end of the text.</summary>
    public bool TryRead(out SqlToken token)
    {
        SkipBlanks();
        var start = _position;
        var kind = start < _text.Length ? ReadToken() : SqlTokenKind.None;
        token = new SqlToken(kind, start, _position - start);
        _last = token;
        return kind != SqlTokenKind.None;
    }

    public readonly ReadOnlySpan<char> TextOf(SqlToken token) => _text.Slice(token.Start, token.Length);

    private SqlTokenKind ReadToken()
    {
        var first = _text[_position];
        if (IsIdentifierStart(first))
            return ReadWord(first);
        if (IsOperator(first))
            return ReadOperator();
        if (IsDigit(first))
            return ReadNumber();
        return first switch
        {
            '\'' => ReadString(_position + 1, PlainQuote),
            '"' => ReadQuotedIdentifier(_position + 1),
            '$' => ReadDollar(),
            ':' => ReadColon(),
            '.' => ReadDot(),
            '(' or ')' or '[' or ']' or ',' or ';' => Take(1, SqlTokenKind.Punctuation),
            _ => Take(1, SqlTokenKind.Unknown),
        };
    }

    private SqlTokenKind ReadWord(char first) => Peek(1) switch
    {
        '\'' when QuoteAfter(first) is not Quote.None and var quote => ReadString(_position + 2, quote),
        '&' when first is 'u' or 'U' && Peek(2) == '\'' => ReadString(_position + 3, Quote.Doubling),
        '&' when first is 'u' or 'U' && Peek(2) == '"' => ReadQuotedIdentifier(_position + 3),
        _ => Take(IdentifierLength(_position), SqlTokenKind.Word),
    };

    private SqlTokenKind ReadNumber()
    {
        var isHex = _text[_position] == '0' && Peek(1) is 'x' or 'X';
        _position = EndOfAlphanumerics(_position);
        if (Peek(0) == '.' && Peek(1) != '.') // 1..2 is a range in PL/pgSQL
            _position = EndOfAlphanumerics(_position + 1);
        if (!isHex && _text[_position - 1] is 'e' or 'E' && Peek(0) is '+' or '-' && IsDigit(Peek(1)))
            _position = EndOfAlphanumerics(_position + 1);
        return SqlTokenKind.Number;
    }

    private SqlTokenKind ReadDot()
    {
        if (IsDigit(Peek(1)))
            return ReadNumber();
        return Take(Peek(1) == '.' ? 2 : 1, SqlTokenKind.Punctuation);
    }

    private SqlTokenKind ReadColon()
    {
        if (Peek(1) is ':' or '=')
            return Take(2, SqlTokenKind.Operator);
        var name = _position > 0 && _text[_position - 1] == ':' || FollowsOperand() ? 0 : NameLength(_position + 1);
        return name > 0 ? Take(1 + name, SqlTokenKind.Placeholder) : Take(1, SqlTokenKind.Punctuation);
    }

    private SqlTokenKind ReadOperator()
    {
        if (StartsBlockComment(_position))
            return Take(_text.Length - _position, SqlTokenKind.Unknown);
        var run = OperatorRun();
        if (run[^1] == '@' && NameLength(_position + run.Length) is > 0 and var name)
        {
            if (run is not ("@" or "@@" or "@@@" or "@-@"))
                run = run[..^1];
            else if (run.Length == 1 && !FollowsOperand())
                return Take(1 + name, SqlTokenKind.Placeholder);
        }
        return Take(WithoutSign(run), SqlTokenKind.Operator);
    }

    private readonly ReadOnlySpan<char> OperatorRun()
    {
        var rest = _text[_position..];
        var length = 1;
        while (length < rest.Length && IsOperator(rest[length]) && !StartsComment(_position + length))
            length++;
        return rest[..length];
    }

    // "+ and - cannot be the last char of a multi-char operator" but for some (scan.l): a=-1 is a = -1, a@-1 is a @- 1.
    private static int WithoutSign(ReadOnlySpan<char> run) =>
        run[^1] is '+' or '-' && !run.ContainsAny("~!@#^&|`?%") ? Math.Max(1, run.TrimEnd("+-").Length) : run.Length;

    /// <summary>Whether an operand has just ended, so that a placeholder here could only be a syntax error.</summary>
    private readonly bool FollowsOperand() => _last.Kind switch
    {
        SqlTokenKind.QuotedIdentifier or SqlTokenKind.String or SqlTokenKind.Number
            or SqlTokenKind.Parameter or SqlTokenKind.Placeholder => true,
        SqlTokenKind.Word or SqlTokenKind.Unknown => _last.End == _position, // behind a lone $ a placeholder would open a dollar quote
        SqlTokenKind.Punctuation => _text[_last.End - 1] is var last && (last == ']' || last == ')' && _last.End == _position),
        _ => false,
    };

    private readonly int NameLength(int at)
    {
        if (at >= _text.Length)
            return 0;
        if (IsIdentifierStart(_text[at]))
            return StartsQuote(at) ? 0 : IdentifierLength(at);
        if (!IsDigit(_text[at]))
            return 0;
        var end = EndOfAlphanumerics(at + 1);
        var isDecimal = end + 1 < _text.Length && _text[end] == '.' && IsDigit(_text[end + 1]);
        return isDecimal ? 0 : end - at;
    }

    private readonly int IdentifierLength(int at)
    {
        var rest = _text[at..];
        for (var i = 1; i < rest.Length; i++)
        {
            if (!IsIdentifierPart(rest[i]))
                return i;
        }
        return rest.Length;
    }

    private readonly int EndOfAlphanumerics(int at)
    {
        while (at < _text.Length && IsAlphanumeric(_text[at]))
            at++;
        return at;
    }

    private SqlTokenKind Take(int length, SqlTokenKind kind)
    {
        _position += length;
        return kind;
    }

    /// <summary>The character so many places ahead, or NUL behind the end of the text.</summary>
    private readonly char Peek(int ahead)
    {
        var at = _position + ahead;
        return at < _text.Length ? _text[at] : '\0';
    }
}

/// <summary>What PostgreSQL's scanner (scan.l) would take a piece of text for; <see cref="Placeholder"/> is ours.</summary>
internal enum SqlTokenKind : byte
{
    /// <summary>No token: the end of the text.</summary>
    None,
    Word,
    /// <summary><c>"..."</c> or <c>U&amp;"..."</c>.</summary>
    QuotedIdentifier,
    /// <summary><c>'...'</c> with any prefix and all its continuations, or <c>$tag$...$tag$</c>.</summary>
    String,
    /// <summary>A numeric literal with whatever letters cling to it.</summary>
    Number,
    /// <summary><c>$1</c>.</summary>
    Parameter,
    /// <summary><c>@name</c> or <c>:name</c>.</summary>
    Placeholder,
    /// <summary>Operator characters, <c>::</c> or <c>:=</c>.</summary>
    Operator,
    /// <summary>One of <c>( ) [ ] , ; . :</c>, or <c>..</c>.</summary>
    Punctuation,
    /// <summary>A character that SQL has no use for; the server will refuse it.</summary>
    Unknown,
}

internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int Length)
{
    public int End => Start + Length;
}
