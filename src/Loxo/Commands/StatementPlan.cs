using System.Runtime.CompilerServices;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>One statement of a command: its SQL with <c>$n</c>, and which parameter each n is.</summary>
internal sealed class StatementPlan(SqlStatement source, int[] map, PgParameterCollection parameters) : IParameterValues
{
    // The types of few parameters need no array of their own.
    private FewTypes _few;
    private readonly uint[]? _many = map.Length > FewTypes.Length ? new uint[map.Length] : null;
    private readonly WithoutParameters? _missing;
    private CachedStatement? _prepared;
    private StatementType _type;
    private ulong _rows;
    private uint _oid;
    private bool _isComplete;

    /// <summary>A statement with names that no parameter has.</summary>
    public StatementPlan(SqlStatement source, int[] map, PgParameterCollection parameters, string sql, string[] missing)
        : this(source, map, parameters) => _missing = new WithoutParameters(sql, missing);

    public string Sql => _missing?.Sql ?? source.Sql;

    /// <summary>What is known of the statement as it was written.</summary>
    public SqlStatement Source => source;

    public int Count => map.Length;

    /// <summary>Names in the text that no parameter has; they were left as they are, since they may be no placeholders at all.</summary>
    public string[] Missing => _missing?.Names ?? [];

    /// <summary>What Prepare made of the statement; null when it was not called. Several commands may hold the same one.</summary>
    public CachedStatement? Prepared
    {
        get => _prepared;
        set
        {
            if (ReferenceEquals(_prepared, value))
                return;
            if (_prepared is not null)
                _prepared.Holders--;
            if (value is not null)
                value.Holders++;
            _prepared = value;
        }
    }

    /// <summary>The types to announce; right after <see cref="Bind"/>.</summary>
    public ReadOnlySpan<uint> Types => TypesToSet;

    private Span<uint> TypesToSet => _many ?? ((Span<uint>)_few)[..map.Length];

    /// <summary>Whether every type that the server is to choose is that of a NULL, which fits any.</summary>
    public bool NullsMatch { get; private set; }

    /// <summary>
    /// Finds types and codecs for the values as they are now. A NULL without a type has the one that the command was prepared with; else
    /// the server chooses it.
    /// </summary>
    public void Bind(SessionTypes types)
    {
        NullsMatch = true;
        var bound = TypesToSet;
        for (var i = 0; i < map.Length; i++)
        {
            var parameter = parameters[map[i]];
            parameter.Bind(map[i], types);
            bound[i] = parameter.BoundOid;
            NullsMatch &= bound[i] != 0 || parameter.IsNull;
        }
        // Of another command's statement it takes none: what a text means must not depend on who has used the session before.
        if (NullsMatch && _prepared?.ParameterTypes is { } prepared && CachedStatement.Fits(prepared, bound, nullsMatch: true))
            prepared.CopyTo(bound);
    }

    /// <summary>For preparation: a parameter without a value needs no more than a type.</summary>
    public void BindTypes(SessionTypes types)
    {
        var bound = TypesToSet;
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
    /// The statements have run without an error, which shows the formats of their columns. Those that were chosen by the user do not.
    /// </summary>
    public static void RememberColumns(ReadOnlySpan<StatementPlan> statements, QueryExchange query)
    {
        for (var i = 0; i < query.Runs.Length; i++)
        {
            if (!query.Runs[i].FormatsAreChosen)
                statements[i].Source.AreColumnsKnown = true;
        }
    }

    private sealed record WithoutParameters(string Sql, string[] Names);

    [InlineArray(Length)]
    private struct FewTypes
    {
        public const int Length = 4;

        private uint _first;
    }
}
