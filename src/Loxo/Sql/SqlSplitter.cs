namespace Loxo.Sql;

/// <summary>Cuts a text into statements, notes their placeholders and classifies them, in one pass over its tokens.</summary>
internal ref struct SqlSplitter
{
    private readonly string _text;
    private readonly List<SqlStatement> _statements = [];
    private readonly SqlNames _names;
    private SqlLexer _lexer;
    private SqlRoutineBody _body;
    private SqlClassifier _classifier;
    private int _start;
    private int _parentheses;
    private bool _isEmpty = true;

    private SqlSplitter(string text, bool standardConformingStrings)
    {
        _text = text;
        _names = new SqlNames(text);
        _lexer = new SqlLexer(text, standardConformingStrings);
        _classifier = new SqlClassifier(text);
    }

    public static SqlStatement[] Split(string text, bool standardConformingStrings) =>
        new SqlSplitter(text, standardConformingStrings).Run();

    private SqlStatement[] Run()
    {
        var firstEnd = -1;
        while (_lexer.TryRead(out var token))
        {
            if (!EndsStatement(token))
            {
                See(token);
                continue;
            }
            firstEnd = firstEnd < 0 ? token.Start : firstEnd;
            EndStatement(token.Start);
            _start = token.End;
        }
        EndStatement(_text.Length);
        if (_statements.Count == 0)
            _statements.Add(SqlStatement.Part(_text, 0, firstEnd < 0 ? _text.Length : firstEnd, default));
        return [.. _statements];
    }

    private readonly bool EndsStatement(SqlToken token) =>
        token.Kind == SqlTokenKind.Punctuation && _text[token.Start] == ';' && _parentheses == 0 && !_body.IsOpen;

    private void See(SqlToken token)
    {
        _isEmpty = false;
        var text = _lexer.TextOf(token);
        _body.See(token.Kind, text);
        _classifier.See(token);
        switch (token.Kind)
        {
            case SqlTokenKind.Placeholder:
                _names.Add(token, text[1..]);
                break;
            case SqlTokenKind.Parameter:
                _names.HasDollarParameters = true;
                break;
            case SqlTokenKind.Punctuation when text[0] == '(':
                _parentheses++;
                break;
            case SqlTokenKind.Punctuation when text[0] == ')':
                _parentheses = Math.Max(0, _parentheses - 1);
                break;
        }
    }

    private void EndStatement(int end)
    {
        if (!_isEmpty)
            _statements.Add(SqlStatement.Part(_text, _start, end, _classifier.End(), _names));
        _names.Clear();
        _body = default;
        _isEmpty = true;
    }
}
