namespace Loxo.Sql;

// What CREATE, ALTER or DROP is about decides how far it reaches. Behind DROP the server itself looks again at what depended on it.
internal struct SqlDefinition(bool definesNames, bool isCreate)
{
    private enum Step
    {
        Modifiers,
        Table,
        Database,
        Rest,
    }

    private bool _definesNames = definesNames;
    private Step _step;
    private bool _isTemporary;
    private bool _endsWithTransaction;
    private bool _sparesAudit;
    private bool _holdsExpressions;
    private bool _isExpression;
    private bool _isUnknownName;
    private bool _isBehindDot;
    private bool _isNamed = !isCreate;
    private bool _isInTemporarySchema;
    private int _onCommitDrop;
    private List<SqlToken>? _databases;

    public readonly SqlChanges Changes => SqlChanges.State | SqlChanges.Names | (_sparesAudit ? SqlChanges.None : SqlChanges.Routines)
        | (_definesNames && !_isTemporary ? SqlChanges.Definitions : SqlChanges.None);

    public readonly SqlCertainChange CertainChange =>
        (_isTemporary && !_endsWithTransaction) || _isInTemporarySchema ? SqlCertainChange.TemporaryTable : SqlCertainChange.None;

    /// <summary>
    /// What may be the name of a database that a statement about databases makes, drops or renames: every word of it. Null for no such
    /// statement.
    /// </summary>
    public readonly SqlToken[]? Databases => _databases?.ToArray();

    public void See(SqlToken token, ReadOnlySpan<char> text)
    {
        var isName = SqlWords.IsName(token.Kind);
        if (_step != Step.Modifiers && !_isNamed)
            SeeOwnName(isName, text);
        if (_step == Step.Modifiers)
            SeeModifier(text);
        else if (_step == Step.Table)
            SeeInTable(isName, text);
        else if (_step == Step.Database && isName)
            (_databases ??= []).Add(token);
        if (_step != Step.Modifiers && token.Kind == SqlTokenKind.Word)
            SeeOnCommitDrop(text);
    }

    private void SeeModifier(ReadOnlySpan<char> word)
    {
        Span<char> buffer = stackalloc char[16];
        switch (SqlWords.ToLower(word, buffer))
        {
            case "or" or "replace" or "global" or "local" or "unlogged" or "unique" or "foreign":
                break;
            case "temp" or "temporary":
                _isTemporary = true;
                break;
            case "table":
                _sparesAudit = true;
                _step = Step.Table;
                break;
            case "index" or "statistics":
                _definesNames = false;
                _sparesAudit = true;
                _holdsExpressions = true;
                _step = Step.Table;
                break;
            case "database":
                _definesNames = false;
                _sparesAudit = true;
                _step = Step.Database;
                break;
            case "role" or "user" or "group" or "tablespace" or "publication" or "subscription" or "server":
                _definesNames = false;
                _sparesAudit = true;
                _step = Step.Rest;
                break;
            case "sequence" or "collation" or "type":
                _sparesAudit = true;
                _step = Step.Rest;
                break;
            default:
                _step = Step.Rest;
                break;
        }
    }

    // A function or type of pg_temp has no word TEMPORARY, and stays until the session ends.
    private void SeeOwnName(bool isName, ReadOnlySpan<char> text)
    {
        Span<char> buffer = stackalloc char[16];
        if (SqlWords.ToLower(text, buffer) is "if" or "not" or "exists" or "view" or "class" or "family")
            return;
        _isNamed = true;
        _isInTemporarySchema = isName && Ascii.EqualsIgnoreCase(SqlWords.Unquote(text), "pg_temp");
    }

    // Of a table, the audit looks at its expressions: a function there that is not known to be plain may be an extension's. Some stand
    // behind these words, others in the parentheses behind those.
    private void SeeInTable(bool isName, ReadOnlySpan<char> text)
    {
        if (_isUnknownName && text is "(" || isName && MayBeHarmful(text))
            _sparesAudit = false;
        _isUnknownName = isName && _isExpression && !BuiltInNames.IsKeyword(text) && !BuiltInNames.IsPlainFunction(text);
        if (_isUnknownName && _isBehindDot)
            _sparesAudit = false;
        _isBehindDot = text is ".";
        Span<char> buffer = stackalloc char[16];
        var word = SqlWords.ToLower(text, buffer);
        _isExpression |= word is "default" or "check" || text is "(" && _holdsExpressions;
        _holdsExpressions |= word is "partition" or "exclude" or "generated" or "expression";
    }

    // Names of built-in functions that change the session; LIKE copies the expressions of another table.
    private static bool MayBeHarmful(ReadOnlySpan<char> name) =>
        SqlWords.IsEscaped(name) || BuiltInNames.IsOtherFunction(SqlWords.Unquote(name)) || Ascii.EqualsIgnoreCase(name, "like");

    private void SeeOnCommitDrop(ReadOnlySpan<char> word)
    {
        var expected = _onCommitDrop switch { 0 => "on", 1 => "commit", _ => "drop" };
        _onCommitDrop = Ascii.EqualsIgnoreCase(word, expected) ? _onCommitDrop + 1 : Ascii.EqualsIgnoreCase(word, "on") ? 1 : 0;
        _endsWithTransaction |= _onCommitDrop == 3;
        _onCommitDrop %= 3;
    }
}
