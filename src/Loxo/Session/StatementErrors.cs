namespace Loxo.Session;

/// <summary>Errors that say that a prepared statement is gone or out of date, not that anything is wrong with the command.</summary>
internal static class StatementErrors
{
    /// <summary>Whether preparing the statement anew mends it.</summary>
    public static bool IsMendable(ServerErrorFields error) => error.SqlState is SqlStates.InvalidSqlStatementName or SqlStates.DuplicatePreparedStatement
        || IsOutdated(error);

    /// <summary>What the statement returns has changed since it was parsed (RevalidateCachedQuery, plancache.c).</summary>
    public static bool IsOutdated(ServerErrorFields error) => error is { SqlState: SqlStates.FeatureNotSupported, Routine: "RevalidateCachedQuery" };
}
