using System.Collections.Frozen;
using System.Diagnostics;
using Loxo.Diagnostics;

namespace Loxo.Sql;

internal readonly record struct SqlPlaceholder(int Start, int Length, int Name);

internal sealed class SqlStatement
{
    // Threads share statements without a lock, so an answer is one byte: a bool? is two, which another thread could see half written.
    private enum Answer : byte
    {
        Unknown,
        No,
        Yes,
    }

    // Until the transaction ends, which callers may share: the locks would not keep them apart, and a setting would be everybody's.
    private static readonly string[] _ofTransaction =
    [
        "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared", "pg_try_advisory_xact_lock", "pg_try_advisory_xact_lock_shared",
        "set_config",
    ];

    private static readonly SqlWordSet _effectsOnTransaction = new(_ofTransaction);

    // What a query does, or could do, besides returning rows.
    private static readonly SqlWordSet _effects =
        new(["insert", "update", "delete", "merge", "into", "share", "pg_notify", .. _ofTransaction]);

    private static readonly SqlWordSet _settings = new("current_setting", "pg_settings", "pg_show_all_settings");

    private static readonly SqlWordSet _changesOfRows = new("insert", "update", "delete", "merge", "copy", "truncate", "constraints");

    private static readonly SqlWordSet _returning = new("returning");

    // An SqlToken takes as much memory.
    private const int CharactersPerAttribute = 6;

    private readonly string _text;
    private readonly string[] _names;
    private readonly SqlPlaceholder[] _placeholders;
    private readonly int _length;
    private string? _source;
    private string? _sql;
    private SqlSummary? _summary;
    private string? _withoutLiterals;
    private Variant? _variant;
    private Calls? _calls;
    private Answer _isReadOnly;
    private Answer _showsSettings;
    private Answer _mayReturnRows;
    private Answer _mayRunTriggers;
    private Answer _isChange;
    private Answer _copiesThroughClient;

    private SqlStatement(string text, int start, int length, SqlVerdict verdict, SqlNames? names)
    {
        _text = text;
        Start = start;
        _length = length;
        Verdict = verdict;
        _names = names is null ? [] : [.. names.Distinct];
        _placeholders = names is null ? [] : [.. names.Placeholders];
        HasDollarParameters = names?.HasDollarParameters ?? false;
    }

    /// <summary>Where the statement begins in the text; the server counts error positions from here.</summary>
    public int Start { get; }

    public string Source => _source ??= _length == _text.Length ? _text : _text.Substring(Start, _length);

    /// <summary>The distinct names without <c>@</c> or <c>:</c>, spelled as each first appears: that of $1, of $2 and so on.</summary>
    public ReadOnlySpan<string> ParameterNames => _names;

    /// <summary>Whether <c>$1</c> or the like stands in the text, which must not meet rewritten names.</summary>
    public bool HasDollarParameters { get; }

    /// <summary>The changes that the statement may make; the same however many of its names are replaced.</summary>
    public SqlChanges Changes => Verdict.Changes;

    /// <summary>Whether the statement may call functions that are not known to be harmless.</summary>
    public bool MayCallFunctions => Verdict.Attributes is not null || Verdict.Calls is not null;

    /// <summary>The changes that the statement may make in a database that has these functions.</summary>
    /// <param name="functions">
    /// Names of functions that may change the session when attribute notation (<c>x.f</c>) calls them; null for the built-in ones only.
    /// </param>
    /// <param name="nameChangers">Names of functions that may change the meaning of names; null for none.</param>
    /// <param name="anyChangesNames">Whether any function may whose call is certain to be none of a column.</param>
    public SqlChanges ChangesWith(FrozenSet<string>? functions, FrozenSet<string>? nameChangers = null, bool anyChangesNames = false)
    {
        if (!MayCallFunctions)
            return Verdict.Changes;
        var changes = Verdict.Changes;
        if (anyChangesNames && Verdict.Calls is not null)
            changes |= SqlChanges.Names;
        return functions is null && nameChangers is null ? changes : changes | ChangesOfCalls(functions, nameChangers);
    }

    public SqlCertainChange CertainChange => Verdict.CertainChange;

    /// <summary>Whether it makes, drops or alters a database.</summary>
    public bool ConcernsDatabases => Verdict.Databases is not null;

    /// <summary>What may be the names of the databases that it makes, drops or alters; null for one that is not certain.</summary>
    public IEnumerable<string?> Databases => (Verdict.Databases ?? []).Select(token => NameOf(_text.AsSpan(token.Start, token.Length)));

    /// <summary>Whether the server plans the statement, so that preparing it is worth something.</summary>
    public bool IsPlannable => Verdict.IsPlannable;

    /// <summary>
    /// Whether it is a plain query without a word by which it could change or lock rows, or change its transaction, as far as the text
    /// tells.
    /// </summary>
    public bool IsReadOnly
    {
        get
        {
            if (_isReadOnly == Answer.Unknown)
                _isReadOnly = AsAnswer(IsPlannable && Changes == SqlChanges.None && !_effects.IsIn(SourceSpan));
            return _isReadOnly == Answer.Yes;
        }
    }

    /// <summary>Whether it has a word by which settings are shown.</summary>
    public bool ShowsSettings
    {
        get
        {
            if (_showsSettings == Answer.Unknown)
                _showsSettings = AsAnswer(_settings.IsIn(SourceSpan));
            return _showsSettings == Answer.Yes;
        }
    }

    /// <summary>
    /// Whether it may undo what the transaction has changed, up to a savepoint or all of it: COMMIT does so if the transaction has failed.
    /// </summary>
    public bool MayRollBack => !IsPlannable
        && (SqlWords.BeginsWithAny(SourceSpan, "rollback", "abort", "commit", "end") || SourceSpan is [not (>= 'A' and <= 'z'), ..]);

    /// <summary>Whether it may return rows of any type: a query, a change with RETURNING, or a statement that runs one of these.</summary>
    public bool MayReturnRows
    {
        get
        {
            if (_mayReturnRows == Answer.Unknown)
            {
                _mayReturnRows = AsAnswer(IsPlannable
                    ? !SqlWords.BeginsWithAny(SourceSpan, "insert", "update", "delete", "merge") || _returning.IsIn(SourceSpan)
                    : SqlWords.BeginsWithAny(SourceSpan, "call", "execute", "fetch"));
            }
            return _mayReturnRows == Answer.Yes;
        }
    }

    /// <summary>Whether it has a word by which rows are changed, or triggers run that were deferred.</summary>
    public bool MayRunTriggers
    {
        get
        {
            if (_mayRunTriggers == Answer.Unknown)
                _mayRunTriggers = AsAnswer(_changesOfRows.IsIn(SourceSpan));
            return _mayRunTriggers == Answer.Yes;
        }
    }

    /// <summary>Whether it is an INSERT, UPDATE, DELETE or MERGE that changes rows, and leaves nothing else in its transaction.</summary>
    public bool IsChange
    {
        get
        {
            if (_isChange == Answer.Unknown)
                _isChange = AsAnswer(IsPlannable && Changes == SqlChanges.None
                    && SqlWords.BeginsWithAny(SourceSpan, "insert", "update", "delete", "merge")
                    && !_effectsOnTransaction.IsIn(SourceSpan));
            return _isChange == Answer.Yes;
        }
    }

    /// <inheritdoc cref="SqlCopy.MayGoThroughClient"/>
    public bool CopiesThroughClient(bool standardConformingStrings)
    {
        if (_copiesThroughClient == Answer.Unknown)
            _copiesThroughClient = AsAnswer(!IsPlannable && SqlCopy.MayGoThroughClient(Source, standardConformingStrings));
        return _copiesThroughClient == Answer.Yes;
    }

    /// <summary>Its columns have been described, or it has run: their formats are known as far as they can be.</summary>
    public bool AreColumnsKnown { get; set; }

    /// <summary>
    /// Until then, by <see cref="Environment.TickCount64"/>, it runs on a session of its own: it was slow, or had a large result.
    /// </summary>
    public long AvoidLanesUntil { get; set; }

    /// <summary>Whether it has returned a row that is better read in pieces.</summary>
    public bool HasLongRows { get; set; }

    /// <summary>How often in succession it has been fast in a lane, up to the number that is asked for.</summary>
    public byte FastRuns { get; set; }

    /// <summary>The server has refused it in a read-only transaction.</summary>
    public bool Writes { get; set; }

    /// <summary>How often in succession it has been slow.</summary>
    public int SlowRuns { get; set; }

    /// <summary>When the last of them has ended, by <see cref="Environment.TickCount64"/>.</summary>
    public long SlowUntil { get; set; }

    /// <summary>Counts its executions; null until it is first counted.</summary>
    public StatementCounters? Counters { get; set; }

    /// <summary>The statement in few words.</summary>
    public SqlSummary SummaryFor(bool standardConformingStrings) => _summary ??= SqlSummary.Of(SourceSpan, standardConformingStrings);

    /// <summary>The statement with <c>?</c> for each literal.</summary>
    public string WithoutLiteralsFor(bool standardConformingStrings) =>
        _withoutLiterals ??= SqlSummary.WithoutLiterals(Sql, standardConformingStrings);

    internal SqlVerdict Verdict { get; }

    public string Sql => _sql ??= _placeholders.Length == 0 ? Source : Rewrite([]);

    /// <summary>Names without a parameter, as columns in <c>tags &lt;@ids</c>, stay; the others are numbered without gaps.</summary>
    public string SqlFor(ReadOnlySpan<bool> replaced)
    {
        Debug.Assert(replaced.Length == _names.Length, "one answer for each name");
        if (!replaced.Contains(false))
            return Sql;
        if (!replaced.Contains(true))
            return Source;
        var variant = _variant;
        if (variant is null || !replaced.SequenceEqual(variant.Replaced))
            _variant = variant = new Variant(replaced.ToArray(), Rewrite(replaced));
        return variant.Sql;
    }

    /// <summary>The characters that the statement may come to keep besides the text itself.</summary>
    internal int Weight =>
        (_placeholders.Length > 0 ? 3 * _length : _length < _text.Length ? _length : 0)
            + CharactersPerAttribute
                * ((Verdict.Attributes?.Length ?? 0) + (Verdict.Calls?.Length ?? 0) + (Verdict.Databases?.Length ?? 0));

    internal static SqlStatement Verbatim(string text, SqlVerdict verdict) => new(text, 0, text.Length, verdict, names: null);

    internal static SqlStatement Part(string text, int start, int end, SqlVerdict verdict, SqlNames? names = null)
    {
        while (start < end && SqlCharacters.IsSpace(text[start]))
            start++;
        while (start < end && SqlCharacters.IsSpace(text[end - 1]))
            end--;
        return new SqlStatement(text, start, end - start, verdict, names);
    }

    private static string? NameOf(ReadOnlySpan<char> name)
    {
        Span<char> buffer = stackalloc char[SqlWords.LongestName];
        return SqlWords.MayBeAnyName(name) ? null : SqlWords.Normalize(name, buffer).ToString();
    }

    // The names are compared once for each pair of sets: sets change only when the database does.
    private SqlChanges ChangesOfCalls(FrozenSet<string>? functions, FrozenSet<string>? nameChangers)
    {
        var calls = _calls;
        if (calls is null || !ReferenceEquals(calls.Functions, functions) || !ReferenceEquals(calls.NameChangers, nameChangers))
        {
            var changes = HasAttributeOf(functions) ? SqlChanges.State : SqlChanges.None;
            if (HasAttributeOf(nameChangers) || CallsOneOf(nameChangers))
                changes |= SqlChanges.State | SqlChanges.Names;
            _calls = calls = new Calls(functions, nameChangers, changes);
        }
        return calls.Changes;
    }

    private bool HasAttributeOf(FrozenSet<string>? functions)
    {
        if (functions is null || Verdict.Attributes is null)
            return false;
        Span<char> buffer = stackalloc char[SqlWords.LongestName];
        var names = functions.GetAlternateLookup<ReadOnlySpan<char>>();
        foreach (var attribute in Verdict.Attributes)
        {
            if (names.Contains(SqlWords.Normalize(_text.AsSpan(attribute.Start, attribute.Length), buffer)))
                return true;
        }
        return false;
    }

    private bool CallsOneOf(FrozenSet<string>? functions)
    {
        if (functions is null || Verdict.Calls is null)
            return false;
        Span<char> buffer = stackalloc char[SqlWords.LongestName];
        var names = functions.GetAlternateLookup<ReadOnlySpan<char>>();
        foreach (var call in Verdict.Calls)
        {
            var name = _text.AsSpan(call.Start, call.Length);
            if (SqlWords.MayBeAnyName(name) || names.Contains(SqlWords.Normalize(name, buffer)))
                return true;
        }
        return false;
    }

    /// <summary>An empty <paramref name="replaced"/> replaces all.</summary>
    private string Rewrite(ReadOnlySpan<bool> replaced)
    {
        // The n of each name's $n; 0 for the names that stay.
        var numbers = new int[_names.Length];
        var last = 0;
        for (var name = 0; name < numbers.Length; name++)
            numbers[name] = replaced.IsEmpty || replaced[name] ? ++last : 0;
        // Measured first: a builder that grows would take several times the memory of a long text.
        return string.Create(
            LengthOf(numbers), (Statement: this, Numbers: numbers), static (sql, to) => to.Statement.WriteTo(sql, to.Numbers));
    }

    private int LengthOf(int[] numbers)
    {
        var length = _length;
        foreach (var placeholder in _placeholders)
        {
            if (numbers[placeholder.Name] is > 0 and var number)
                length = checked(length + 1 + DigitsOf(number) - placeholder.Length);
        }
        return length;
    }

    private void WriteTo(Span<char> sql, int[] numbers)
    {
        var from = Start;
        foreach (var placeholder in _placeholders)
        {
            if (numbers[placeholder.Name] is not (> 0 and var number))
                continue;
            var before = _text.AsSpan(from, placeholder.Start - from);
            before.CopyTo(sql);
            sql = sql[before.Length..];
            sql[0] = '$';
            number.TryFormat(sql[1..], out var digits, default, CultureInfo.InvariantCulture);
            sql = sql[(1 + digits)..];
            from = placeholder.Start + placeholder.Length;
        }
        _text.AsSpan(from, Start + _length - from).CopyTo(sql);
    }

    private static Answer AsAnswer(bool value) => value ? Answer.Yes : Answer.No;

    private static int DigitsOf(int number)
    {
        var digits = 1;
        while ((number /= 10) > 0)
            digits++;
        return digits;
    }

    private ReadOnlySpan<char> SourceSpan => _text.AsSpan(Start, _length);

    /// <summary>Some names replaced, some not: the last such choice. Published whole, so that readers need no lock.</summary>
    private sealed record Variant(bool[] Replaced, string Sql);

    /// <summary>What the calls come to among some functions. Published whole, too.</summary>
    private sealed record Calls(FrozenSet<string>? Functions, FrozenSet<string>? NameChangers, SqlChanges Changes);
}
