namespace Loxo.Diagnostics;

/// <summary>Counts the executions of a data source's statements, in memory that does not grow with their number.</summary>
/// <param name="capacity">The most statements that are told apart.</param>
internal sealed class StatementRecorder(int capacity)
{
    /// <summary>Of a statement's text; a longer one is cut, and the statements that begin with it count as one.</summary>
    public const int MostCharacters = 2048;

    // Servers and exceptions have few; a server that makes them up must not fill the memory.
    private const int MostErrors = 100;
    private const string OtherErrors = "others";
    // Evicting a part at once makes the search for the oldest cheap.
    private const int PartEvicted = 10;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, StatementCounters> _statements = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _errors = new(StringComparer.Ordinal);
    private readonly StatementCounters _others = new(null, "");
    private long _evicted;

    /// <summary>The counters of a statement, which are made if there are none.</summary>
    /// <param name="text">The statement without literals, cut.</param>
    /// <param name="parameters">The number of its parameters.</param>
    /// <param name="isPlannable">Whether the server plans it.</param>
    public StatementCounters Get(string text, int parameters, bool isPlannable)
    {
        lock (_lock)
        {
            if (_statements.TryGetValue(text, out var known))
                return known;
            if (_statements.Count >= capacity)
                Evict();
            return _statements[text] = new StatementCounters(_others, text, parameters, isPlannable);
        }
    }

    /// <summary>Counts an error.</summary>
    /// <param name="kind">SQLSTATE, or the class of an exception.</param>
    public void CountError(string kind)
    {
        lock (_lock)
        {
            if (_errors.Count >= MostErrors && !_errors.ContainsKey(kind))
                kind = OtherErrors;
            _errors[kind] = _errors.GetValueOrDefault(kind) + 1;
        }
    }

    public PgStatementStatistics GetStatistics()
    {
        StatementCounters[] known;
        Dictionary<string, long> errors;
        long evicted;
        lock (_lock)
            (known, errors, evicted) = ([.. _statements.Values], new(_errors), _evicted);
        return new PgStatementStatistics
        {
            Capacity = capacity,
            Statements = [.. known.Select(static one => one.Read()).Where(static one => one.Calls > 0)
                .OrderByDescending(static one => one.TotalTime)],
            Others = _others.Read(),
            Evicted = evicted,
            Errors = errors,
        };
    }

    private void Evict()
    {
        StatementCounters[] known = [.. _statements.Values];
        Array.Sort(Array.ConvertAll(known, static one => one.LastUse), known);
        foreach (var one in known.AsSpan(0, (known.Length + PartEvicted - 1) / PartEvicted))
        {
            _statements.Remove(one.Text);
            one.Evict();
            _evicted++;
        }
    }
}
