using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Errors that say nothing about the command, only about the driver's beliefs: a prepared statement that the server has forgotten or that is out of date,
/// result formats that do not fit. The answer has corrected the belief, so the command is run again if the server has provably executed nothing of it.
/// </summary>
/// <remarks>
/// A SQLSTATE proves nothing: functions, triggers and nested statements raise the same ones, in the same routines of the server. The place of the error does:
/// an error in place of ParseComplete or BindComplete comes before the statement runs. docs/decisions/0015 has the rule.
/// </remarks>
internal static class RunAgain
{
    /// <summary>Whether the command that has just failed can run again unseen. The caller knows that nothing of it has been handed out.</summary>
    public static bool IsPossible(ServerSession session)
    {
        var query = session.Query;
        if (session.State != SessionState.Idle || query is not { Error: { } error, LaterErrors: null }
            || !Array.TrueForAll(query.Sources, static source => source.CanRewind))
            return false;
        if (!query.ExecutedNothing)
            return WrongFormats.AreMended(session, error);
        return ((WrongFormats.IsOtherColumns(error) && query.Runs[0].Remembered.Length > 0) || (StatementErrors.IsMendable(error) && !query.IsRepeated))
            && (session.TransactionStatus == TransactionStatus.Idle || (session.TransactionStatus == TransactionStatus.Failed && query.Begun is not null));
    }

    /// <summary>Gets ready for the second run, without waiting.</summary>
    public static void GetReady(ServerSession session, PgConnection owner)
    {
        var query = session.Query;
        foreach (var source in query.Sources)
            source.Rewind();
        if (session.TransactionStatus == TransactionStatus.Failed)
            RestartTransaction(session, owner, query.Begun!);
        query.RepeatNext = StatementErrors.IsMendable(query.Error!);
    }

    /// <summary>Explains an error that the server reported before it executed the statement, where the command cannot run again unseen.</summary>
    public static Exception Explain(ServerErrorFields fields, PostgresException error) => StatementErrors.IsMendable(fields)
        ? new PgException(
            (StatementErrors.IsTypeGone(fields)
                ? $"The type of a parameter was dropped or altered after it had been looked up: {error.MessageText}. It will be looked up anew. "
                : $"A prepared statement was out of date or unknown to the server: {error.MessageText}. It will be prepared anew. ")
            + "It could not be done unseen, since what ran before it in the transaction or batch would be lost or done twice: roll back and run all of it again.",
            PgErrorCode.StatementOutdated, error)
        : WrongFormats.Explain(fields, error);

    // The transaction began with the flight that failed, so nothing of it is lost.
    private static void RestartTransaction(ServerSession session, PgConnection owner, string begin)
    {
        session.Rollback(owner);
        session.ExchangeBegin(owner, begin);
    }
}
