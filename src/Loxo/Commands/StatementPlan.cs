using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>One statement of a command: its SQL with <c>$n</c>, and which parameter each n is.</summary>
internal sealed class StatementPlan(SqlStatement source, int[] map, PgParameterCollection parameters) : IParameterValues
{
    // Most plans have none, so these share one field.
    private Extras? _extras;
    private ulong _rows;
    private uint _oid;
    private StatementType _type;
    private bool _isComplete;

    /// <summary>A statement with names that no parameter has.</summary>
    public StatementPlan(SqlStatement source, int[] map, PgParameterCollection parameters, string sql, string[] missing)
        : this(source, map, parameters) => _extras = new Extras(sql, missing);

    public string Sql => _extras?.Sql ?? source.Sql;

    /// <summary>What is known of the statement as it was written.</summary>
    public SqlStatement Source => source;

    public int Count => map.Length;

    /// <summary>Names in the text that no parameter has; they were left as they are, since they may be no placeholders at all.</summary>
    public string[] Missing => _extras?.Missing ?? [];

    /// <summary>What Prepare made of the statement; null when it was not called. Several commands may hold the same one.</summary>
    public CachedStatement? Prepared
    {
        get => _extras?.Prepared;
        set
        {
            var former = Prepared;
            if (ReferenceEquals(former, value))
                return;
            if (former is not null)
                former.Holders--;
            if (value is not null)
                value.Holders++;
            _extras ??= new Extras(null, []);
            _extras.Prepared = value;
        }
    }

    /// <summary>
    /// Finds types and codecs for the values as they are now. A NULL without a type has the one that the command was prepared with; else
    /// the server chooses it.
    /// </summary>
    /// <param name="types">They have the types of the statement until another one is bound.</param>
    public void Bind(SessionTypes types)
    {
        var nullsMatch = true;
        var bound = types.BeginBinding(map.Length);
        for (var i = 0; i < map.Length; i++)
        {
            var parameter = parameters[map[i]];
            parameter.Bind(map[i], types);
            bound[i] = parameter.BoundOid;
            nullsMatch &= bound[i] != 0 || parameter.IsNull;
        }
        types.NullsMatch = nullsMatch;
        // Of another command's statement it takes none: what a text means must not depend on who has used the session before.
        if (nullsMatch && Prepared?.ParameterTypes is { } prepared && CachedStatement.Fits(prepared, bound, nullsMatch: true))
            prepared.CopyTo(bound);
    }

    /// <summary>For preparation: a parameter without a value needs no more than a type.</summary>
    public void BindTypes(SessionTypes types)
    {
        var bound = types.BeginBinding(map.Length);
        for (var i = 0; i < map.Length; i++)
        {
            var parameter = parameters[map[i]];
            if (!parameter.TryBindType(types))
                parameter.Bind(map[i], types);
            bound[i] = parameter.BoundOid;
        }
    }

    /// <summary>Keeps what became of the statements of a command, as far as they have run.</summary>
    public static void Take(ReadOnlySpan<StatementPlan> plans, QueryExchange query)
    {
        var runs = query.Runs;
        for (var i = 0; i < plans.Length; i++)
            plans[i].Take(i < runs.Length && runs[i].IsComplete ? runs[i] : null);
    }

    /// <summary>The statements of a command, and what became of their last run.</summary>
    public static IReadOnlyList<PgBatchCommand> Results(ReadOnlySpan<StatementPlan> plans, QueryExchange? running)
    {
        if (running is not null)
            Take(plans, running);
        var results = new PgBatchCommand[plans.Length];
        for (var i = 0; i < results.Length; i++)
            results[i] = plans[i].Result();
        return results;
    }

    private void Take(StatementRun? run)
    {
        _isComplete = run is not null;
        if (run is not null)
            (_type, _rows, _oid) = (run.Type, run.Rows, run.Oid);
    }

    private PgBatchCommand Result()
    {
        var result = new PgBatchCommand(Sql);
        if (_isComplete)
            result.Take(_type, _rows, _oid);
        return result;
    }

    FormatCode IParameterValues.Format(int index) => parameters[map[index]].BoundFormat;

    void IParameterValues.Write(int index, MessageWriter writer) => parameters[map[index]].Write(writer, map[index]);

    /// <summary>
    /// The statements have run without an error, which shows the formats of their columns, unless the user has chosen these, and whether
    /// there are long rows.
    /// </summary>
    public static void RememberColumns(ReadOnlySpan<StatementPlan> statements, QueryExchange query)
    {
        for (var i = 0; i < query.Runs.Length; i++)
        {
            if (!query.Runs[i].FormatsAreChosen)
                statements[i].Source.AreColumnsKnown = true;
            if (query.Runs[i].HasLongRows)
                statements[i].Source.HasLongRows = true;
        }
    }

    private sealed class Extras(string? sql, string[] missing)
    {
        /// <summary>The text, if not the one of the source.</summary>
        public string? Sql => sql;

        public string[] Missing => missing;

        public CachedStatement? Prepared { get; set; }
    }
}
