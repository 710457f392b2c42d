namespace Loxo.Sql;

/// <summary>
/// The names behind dots. <c>x.f</c> is a column or, if there is no such column, a call of the function f with x as its argument
/// (ParseFuncOrColumn, parse_func.c), so the name decides. A name without a dot never calls a function (transformColumnRef, parse_expr.c).
/// </summary>
internal ref partial struct SqlQueryScanner
{
    /// <summary>Checks the token against its predecessor: the tokens around a dot, and the escapes that can spell any name.</summary>
    private void SeeShape(SqlToken token)
    {
        var text = TextOf(token);
        if (TextOf(_last) is ".")
        {
            if (!SqlWords.IsName(token.Kind) && token.Kind != SqlTokenKind.Operator) // x.* and OPERATOR(s.+)
                _traces |= SqlTraces.Session;
        }
        else if (TextOf(_last2) is "." && SqlWords.IsName(_last.Kind) && text is not "(")
        {
            SeeAttribute(_last);
        }
        // U&"..." with its UESCAPE spells any name, and a string may stand between that name and its parenthesis.
        if (text is ".." || token.Kind == SqlTokenKind.QuotedIdentifier && SqlWords.IsEscaped(text) || Is(token, "uescape"))
            _traces |= SqlTraces.Session;
    }

    private void SeeAttribute(SqlToken name)
    {
        Span<char> buffer = stackalloc char[SqlWords.LongestName];
        var text = SqlWords.Normalize(TextOf(name), buffer);
        if (!text.ContainsAnyInRange('A', 'Z') && BuiltInNames.IsOtherFunction(text))
            SeeOtherFunction(text);
        else
            (_attributes ??= []).Add(name);
    }
}
