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
                SeeQualified(name);
                break;
            case SqlTokenKind.Word:
                SeeUnqualified(name);
                break;
            case SqlTokenKind.Placeholder: // an operator and a name, if there is no such parameter
                SeeFunction(name[1..]);
                break;
            case SqlTokenKind.QuotedIdentifier when BuiltInNames.IsOtherFunction(SqlWords.Unquote(name)):
            case SqlTokenKind.QuotedIdentifier when !(TextOf(_last2) is "." ? IsType(_last4) : IsType(_last2) || EndsOperand(_last2)):
            case SqlTokenKind.String when Current.Verb != Verb.Copy || _depth > 0: // but COPY t TO 'file' (options)
            case SqlTokenKind.Number or SqlTokenKind.Parameter:
            case SqlTokenKind.Punctuation when name is "]" or ".":
                _changes |= SqlChanges.State;
                break;
        }
    }

    private void SeeQualified(ReadOnlySpan<char> name)
    {
        if (Is(_last3, "pg_catalog") && TextOf(_last4) is not ".")
            SeeFunction(name);
        else if (!IsType(_last4) || BuiltInNames.IsOtherFunction(name))
            _changes |= SqlChanges.State;
    }

    private void SeeUnqualified(ReadOnlySpan<char> name)
    {
        if (BuiltInNames.IsOtherFunction(name))
            SeeFunction(name);
        else if (Is(_last, "treat"))
            _changes |= SqlChanges.State; // TREAT(1 AS pg_advisory_lock) calls the function of that name (gram.y)
        else if (!BuiltInNames.NamesNoFunction(name) && !IsType(_last2) && !EndsOperand(_last2) && !IsClause(name))
            SeeFunction(name);
    }

    private void SeeFunction(ReadOnlySpan<char> name)
    {
        if (!BuiltInNames.IsPlainFunction(name) && !IsSettingCall())
            SeeOtherFunction(name);
    }

    private void SeeOtherFunction(scoped ReadOnlySpan<char> name)
    {
        _changes |= SqlChanges.State;
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
            _ => false,
        };
    }

    private readonly bool IsSettingCall() =>
        Is(_last, "set_config") && (TextOf(_last2) is not "." || Is(_last3, "pg_catalog") && TextOf(_last4) is not ".");

    private void SeeSettingCall(SettingCall call)
    {
        if (call.IsLocal)
            return;
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
        private bool _isTrue;
        private bool _isFalse;

        /// <summary>Whether it is <c>set_config('name', .., true)</c>; the name may be a parameter.</summary>
        public readonly bool IsLocal => _argument == 2 && _tokens == 1 && _isTrue && _isHarmlessName;

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
                _isHarmlessName = _tokens == 1 && IsHarmlessName(token.Kind, text);
            else if (_argument == 2)
                (_isTrue, _isFalse) = (SqlWords.IsUnquoted(token.Kind, text, "true"), SqlWords.IsUnquoted(token.Kind, text, "false"));
        }

        // A change of it would make the next text another one than was classified; of a parameter, ParameterStatus tells.
        private static bool IsHarmlessName(SqlTokenKind kind, ReadOnlySpan<char> text) => kind switch
        {
            SqlTokenKind.Parameter or SqlTokenKind.Placeholder => true,
            SqlTokenKind.String => text is ['\'', .. var name, '\''] && !name.ContainsAny("'\\\r\n")
                && !name.Equals("standard_conforming_strings", StringComparison.OrdinalIgnoreCase),
            _ => false,
        };
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
                _changes |= SqlChanges.State;
        }
        else if (TextOf(_last2) is "." && SqlWords.IsName(_last.Kind) && text is not "(")
        {
            SeeAttribute(_last);
        }
        // U&"..." with its UESCAPE spells any name, and a string may stand between that name and its parenthesis.
        if (text is ".." || token.Kind == SqlTokenKind.QuotedIdentifier && SqlWords.IsEscaped(text) || Is(token, "uescape"))
            _changes |= SqlChanges.State;
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
