using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Errors that say nothing about the command, only about what was believed of its statements: formats that were wrong, a statement that the server
/// has forgotten or that is out of date. What was learned from the answer makes the next run right, so it is run again where nobody can notice.
/// </summary>
internal static class RunAgain
{
    /// <summary>
    /// Whether the command that has just failed can run again unseen. Nothing of it may have been handed out, which is for the caller to know;
    /// all of it must have been undone by the server.
    /// </summary>
    public static bool IsPossible(ServerSession session)
    {
        var query = session.Query;
        if (session.State != SessionState.Idle || query is not { Error: { } error, LaterErrors: null, Groups: 1, CanBeUndone: true }
            || !Array.TrueForAll(query.Sources, static source => source.CanRewind))
            return false;
        if (session.TransactionStatus == TransactionStatus.Idle && WrongFormats.AreMended(query, error))
            return true;
        return StatementErrors.IsMendable(error) && !query.IsRepeated
            && (session.TransactionStatus == TransactionStatus.Idle || (session.TransactionStatus == TransactionStatus.Failed && query.Begun is not null));
    }

    /// <summary>Gets ready for the second run, without waiting.</summary>
    public static void GetReady(ServerSession session)
    {
        var query = session.Query;
        foreach (var source in query.Sources)
            source.Rewind();
        if (session.TransactionStatus == TransactionStatus.Failed)
            RestartTransaction(session, query.Begun!);
        query.RepeatNext = StatementErrors.IsMendable(query.Error!);
    }

    /// <summary>What to throw where the command cannot run again unseen.</summary>
    public static Exception Explain(ServerErrorFields fields, PostgresException error) => StatementErrors.IsMendable(fields)
        ? new PgException(
            (StatementErrors.IsTypeGone(fields)
                ? $"The type of a parameter was dropped or altered after it had been looked up: {error.MessageText}. It will be looked up anew. "
                : $"A prepared statement was out of date or unknown to the server: {error.MessageText}. It will be prepared anew. ")
            + "It could not be done unseen, since what ran before it in the transaction or batch would be lost or done twice: roll back and run all of it again.",
            PgErrorCode.StatementOutdated, error)
        : WrongFormats.Explain(fields, error);

    // The transaction began with the flight that failed, so nothing of it is lost.
    private static void RestartTransaction(ServerSession session, string begin)
    {
        session.Rollback();
        session.PendingBegin = begin;
    }
}
