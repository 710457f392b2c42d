namespace Loxo.Session;

/// <summary>Errors that say that a prepared statement is gone or out of date, not that anything is wrong with the command.</summary>
internal static class StatementErrors
{
    /// <summary>Whether preparing the statement anew mends it.</summary>
    public static bool IsMendable(ServerErrorFields error) => error.SqlState is SqlStates.InvalidSqlStatementName or SqlStates.DuplicatePreparedStatement
        || IsOutdated(error) || IsTypeGone(error);

    /// <summary>
    /// A type that a parameter was said to be of does not exist any more, or is a composite type with other fields: somebody else has dropped or altered it after it
    /// had been looked up. The one is an internal error, whose text is never translated (getBaseTypeAndTypmod and others, lsyscache.c).
    /// </summary>
    public static bool IsTypeGone(ServerErrorFields error) =>
        (error.SqlState == SqlStates.InternalError && error.MessageText?.StartsWith("cache lookup failed for type ", StringComparison.Ordinal) == true)
        || error is { SqlState: SqlStates.DatatypeMismatch, Routine: "record_recv" };

    /// <summary>What the statement returns has changed since it was parsed (RevalidateCachedQuery, plancache.c).</summary>
    public static bool IsOutdated(ServerErrorFields error) => error is { SqlState: SqlStates.FeatureNotSupported, Routine: "RevalidateCachedQuery" };
}
