namespace Loxo.Sql;

/// <summary>What a statement does, and to which tables, in few words: <c>SELECT orders customers</c>. Its text alone tells.</summary>
/// <remarks>OpenTelemetry, Semantic Conventions for Database Client Calls, "Generating a summary of the query".</remarks>
/// <param name="Text">Operations and tables in the order of the text, at most 255 characters.</param>
/// <param name="Operation">The first operation; empty for a text without words.</param>
/// <param name="Table">The table; null unless there is exactly one.</param>
internal sealed record SqlSummary(string Text, string Operation, string? Table)
{
    private const int MostCharacters = 255;

    // Deeper parentheses are read as if they were of this depth.
    private const int MostLevels = 64;

    private static readonly string[] _changes = ["INSERT", "UPDATE", "DELETE", "MERGE"];
    private static readonly string[] _definitions = ["CREATE", "ALTER", "DROP"];
    private static readonly string[] _kinds =
    [
        "TABLE", "VIEW", "INDEX", "SEQUENCE", "SCHEMA", "FUNCTION", "PROCEDURE", "ROUTINE", "AGGREGATE", "TRIGGER", "TYPE", "DOMAIN",
        "EXTENSION", "ROLE", "USER", "DATABASE", "POLICY", "RULE", "PUBLICATION", "SUBSCRIPTION", "SERVER", "COLLATION", "STATISTICS",
    ];

    // A name follows these words, and in a list of FROM each comma.
    private static readonly string[] _beforeName = ["FROM", "JOIN", "INTO", "USING"];
    private static readonly string[] _betweenWordAndName = ["ONLY", "LATERAL", "TABLE", "IF", "NOT", "EXISTS", "CONCURRENTLY"];
    private static readonly string[] _endsOfFrom = ["WHERE", "GROUP", "ORDER", "SET", "VALUES", "RETURNING", "LIMIT", "WINDOW", "UNION"];
    // FOR UPDATE, ON CONFLICT DO UPDATE, ON DELETE, NO KEY UPDATE, and what a trigger's events are.
    private static readonly string[] _beforeNoOperation = ["FOR", "DO", "ON", "KEY", "BEFORE", "AFTER", "OF", "OR", "AS"];
    // FROM in their arguments is no clause: extract(year FROM day).
    private static readonly string[] _functionsWithFrom = ["EXTRACT", "SUBSTRING", "TRIM", "OVERLAY", "POSITION"];
    private static readonly string[] _namesFollow =
        ["CALL", "COPY", "TRUNCATE", "LOCK", "REFRESH", "ANALYZE", "VACUUM", "TABLE", "EXECUTE"];

    /// <summary>Summarizes a statement.</summary>
    public static SqlSummary Of(ReadOnlySpan<char> sql, bool standardConformingStrings)
    {
        var reader = new Reader(sql, standardConformingStrings);
        reader.Read();
        return reader.Result();
    }

    /// <summary>The statement with <c>?</c> for each literal.</summary>
    /// <param name="sql">The statement.</param>
    /// <param name="standardConformingStrings">Whether a backslash in a string is a character like others.</param>
    /// <param name="mostCharacters">The rest is left out.</param>
    public static string WithoutLiterals(ReadOnlySpan<char> sql, bool standardConformingStrings, int mostCharacters = int.MaxValue)
    {
        var text = new StringBuilder(Math.Min(sql.Length, mostCharacters));
        var lexer = new SqlLexer(sql, standardConformingStrings);
        var copied = 0;
        while (text.Length < mostCharacters && lexer.TryRead(out var token))
        {
            if (token.Kind is not (SqlTokenKind.String or SqlTokenKind.Number))
                continue;
            AppendUpTo(mostCharacters, text, sql[copied..token.Start]).Append('?');
            copied = token.End;
        }
        AppendUpTo(mostCharacters, text, sql[copied..]);
        return text.ToString(0, Math.Min(text.Length, mostCharacters));
    }

    private static StringBuilder AppendUpTo(int mostCharacters, StringBuilder text, ReadOnlySpan<char> part) =>
        text.Append(part[..Math.Min(part.Length, Math.Max(0, mostCharacters - text.Length))]);

    private ref struct Reader(ReadOnlySpan<char> sql, bool standardConformingStrings)
    {
        private readonly ReadOnlySpan<char> _sql = sql;
        private readonly StringBuilder _text = new();
        private readonly bool[] _inFrom = new bool[MostLevels];
        private readonly bool[] _inArguments = new bool[MostLevels];
        private SqlLexer _lexer = new(sql, standardConformingStrings);
        private string _operation = "";
        private string? _table;
        private string _last = "";
        private int _names;
        private int _level;
        private bool _expectsName;
        private bool _definesSomething;
        private bool _hasWith;
        private bool _isFull;

        public void Read()
        {
            while (!_isFull && _lexer.TryRead(out var token))
            {
                if (_expectsName && TryTakeName(token))
                    continue;
                switch (token.Kind)
                {
                    case SqlTokenKind.Word:
                        TakeWord(_lexer.TextOf(token));
                        break;
                    case SqlTokenKind.Punctuation:
                        TakePunctuation(_lexer.TextOf(token));
                        break;
                    default:
                        _last = "";
                        break;
                }
            }
        }

        public readonly SqlSummary Result() => new(_text.ToString(), _operation, _names == 1 ? _table : null);

        private ref bool InFrom => ref _inFrom[Math.Min(_level, MostLevels - 1)];

        private ref bool InArguments => ref _inArguments[Math.Min(_level, MostLevels - 1)];

        private bool TryTakeName(SqlToken token)
        {
            if (token.Kind == SqlTokenKind.Word && IsOneOf(_lexer.TextOf(token), _betweenWordAndName))
                return true;
            _expectsName = false;
            if (token.Kind is not (SqlTokenKind.Word or SqlTokenKind.QuotedIdentifier) || IsQuery(token))
                return false;
            var end = token.End;
            for (var ahead = _lexer; ahead.TryRead(out var dot) && ahead.TextOf(dot) is "." && ahead.TryRead(out var part)
                && part.Kind is SqlTokenKind.Word or SqlTokenKind.QuotedIdentifier; end = part.End)
                _lexer = ahead;
            AddName(_sql[token.Start..end]);
            _last = "";
            return true;
        }

        private readonly bool IsQuery(SqlToken token) =>
            token.Kind == SqlTokenKind.Word && _lexer.TextOf(token).Equals("SELECT", StringComparison.OrdinalIgnoreCase);

        private void AddName(ReadOnlySpan<char> name)
        {
            _table = _names++ == 0 ? name.ToString() : null;
            Add(name);
            _isFull |= _definesSomething;
        }

        private void TakePunctuation(ReadOnlySpan<char> text)
        {
            if (text is "(")
            {
                _level++;
                InFrom = false;
                InArguments = IsOneOf(_last, _functionsWithFrom);
            }
            else if (text is ")")
            {
                _level = Math.Max(0, _level - 1);
            }
            else if (text is ",")
            {
                _expectsName = InFrom;
            }
            _last = "";
        }

        private void TakeWord(ReadOnlySpan<char> word)
        {
            var before = _last;
            _last = word.Length <= 16 ? word.ToString().ToUpperInvariant() : "";
            if (_definesSomething)
            {
                if (IsOneOf(_last, _kinds))
                {
                    Add(_last);
                    _expectsName = true;
                }
            }
            else if (_last == "SELECT" || (IsOneOf(_last, _changes) && !IsOneOf(before, _beforeNoOperation)))
            {
                Begin();
                _expectsName = _last == "UPDATE" && before != "THEN";
            }
            else if (_operation.Length == 0 && _level == 0 && !IsInFrontOfOperation(before))
            {
                Begin();
                _definesSomething = IsOneOf(_last, _definitions);
                _expectsName = IsOneOf(_last, _namesFollow);
            }
            else if (IsOneOf(_last, _beforeName))
            {
                // COPY names its table first, and then the other side.
                _expectsName = !InArguments && before != "DISTINCT" && (_operation != "COPY" || _level > 0);
                InFrom = _expectsName && _last != "INTO";
            }
            else if (IsOneOf(_last, _endsOfFrom))
            {
                InFrom = false;
            }
        }

        // EXPLAIN ANALYZE VERBOSE, and WITH name AS (..): names of queries, and the words around them.
        private bool IsInFrontOfOperation(string before)
        {
            _hasWith |= _last == "WITH";
            return _hasWith || _last is "EXPLAIN" or "VERBOSE" || (_last == "ANALYZE" && before is "EXPLAIN");
        }

        private void Begin()
        {
            if (_operation.Length == 0)
                _operation = _last;
            InFrom = false;
            Add(_last);
        }

        private void Add(ReadOnlySpan<char> part)
        {
            _isFull |= _text.Length + 1 + part.Length > MostCharacters;
            if (!_isFull)
                _text.Append(_text.Length == 0 ? "" : " ").Append(part);
        }

        private static bool IsOneOf(ReadOnlySpan<char> word, string[] words)
        {
            foreach (var one in words)
            {
                if (word.Equals(one, StringComparison.OrdinalIgnoreCase))
                    return true;
            }
            return false;
        }
    }
}
