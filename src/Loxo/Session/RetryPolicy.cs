using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// Decides whether a failed command can run again unseen. Some errors are not about the command but about what the driver assumed: a
/// prepared statement that the server has forgotten or that is out of date, result formats that do not fit. The reply has corrected the
/// assumption, so the command runs again if the server has provably executed nothing of it.
/// </summary>
/// <remarks>
/// A SQLSTATE proves nothing: functions, triggers and nested statements raise the same ones, in the same routines of the server. The place
/// of the error does: an error in place of ParseComplete or BindComplete comes before the statement runs. docs/decisions/0015 has the rule.
/// </remarks>
internal static class RetryPolicy
{
    /// <summary>
    /// Whether the flight that has just failed can be sent again. The caller knows that none of its results has been delivered.
    /// </summary>
    /// <param name="query">The flight, which has ended with an error.</param>
    /// <param name="source">The command, which learns of an error that says that its columns are others now; null if it is gone.</param>
    /// <param name="hasRetried">Whether the command has run again already because a statement had to be prepared anew.</param>
    public static bool CanRetry(QueryExchange query, IStatementSource? source, bool hasRetried)
    {
        var session = query.Session;
        if (session.State != SessionState.Busy || query is not { Error: { } error, LaterErrors: null }
            || !Array.TrueForAll(query.Sources, static source => source.CanRewind))
            return false;
        if (!query.ExecutedNothing)
            return CanAskForText(query, error);
        if (IsOtherColumns(error))
            source?.ColumnsAreKnown(false);
        return query.Runs is [var run, ..]
            && (IsOtherColumns(error) ? query.MayPlanAgain && run.Remembered.Length > 0 : !hasRetried && IsMendable(run, error))
            && (session.TransactionStatus == TransactionStatus.Idle
                || (session.TransactionStatus == TransactionStatus.Failed && query.Begun is not null));
    }

    /// <summary>
    /// Explains an error that the server reported before it executed the statement, where the command cannot run again unseen.
    /// </summary>
    public static Exception Explain(ServerErrorFields fields, PostgresException error)
    {
        if (IsOtherColumns(fields))
            return new PgException(
                $"The result has other columns than when the same text ran before: {error.MessageText}. "
                + "Run it again, after a rollback if a transaction failed with it.",
                PgErrorCode.NotSupported, error);
        if (!StatementErrors.IsMendable(fields))
            return error;
        var cause = StatementErrors.IsTypeGone(fields)
            ? $"The type of a parameter was dropped or altered after it had been looked up: {error.MessageText}. It will be looked up anew."
            : $"A prepared statement was out of date or unknown to the server: {error.MessageText}. It will be prepared anew.";
        return new PgException(
            cause + " It could not be done unseen, since what ran before it in the transaction or batch would be lost or done twice: "
            + "roll back and run all of it again.",
            PgErrorCode.StatementOutdated, error);
    }

    /// <summary>
    /// Whether the server has no function that sends a type in binary: of a column itself, or of elements within an array, range or
    /// multirange.
    /// </summary>
    public static bool IsNoBinaryOutput(ServerErrorFields error) => error is
    {
        SqlState: SqlStates.UndefinedFunction,
        Routine: "getTypeBinaryOutputInfo" or "array_send" or "get_range_io_data" or "get_multirange_io_data",
    };

    /// <summary>
    /// Whether formats that were remembered do not fit the columns. PortalSetResultFormat (pquery.c) finds out before the statement is
    /// executed, but after it has been planned, when immutable functions have run.
    /// </summary>
    public static bool IsOtherColumns(ServerErrorFields error) =>
        error is { SqlState: SqlStates.ProtocolViolation, Routine: "PortalSetResultFormat" };

    // The server finds out with the first row that it cannot send a column in binary. The formats are known now, and the command
    // is one query that provably changes nothing.
    private static bool CanAskForText(QueryExchange query, ServerErrorFields error) =>
        IsNoBinaryOutput(error) && query.Session.TransactionStatus == TransactionStatus.Idle
        && query is
        {
            ChangesNothing: true,
            Runs: [{ Sql: not null, FormatsAreChosen: false, Remembered.Length: 0, Shape.Formats.Length: > 0 }],
        };

    // The function of a domain's check may have run, if another parameter is the one whose type is gone. PostgreSQL's own types have none.
    private static bool IsMendable(StatementRun run, ServerErrorFields error) => StatementErrors.IsMendable(error)
        && !(StatementErrors.IsTypeGone(error) && CountUserTypes(run.Statement is { } named ? named.ParameterTypes : run.Types) > 1);

    private static int CountUserTypes(ReadOnlySpan<uint> types)
    {
        const uint firstUserType = 16384; // FirstNormalObjectId, transam.h
        var count = 0;
        foreach (var type in types)
            count += type >= firstUserType ? 1 : 0;
        return count;
    }
}
