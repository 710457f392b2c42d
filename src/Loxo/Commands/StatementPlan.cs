using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>
/// One statement of a command: its SQL with <c>$n</c>, and which parameter each n is. Never changes, so that commands with the same text
/// and names share it.
/// </summary>
internal sealed class StatementPlan(SqlStatement source, int[] map, string? sql = null, string[]? missing = null)
{
    public string Sql => sql ?? source.Sql;

    /// <summary>What is known of the statement as it was written.</summary>
    public SqlStatement Source => source;

    /// <summary>Which parameter of the command stands for <c>$1</c>, <c>$2</c> and so on.</summary>
    public int[] Map => map;

    public int Count => map.Length;

    /// <summary>Names in the text that no parameter has; they were left as they are, since they may be no placeholders at all.</summary>
    public string[] Missing => missing ?? [];

    /// <summary>What Prepare made of the statement; a plan that has it is its command's own. Null when it was not called.</summary>
    public CachedStatement? Prepared { get; private init; }

    /// <summary>Whether this is what a statement of the same text comes to whose names are all replaced by those parameters.</summary>
    public bool Fits(ReadOnlySpan<int> parameters) => missing is null && map.AsSpan().SequenceEqual(parameters);

    /// <summary>The plan of a command that holds that statement; null for one that holds none.</summary>
    public StatementPlan With(CachedStatement? prepared) => new(source, map, sql, missing) { Prepared = prepared };

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
}
