namespace Loxo.Sql;

internal ref partial struct SqlClassifier
{
    /// <summary>SET LOCAL, TRANSACTION and CONSTRAINTS are plain, if they do not begin a custom setting: <c>SET local.x = 1</c>.</summary>
    private void SeeSet(SqlToken token)
    {
        if (_index == 1)
        {
            if (!Is(token, "local") && !Is(token, "transaction") && !Is(token, "constraints"))
                _form = Form.Decided;
            return;
        }
        _form = Form.Decided;
        if (token.Kind is not (SqlTokenKind.Word or SqlTokenKind.QuotedIdentifier) || Is(token, "to") || Is(token, "from"))
            return;
        // How texts are to be read from here on must not change behind the lexer's back.
        var isLocal = Is(_previous, "local");
        if (isLocal && MayChangeReading(TextOf(token)))
            Decide(SqlChanges.All);
        else
            Decide(isLocal && MayChangePath(TextOf(token)) ? SqlChanges.Names : SqlChanges.None);
    }

    // SET NAMES sets client_encoding. In SJIS and others a byte of a character may be that of a backslash, which hides a quote.
    private static bool MayChangeReading(ReadOnlySpan<char> setting) =>
        SqlWords.MayBe(setting, "standard_conforming_strings") || SqlWords.MayBe(setting, "client_encoding")
        || SqlWords.MayBe(setting, "names");

    // Until the end of the transaction names mean something else.
    private static bool MayChangePath(ReadOnlySpan<char> setting) =>
        SqlWords.MayBe(setting, "search_path") || SqlWords.MayBe(setting, "schema");

    /// <summary><c>PREPARE TRANSACTION 'id'</c> is plain; <c>PREPARE transaction AS ..</c> prepares a statement of that name.</summary>
    private void SeePrepare(SqlToken token)
    {
        if (_index == 1)
            return;
        _form = Form.Decided;
        if (Is(_previous, "transaction") && token.Kind == SqlTokenKind.String)
            Decide(SqlChanges.None);
    }

    /// <summary><c>DECLARE name .. CURSOR [WITH HOLD] FOR query</c>: without HOLD it ends with the transaction.</summary>
    private void SeeDeclare(SqlToken token)
    {
        if (_index == 1)
            return;
        if (Is(token, "hold") && Is(_previous, "with"))
            _certain = SqlCertainChange.HoldCursor;
        else if (Is(token, "for"))
            Expect(Form.Query, _certain == SqlCertainChange.HoldCursor ? SqlChanges.State : SqlChanges.None, _certain);
    }

    /// <summary><c>EXPLAIN [ANALYZE] [VERBOSE] query</c> or <c>EXPLAIN (..) query</c>; the query may begin with a parenthesis.</summary>
    private void SeeExplain(SqlToken token)
    {
        if (_index == 1 && TextOf(token) is "(")
            _form = Form.ExplainParenthesis;
        else if (SqlQueryScanner.BeginsQuery(token.Kind, TextOf(token)))
            BeginQuery(token);
        else if (Is(token, "analyze") || Is(token, "analyse"))
            _isRun = true;
        else if (!Is(token, "verbose"))
            Decide(SqlChanges.All);
    }

    private void SeeInParenthesis(SqlToken token)
    {
        if (_form == Form.ExplainParenthesis && SqlQueryScanner.BeginsQuery(token.Kind, TextOf(token)))
        {
            BeginQuery(_previous);
            _query.See(token);
            return;
        }
        _form = TextOf(token) is ")" ? Form.Explain : Form.ExplainOptions;
        if (Is(token, "analyze") || Is(token, "analyse"))
            _isRun = true;
        else if (Is(token, "false") || Is(token, "off") || TextOf(token) is "0")
            _isRun &= !Is(_previous, "analyze") && !Is(_previous, "analyse");
    }
}
