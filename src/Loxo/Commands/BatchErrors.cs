using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Tells which commands of a batch have failed.</summary>
internal static class BatchErrors
{
    /// <summary>Each exception names its command.</summary>
    public static void Name(PgBatchCommandCollection commands, QueryExchange query, PgException error)
    {
        Name(commands, query.Error!, error);
        foreach (var (fields, one) in Each(query, error))
            Name(commands, fields, one as PgException);
    }

    /// <summary>Gives each command that has failed its own exception.</summary>
    /// <returns>
    /// False if statements are not all that has failed: the connection is lost, or the batch was stopped or only described.
    /// </returns>
    public static bool TryCollect(PgBatchCommandCollection commands, QueryExchange query, PgException error)
    {
        if (query.Runs is [{ IsDescription: true }, ..])
            return false;
        foreach (var (_, one) in Each(query, error))
        {
            if (one is not PostgresException { InvariantSeverity: not ("FATAL" or "PANIC") })
                return false;
        }
        foreach (var (fields, one) in Each(query, error))
        {
            foreach (var undone in GroupOf(query.Runs, fields.Statement))
            {
                query.Runs[undone].Undo();
                commands[undone].Take(null);
            }
            commands[fields.Statement].Fail((PostgresException)one);
        }
        return true;
    }

    // The statements between the same two barriers.
    private static IEnumerable<int> GroupOf(ReadOnlySpan<StatementRun> runs, int statement)
    {
        var (first, last) = (statement, statement);
        while (first > 0 && !runs[first - 1].EndsGroup)
            first--;
        while (last < runs.Length - 1 && !runs[last].EndsGroup)
            last++;
        return Enumerable.Range(first, last - first + 1);
    }

    private static IEnumerable<(ServerErrorFields Fields, Exception Error)> Each(QueryExchange query, PgException error) =>
        query.LaterErrors is { } later && error.InnerException is AggregateException { InnerExceptions: var all }
            ? later.Prepend(query.Error!).Zip(all)
            : [(query.Error!, error)];

    private static void Name(PgBatchCommandCollection commands, ServerErrorFields fields, PgException? error)
    {
        if (error is not null && fields.Statement < commands.Count)
            error.FailedCommand = commands[fields.Statement];
    }
}
