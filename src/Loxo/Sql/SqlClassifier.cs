namespace Loxo.Sql;

/// <summary>Tells what a statement may leave in its session; docs/session-reset.md has the rules. What is uncertain is not plain.</summary>
/// <remarks>
/// A statement that the server refuses to parse leaves nothing, so this looks only at what tells plain statements from others. What
/// a plain text reaches without naming it (triggers, defaults, views, operators, casts, overloads) is DatabaseAudit's.
/// </remarks>
internal ref partial struct SqlClassifier(ReadOnlySpan<char> text)
{
    private enum Form
    {
        Start,
        /// <summary>A query, perhaps behind EXPLAIN, DECLARE .. FOR or COPY.</summary>
        Query,
        Explain,
        /// <summary>Behind <c>EXPLAIN (</c>: options or a query.</summary>
        ExplainParenthesis,
        ExplainOptions,
        Declare,
        Set,
        Commit,
        Prepare,
        Definition,
        /// <summary>Whatever follows, it is decided.</summary>
        Decided,
    }

    // An empty token: a cursor or a statement that was prepared runs calls that stand in another text.
    private static readonly SqlToken[] _unseenCall = [default];

    private readonly ReadOnlySpan<char> _text = text;
    private SqlQueryScanner _query = new(text);
    private SqlDefinition _definition;
    private Form _form;
    private SqlToken _previous;
    private int _index;
    private SqlChanges _changes;
    private SqlCertainChange _certain;
    private bool _isRun = true;
    private bool _isPlannable;
    private bool _runsOtherText;

    public void See(SqlToken token)
    {
        if (!IsSql(token))
            Decide(SqlChanges.All);
        switch (_form)
        {
            case Form.Start:
                Begin(token);
                break;
            case Form.Query:
                _query.See(token);
                break;
            case Form.Definition:
                _definition.See(token, TextOf(token));
                break;
            case Form.Set:
                SeeSet(token);
                break;
            case Form.Commit:
                Decide(Is(token, "prepared") ? SqlChanges.All & ~SqlChanges.Statements : SqlChanges.None);
                break;
            case Form.Prepare:
                SeePrepare(token);
                break;
            case Form.Declare:
                SeeDeclare(token);
                break;
            case Form.Explain:
                SeeExplain(token);
                break;
            case Form.ExplainParenthesis or Form.ExplainOptions:
                SeeInParenthesis(token);
                break;
        }
        _index++;
        _previous = token;
    }

    /// <summary>What the tokens come to. The next token begins another statement.</summary>
    public SqlVerdict End()
    {
        var verdict = _form switch
        {
            Form.Query => OfQuery(_query.End()),
            Form.Definition => new SqlVerdict(_definition.Changes, _definition.CertainChange, Databases: _definition.Databases),
            _ => new SqlVerdict(_changes, _certain, Calls: _runsOtherText ? _unseenCall : null),
        };
        this = new SqlClassifier(_text);
        return verdict;
    }

    private readonly SqlVerdict OfQuery(SqlVerdict query)
    {
        var certain = _certain != SqlCertainChange.None || !_isRun ? _certain : query.CertainChange;
        return new SqlVerdict(_changes | query.Changes, certain, _isPlannable && query.IsPlannable, query.Attributes, query.Calls);
    }

    private void Begin(SqlToken token)
    {
        Span<char> lower = stackalloc char[16];
        if (token.Kind == SqlTokenKind.Word)
            BeginWith(SqlWords.ToLower(TextOf(token), lower), token);
        else if (TextOf(token) is "(")
            BeginQuery(token);
        else
            Decide(SqlChanges.All);
    }

    private void BeginWith(scoped ReadOnlySpan<char> verb, SqlToken token)
    {
        switch (verb)
        {
            case "select" or "insert" or "update" or "delete" or "merge" or "values" or "table" or "with":
                BeginQuery(token);
                break;
            case "begin" or "start" or "end" or "rollback" or "abort" or "savepoint" or "release" or "show" or "notify" or "lock"
                or "close":
                Decide(SqlChanges.None);
                break;
            case "fetch" or "move":
                Decide(SqlChanges.None);
                _runsOtherText = true;
                break;
            case "execute":
                Decide(SqlChanges.State | SqlChanges.Statements);
                _runsOtherText = true;
                break;
            case "commit":
                _form = Form.Commit;
                break;
            case "set":
                Expect(Form.Set, SqlChanges.State | SqlChanges.Names, SqlCertainChange.Setting);
                break;
            case "copy":
                _query.BeginCopy();
                _form = Form.Query;
                break;
            case "explain":
                Expect(Form.Explain, SqlChanges.All);
                _isRun = false;
                break;
            case "declare":
                Expect(Form.Declare, SqlChanges.All);
                break;
            case "prepare":
                Expect(Form.Prepare, SqlChanges.State | SqlChanges.Statements, SqlCertainChange.PreparedStatement);
                break;
            case "create" or "alter" or "drop":
                _definition = new SqlDefinition(definesNames: verb is not "drop", isCreate: verb is "create");
                _form = Form.Definition;
                break;
            default:
                Decide(ChangesOf(verb), verb switch
                {
                    "listen" => SqlCertainChange.Listen,
                    "load" => SqlCertainChange.Load,
                    _ => SqlCertainChange.None,
                });
                break;
        }
    }

    private static SqlChanges ChangesOf(ReadOnlySpan<char> verb) => verb switch
    {
        "listen" or "unlisten" or "truncate" or "vacuum" or "analyze" or "analyse" or "cluster" or "reindex" or "checkpoint" or "comment"
            or "refresh" or "reassign" => SqlChanges.State,
        "reset" => SqlChanges.State | SqlChanges.Names,
        "grant" or "revoke" => SqlChanges.State | SqlChanges.Names | SqlChanges.Definitions, // USAGE of a nearer schema
        "deallocate" => SqlChanges.State | SqlChanges.Statements,
        "discard" => SqlChanges.State | SqlChanges.Statements | SqlChanges.Names,
        // LOAD brings a library that may do anything. The other sessions do not learn of the definitions of a routine: if every call made
        // them parse all statements again, a service that calls procedures would prepare for nothing.
        "call" or "load" => SqlChanges.All & ~SqlChanges.Definitions,
        _ => SqlChanges.All, // DO may do anything, too
    };

    private void BeginQuery(SqlToken token)
    {
        _isPlannable = _index == 0;
        Expect(Form.Query, SqlChanges.None);
        _query.See(token);
    }

    private void Decide(SqlChanges changes, SqlCertainChange certain = SqlCertainChange.None) => Expect(Form.Decided, changes, certain);

    /// <summary>Goes on with what is so unless later tokens say otherwise.</summary>
    private void Expect(Form form, SqlChanges changes, SqlCertainChange certain = SqlCertainChange.None) =>
        (_form, _changes, _certain) = (form, changes, certain);

    private readonly ReadOnlySpan<char> TextOf(SqlToken token) => _text.Slice(token.Start, token.Length);

    private readonly bool Is(SqlToken token, string word) => token.Kind == SqlTokenKind.Word && Ascii.EqualsIgnoreCase(TextOf(token), word);

    // Servers before 15 take 1into for 1 and INTO: a number is one only if all of it is (scan.l, integer_junk and real_junk).
    private readonly bool IsSql(SqlToken token) =>
        token.Kind != SqlTokenKind.Unknown && (token.Kind != SqlTokenKind.Number || SqlWords.IsNumber(TextOf(token)));
}
