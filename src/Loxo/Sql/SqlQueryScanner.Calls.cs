namespace Loxo.Sql;

internal ref partial struct SqlQueryScanner
{
    private void Open()
    {
        ref var level = ref Current;
        var inner = new Level { IsLeading = level.IsLeading && level.Step is Step.Start or Step.WithQuery };
        switch (level.Step)
        {
            case Step.WithNamed: // WITH name (columns)
                break;
            case Step.TargetNamed when level.Verb is Verb.Insert or Verb.Copy: // INSERT INTO name (columns)
                level.Step = level.Verb == Verb.Insert ? Step.Source : Step.Body;
                break;
            case Step.WithAs:
                level.Step = Step.WithQuery;
                break;
            case Step.Target when level.Verb == Verb.Copy && _last.Kind == SqlTokenKind.None: // COPY (query)
            case Step.Start or Step.WithQuery:
                level.Step = Step.Body;
                break;
            case Step.Source or Step.WithSearch or Step.WithCycle or Step.Body:
                inner.Setting.IsOpen = IsSettingCall();
                SeeCall();
                break;
            default:
                Fail();
                break;
        }
        inner.IsPrefix = Is(_last, "on") || Is(_last, "operator") || Is(_last, "with");
        if (++_depth == _levels.Length)
            Array.Resize(ref _levels, 2 * _depth);
        Current = inner;
    }

    /// <returns>The parenthesis, or an operator if it is one that an expression may follow.</returns>
    private SqlToken Close(SqlToken token)
    {
        if (_depth == 0)
        {
            Fail();
            return token;
        }
        var closed = Current;
        _depth--;
        if (closed.Setting.IsOpen)
            SeeSettingCall(closed.Setting);
        return closed.IsPrefix ? token with { Kind = SqlTokenKind.Operator } : token;
    }

    private void SeeCall()
    {
        var name = TextOf(_last);
        switch (_last.Kind)
        {
            case SqlTokenKind.Word when TextOf(_last2) is ".":
                SeeQualified(_last);
                break;
            case SqlTokenKind.Word:
                SeeUnqualified(_last);
                break;
            case SqlTokenKind.Placeholder: // an operator and a name, if there is no such parameter
                SeeFunction(_last with { Start = _last.Start + 1, Length = _last.Length - 1 });
                break;
            case SqlTokenKind.QuotedIdentifier when BuiltInNames.IsOtherFunction(SqlWords.Unquote(name)):
            case SqlTokenKind.QuotedIdentifier when !(TextOf(_last2) is "." ? IsType(_last4) : IsType(_last2) || EndsOperand(_last2)):
                SeeUnknown(_last);
                break;
            case SqlTokenKind.String when Current.Verb != Verb.Copy || _depth > 0: // but COPY t TO 'file' (options)
            case SqlTokenKind.Number or SqlTokenKind.Parameter:
            case SqlTokenKind.Punctuation when name is "]" or ".":
                SeeUnknown(default);
                break;
        }
    }

    private void SeeQualified(SqlToken token)
    {
        var name = TextOf(token);
        if (Is(_last3, "pg_catalog") && TextOf(_last4) is not ".")
            SeeFunction(token);
        else if (!IsType(_last4) || BuiltInNames.IsOtherFunction(name))
            SeeUnknown(token);
    }

    private void SeeUnqualified(SqlToken token)
    {
        var name = TextOf(token);
        if (BuiltInNames.IsOtherFunction(name))
            SeeFunction(token);
        else if (Is(_last, "treat"))
            SeeUnknown(default); // TREAT(1 AS pg_advisory_lock) calls the function of that name (gram.y)
        else if (!BuiltInNames.NamesNoFunction(name) && !IsType(_last2) && !EndsOperand(_last2) && !IsClause(name))
            SeeFunction(token);
    }

    private void SeeFunction(SqlToken token)
    {
        var name = TextOf(token);
        if (!BuiltInNames.IsPlainFunction(name) && !IsSettingCall())
            SeeOtherFunction(token, name);
    }

    /// <summary>A call of a function that may leave something.</summary>
    /// <param name="name">The name of the function; of no length if that is not certain.</param>
    private void SeeUnknown(SqlToken name)
    {
        _changes |= SqlChanges.State;
        (_calls ??= []).Add(name);
    }

    private void SeeOtherFunction(SqlToken token, scoped ReadOnlySpan<char> name)
    {
        SeeUnknown(token);
        Span<char> lower = stackalloc char[32];
        if (SqlWords.ToLower(name, lower) is "pg_advisory_lock" or "pg_advisory_lock_shared" or "pg_try_advisory_lock"
            or "pg_try_advisory_lock_shared")
            _certain = SqlCertainChange.AdvisoryLock;
    }

    private readonly bool IsType(SqlToken before) => TextOf(before) is "::" || Is(before, "as");

    /// <summary>Whether an operand ends with the token, so that a name behind it can be an alias, but no function.</summary>
    private readonly bool EndsOperand(SqlToken token) => token.Kind switch
    {
        SqlTokenKind.Word => !BuiltInNames.IsKeyword(TextOf(token)) || Is(token, "ordinality"),
        SqlTokenKind.Punctuation => TextOf(token) is ")" or "]",
        SqlTokenKind.QuotedIdentifier or SqlTokenKind.String or SqlTokenKind.Number or SqlTokenKind.Parameter
            or SqlTokenKind.Placeholder => true,
        _ => false,
    };

    /// <summary>Whether the word, which could also name a function, is a keyword here.</summary>
    private readonly bool IsClause(ReadOnlySpan<char> word)
    {
        Span<char> buffer = stackalloc char[16];
        return Is(_last2, "tablesample") || SqlWords.ToLower(word, buffer) switch
        {
            "operator" or "varying" or "ilike" or "join" or "stdin" or "stdout" or "force_quote" or "force_null"
                or "force_not_null" => true,
            "by" => Is(_last2, "group") || Is(_last2, "order") || Is(_last2, "partition"),
            "cube" or "rollup" => Is(_last2, "by"),
            "sets" => Is(_last2, "grouping"),
            "conflict" => Is(_last2, "on"),
            "set" => Is(_last2, "update"),
            "insert" => Is(_last2, "then") && Current.Verb == Verb.Merge,
            "first" or "next" => Is(_last2, "fetch"),
            "zone" => Is(_last2, "time"),
            "content" or "document" => IsXmlCall(),
            _ => false,
        };
    }

    // Not CREATE INDEX ON xmlparse (content (a)), nor app.xmlparse(content(1)), where they name a table and a function.
    private readonly bool IsXmlCall() =>
        TextOf(_last2) is "(" && (Is(_last3, "xmlparse") || Is(_last3, "xmlserialize"))
        && (Is(_last4, "select") || TextOf(_last4) is "," or "(");

    private readonly bool IsSettingCall() =>
        Is(_last, "set_config") && (TextOf(_last2) is not "." || Is(_last3, "pg_catalog") && TextOf(_last4) is not ".");

    private void SeeSettingCall(SettingCall call)
    {
        if (call.IsLocal)
        {
            _setsLocally = true;
            if (call.MayChangePath)
                _changes |= SqlChanges.Names;
            return;
        }
        _changes |= SqlChanges.State | SqlChanges.Names;
        if (call.IsForSession)
            _certain = SqlCertainChange.Setting;
    }

    /// <summary>The arguments of set_config, whose third one tells whether the setting ends with the transaction.</summary>
    private struct SettingCall
    {
        public bool IsOpen;
        private int _argument;
        private int _tokens;
        private bool _isHarmlessName;
        private bool _mayBePath;
        private bool _isTrue;
        private bool _isFalse;

        /// <summary>Whether it is <c>set_config('name', .., true)</c>.</summary>
        public readonly bool IsLocal => _argument == 2 && _tokens == 1 && _isTrue && _isHarmlessName;

        public readonly bool MayChangePath => _mayBePath;

        public readonly bool IsForSession => _argument == 2 && _tokens == 1 && _isFalse;

        public void See(SqlToken token, ReadOnlySpan<char> text)
        {
            if (text is ",")
            {
                _argument++;
                _tokens = 0;
                return;
            }
            if (text is ")")
                return;
            _tokens++;
            if (_argument == 0)
            {
                _isHarmlessName = _tokens == 1 && IsHarmlessName(token.Kind, text);
                _mayBePath = token.Kind != SqlTokenKind.String || text.Equals("'search_path'", StringComparison.OrdinalIgnoreCase);
            }
            else if (_argument == 2)
                (_isTrue, _isFalse) = (SqlWords.IsUnquoted(token.Kind, text, "true"), SqlWords.IsUnquoted(token.Kind, text, "false"));
        }

        // A change of these would make the next text another one than was classified. ParameterStatus comes too late to tell of it.
        private static bool IsHarmlessName(SqlTokenKind kind, ReadOnlySpan<char> text) =>
            kind == SqlTokenKind.String && text is ['\'', .. var name, '\''] && !name.ContainsAny("'\\\r\n")
            && !name.Equals("standard_conforming_strings", StringComparison.OrdinalIgnoreCase)
            && !name.Equals("client_encoding", StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Checks the token against its predecessor: the tokens around a dot, and the escapes that can spell any name.</summary>
    /// <remarks>
    /// <c>x.f</c> is a column or, if there is no such column, a call of the function f with x as its argument (ParseFuncOrColumn,
    /// parse_func.c), so the name decides. A name without a dot never calls a function (transformColumnRef, parse_expr.c).
    /// </remarks>
    private void SeeShape(SqlToken token)
    {
        var text = TextOf(token);
        if (TextOf(_last) is ".")
        {
            if (!SqlWords.IsName(token.Kind) && token.Kind != SqlTokenKind.Operator) // x.* and OPERATOR(s.+)
                SeeUnknown(default);
        }
        else if (TextOf(_last2) is "." && SqlWords.IsName(_last.Kind) && text is not "(")
        {
            SeeAttribute(_last);
        }
        // U&"..." with its UESCAPE spells any name, and a string may stand between that name and its parenthesis.
        if (text is ".." || token.Kind == SqlTokenKind.QuotedIdentifier && SqlWords.IsEscaped(text) || Is(token, "uescape"))
            SeeUnknown(default);
    }

    private void SeeAttribute(SqlToken name)
    {
        Span<char> buffer = stackalloc char[SqlWords.LongestName];
        var text = SqlWords.Normalize(TextOf(name), buffer);
        if (!text.ContainsAnyInRange('A', 'Z') && BuiltInNames.IsOtherFunction(text))
            SeeOtherFunction(name, text);
        else
            (_attributes ??= []).Add(name);
    }
}
