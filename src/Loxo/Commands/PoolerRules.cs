using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>What cannot work where each transaction may run in another server process: it is refused before it misleads anybody.</summary>
internal static class PoolerRules
{
    /// <exception cref="PgException">The statement leaves something behind that later statements would look for in vain, or others would
    /// find.</exception>
    public static void Check(SqlCertainChange certain, ServerSession session)
    {
        var what = certain switch
        {
            SqlCertainChange.Setting =>
                "SET would change a setting of a server process that others use next: use SET LOCAL in a transaction, "
                + "or the keyword 'Options'",
            SqlCertainChange.Listen =>
                "LISTEN would belong to a server process that others use next: listen on a connection past the pooler",
            SqlCertainChange.TemporaryTable =>
                "a temporary table, or anything else in pg_temp, would stay behind in a server process that others use next: create it ON "
                + "COMMIT DROP in a transaction",
            SqlCertainChange.AdvisoryLock => "a session-level advisory lock would be held by a server process that others use next: use "
                + "pg_advisory_xact_lock in a transaction",
            SqlCertainChange.PreparedStatement => "PREPARE would leave its statement in a server process that others use next: send the "
                + "statement itself; with 'Pooler=TransactionPrepared' the driver prepares it",
            SqlCertainChange.HoldCursor =>
                "a cursor WITH HOLD would stay behind in a server process that others use next: declare it without "
                + "WITH HOLD and read it in its transaction",
            _ => "LOAD would load a library into a server process that others use next: let the server load it (session_preload_libraries)",
        };
        throw new PgException($"With 'Pooler={session.Context.Settings.Pooler}' this statement is refused: {what}. Nothing was sent.",
            PgErrorCode.NotSupported);
    }

    /// <exception cref="PgException">Explicit preparation makes no sense here.</exception>
    public static void CheckPrepare(ServerSession session)
    {
        if (session.Context.Settings.Pooler == Pooler.Transaction)
            throw new PgException(
                "With 'Pooler=Transaction' statements cannot be prepared: the next transaction has another server process. If the pooler "
                + "keeps track of prepared "
                + "statements (pgbouncer from 1.21 on), set 'Pooler=TransactionPrepared'.", PgErrorCode.NotSupported);
    }
}
