namespace Loxo.Sql;

/// <summary>Looks through a query for INTO, a system table as the target, and functions that are not known to be plain.</summary>
/// <remarks>
/// A call is a name before a parenthesis, but so are <c>t (a, b)</c> in <c>INSERT INTO t (a, b)</c> and in <c>FROM f() AS t (a, b)</c>.
/// What stands in such a place needs no list of names; a name that may be either counts as a call.
/// </remarks>
internal ref partial struct SqlQueryScanner(ReadOnlySpan<char> text)
{
    private enum Verb : byte
    {
        None,
        Select,
        Insert,
        Update,
        Merge,
        Copy,
    }

    /// <summary>What is expected between two parentheses, or in the whole text.</summary>
    private enum Step : byte
    {
        /// <summary>The first token, which tells a query from other things.</summary>
        Start,
        /// <summary>Behind WITH or a comma: the name of a query.</summary>
        WithName,
        /// <summary>Behind that name: its columns or AS.</summary>
        WithNamed,
        /// <summary>Behind AS: [NOT] MATERIALIZED and the query.</summary>
        WithAs,
        /// <summary>Behind that query: SEARCH, CYCLE, the next one or the statement itself.</summary>
        WithQuery,
        WithSearch,
        WithCycle,
        /// <summary>The name that ends SEARCH or CYCLE.</summary>
        WithLastName,
        Into,
        From,
        /// <summary>A part of the name of the table to be changed.</summary>
        Target,
        TargetNamed,
        /// <summary>Of an INSERT, between its table and its query.</summary>
        Source,
        /// <summary>Anything; no word but INTO has a meaning of its own here.</summary>
        Body,
    }

    /// <summary>The inside of a pair of parentheses.</summary>
    private struct Level
    {
        public Step Step;
        public Verb Verb;
        /// <summary>Whether the verb found here is the statement's own.</summary>
        public bool IsLeading;
        /// <summary>Whether an expression may begin behind the closing parenthesis, as in <c>DISTINCT ON (a) f(b)</c>.</summary>
        public bool IsPrefix;
        public SettingCall Setting;
    }

    private readonly ReadOnlySpan<char> _text = text;
    private Level[] _levels = [new Level { IsLeading = true }];
    private int _depth;
    private SqlToken _last;
    private SqlToken _last2;
    private SqlToken _last3;
    private SqlToken _last4;
    private SqlChanges _changes;
    private SqlCertainChange _certain;
    private bool _isPlannable;
    private bool _setsLocally;
    private bool _hasGroupingSets;
    private List<SqlToken>? _attributes;
    private List<SqlToken>? _calls;

    private readonly ref Level Current => ref _levels[_depth];

    public static bool BeginsQuery(SqlTokenKind kind, ReadOnlySpan<char> text)
    {
        Span<char> lower = stackalloc char[16];
        return kind == SqlTokenKind.Word
            ? SqlWords.ToLower(text, lower) is "select" or "insert" or "update" or "delete" or "merge" or "values" or "table" or "with"
            : text is "(";
    }

    public readonly void BeginCopy() => Current = new Level { Step = Step.Target, Verb = Verb.Copy };

    public void See(SqlToken token)
    {
        SeeShape(token);
        if (Current.Setting.IsOpen)
            Current.Setting.See(token, TextOf(token));
        switch (token.Kind)
        {
            case SqlTokenKind.Word:
                SeeWord(token);
                break;
            case SqlTokenKind.Punctuation when TextOf(token) is "(":
                Open();
                break;
            case SqlTokenKind.Punctuation when TextOf(token) is ")":
                token = Close(token);
                break;
            // The name may have no parameter and stay as written: then @into is an operator and a word.
            case SqlTokenKind.Placeholder when Ascii.EqualsIgnoreCase(TextOf(token)[1..], "into"):
                SeeInto();
                break;
            default:
                SeeOther(token);
                break;
        }
        (_last4, _last3, _last2, _last) = (_last3, _last2, _last, token);
    }

    public SqlVerdict End()
    {
        SeeShape(default); // the end of the text stands behind its last name
        // In a grouping set without it a grouped expression is NULL, also the word true: the setting stays then (set_config_by_name,
        // guc_funcs.c).
        if (_setsLocally && _hasGroupingSets)
            _changes |= SqlChanges.State | SqlChanges.Names;
        return _depth == 0 && Current.Step is (Step.Body or Step.TargetNamed or Step.Source)
            ? new SqlVerdict(_changes, _certain, _isPlannable, _attributes?.ToArray(), _calls?.ToArray())
            : new SqlVerdict(SqlChanges.All);
    }

    private void SeeWord(SqlToken token)
    {
        Span<char> buffer = stackalloc char[16];
        var word = SqlWords.ToLower(TextOf(token), buffer);
        _hasGroupingSets |= word is "grouping" or "rollup" or "cube";
        ref var level = ref Current;
        switch (level.Step)
        {
            case Step.Start:
                BeginWith(word);
                SeeInBody(word);
                break;
            case Step.WithName:
                level.Step = Step.WithNamed;
                break;
            case Step.WithNamed when word is "as":
                level.Step = Step.WithAs;
                break;
            case Step.WithNamed when Is(_last, "recursive"):
                break;
            case Step.WithAs when word is "not" or "materialized":
                break;
            case Step.WithQuery:
                SeeBehindWithQuery(word);
                break;
            case Step.WithSearch when word is "set":
            case Step.WithCycle when word is "using":
                level.Step = Step.WithLastName;
                break;
            case Step.WithSearch or Step.WithCycle:
                break;
            case Step.WithLastName:
                level.Step = Step.WithQuery;
                break;
            case Step.Into when word is "into":
            case Step.From when word is "from":
                level.Step = Step.Target;
                break;
            case Step.Target when word is "only" or "binary":
                break;
            case Step.Target:
                SeeTarget(TextOf(token));
                break;
            case Step.TargetNamed or Step.Source:
                level.Step = level.Verb == Verb.Insert ? StepOfSource(word) : Step.Body;
                break;
            case Step.Body:
                SeeInBody(word);
                break;
            default:
                Fail();
                break;
        }
    }

    private void BeginWith(scoped ReadOnlySpan<char> word)
    {
        ref var level = ref Current;
        (level.Verb, level.Step) = word switch
        {
            "with" => (level.Verb, Step.WithName),
            "select" or "values" or "table" => (Verb.Select, Step.Body),
            "insert" => (Verb.Insert, Step.Into),
            "merge" => (Verb.Merge, Step.Into),
            "update" => (Verb.Update, Step.Target),
            "delete" => (Verb.Update, Step.From),
            _ => (Verb.None, Step.Body),
        };
        _isPlannable |= level.IsLeading && level.Verb != Verb.None;
    }

    private void SeeBehindWithQuery(scoped ReadOnlySpan<char> word)
    {
        if (word is "search")
            Current.Step = Step.WithSearch;
        else if (word is "cycle")
            Current.Step = Step.WithCycle;
        else if (BeginsQuery(SqlTokenKind.Word, word))
            BeginWith(word);
        else
            Fail();
    }

    // INSERT INTO t [AS a] [(columns)] [OVERRIDING .. VALUE] {DEFAULT VALUES | [WITH ..] query}
    private static Step StepOfSource(ReadOnlySpan<char> word) => word switch
    {
        "with" => Step.WithName,
        "select" or "values" or "table" or "default" or "on" or "returning" => Step.Body,
        _ => Step.Source,
    };

    private void SeeInBody(scoped ReadOnlySpan<char> word)
    {
        if (word is "into")
            SeeInto();
        else if (word is "temp" or "temporary" or "local" or "global" or "pg_temp" && Is(_last, "into"))
            (_certain, _changes) = (SqlCertainChange.TemporaryTable, _changes & ~SqlChanges.Definitions);
    }

    // SELECT INTO makes a table.
    private void SeeInto()
    {
        _changes |= SqlChanges.State | SqlChanges.Names | SqlChanges.Definitions;
        _isPlannable = false;
        Current.Step = Step.Body;
    }

    private void SeeTarget(ReadOnlySpan<char> name)
    {
        Current.Step = Step.TargetNamed;
        if (!SqlWords.MayBeSystem(name))
            return;
        _changes |= SqlChanges.State | SqlChanges.Names;
        if (SqlWords.MayBe(name, "pg_settings"))
            _certain = SqlCertainChange.Setting;
        else if (!SqlWords.MayBe(name, "pg_temp"))
            _changes |= SqlChanges.Routines;
    }

    private void SeeOther(SqlToken token)
    {
        ref var level = ref Current;
        if (TextOf(token) is ";")
        {
            Fail();
            return;
        }
        switch (level.Step)
        {
            case Step.Start:
                level.Step = Step.Body;
                break;
            case Step.WithName when token.Kind == SqlTokenKind.QuotedIdentifier:
                level.Step = Step.WithNamed;
                break;
            case Step.WithNamed when token.Kind == SqlTokenKind.QuotedIdentifier && Is(_last, "recursive"):
                break;
            case Step.WithQuery when TextOf(token) is ",":
                level.Step = Step.WithName;
                break;
            case Step.WithLastName when token.Kind == SqlTokenKind.QuotedIdentifier:
                level.Step = Step.WithQuery;
                break;
            case Step.Target when token.Kind == SqlTokenKind.QuotedIdentifier:
                SeeTarget(TextOf(token));
                break;
            case Step.TargetNamed when TextOf(token) is ".":
                level.Step = Step.Target;
                break;
            case Step.TargetNamed or Step.Source or Step.WithSearch or Step.WithCycle or Step.Body:
                break;
            default:
                Fail();
                break;
        }
    }

    private void Fail()
    {
        _changes = SqlChanges.All;
        Current.Step = Step.Body;
    }

    private readonly ReadOnlySpan<char> TextOf(SqlToken token) => _text.Slice(token.Start, token.Length);

    private readonly bool Is(SqlToken token, string word) => token.Kind == SqlTokenKind.Word && Ascii.EqualsIgnoreCase(TextOf(token), word);
}
