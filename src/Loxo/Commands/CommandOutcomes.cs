using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>What became of the statements of a command in its last run.</summary>
internal struct CommandOutcomes
{
    // Most commands have one statement, and no array for it.
    private Outcome _first;
    private Outcome[]? _others;

    /// <summary>Keeps what became of the statements of a command, as far as they have run.</summary>
    public void Take(int statements, QueryExchange query)
    {
        _first = Outcome.Of(query, 0);
        if (statements <= 1)
            return;
        if (_others?.Length != statements - 1)
            _others = new Outcome[statements - 1];
        for (var i = 1; i < statements; i++)
            _others[i - 1] = Outcome.Of(query, i);
    }

    /// <summary>The statements, and what became of each.</summary>
    public readonly IReadOnlyList<PgBatchCommand> Of(ReadOnlySpan<StatementPlan> statements)
    {
        var results = new PgBatchCommand[statements.Length];
        for (var i = 0; i < results.Length; i++)
        {
            results[i] = new PgBatchCommand(statements[i].Sql);
            var outcome = i == 0 ? _first : i <= _others?.Length ? _others[i - 1] : default;
            if (outcome.IsComplete)
                results[i].Take(outcome.Type, outcome.Rows, outcome.Oid);
        }
        return results;
    }

    private readonly record struct Outcome(ulong Rows, uint Oid, StatementType Type, bool IsComplete)
    {
        public static Outcome Of(QueryExchange query, int statement) =>
            statement < query.Runs.Length && query.Runs[statement] is { IsComplete: true } run
                ? new(run.Rows, run.Oid, run.Type, IsComplete: true)
                : default;
    }
}
