using static Loxo.IntegrationTests.Differential.Rule;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Intended differences of connections and transactions.</summary>
internal static class IntendedConnectionDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        Same("`Host` and `Port` before `Open`", one => one is { Npgsql: "Host = null" or "Port = Int32 0" } && one.Calls("Show(c")),
        Same("`FullState` under an open reader", one => one.Calls("Show(c") && one is
            { Npgsql: "FullState = ConnectionState Open, Executing", Loxo: "FullState = ConnectionState Open, Fetching" }),
        Ends("`ReloadTypes`", one => one.Calls(".ReloadTypes()") && one.Loxo == "nothing"
            && (one.Npgsql.Throws("PostgresException 25P02") || (one.WasReading && one.Says("Connection is busy")))),
        Ends("A connection string that was refused", one => one.Says("The ConnectionString property has not been initialized") && one.Did("Nonsense=1")),
        Ends("A command of a disposed connection", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "throws ObjectDisposedException" }
            && one.Says("Connection is not open") && one.Did(".Dispose()")),
        Ends("`StateChange` of a lost connection", one => one.Says("57P01") && one.Npgsql.Has("c0 is Closed") && one.Loxo.Has("c0 is Closed")),
        Ends("The connection after a failed command", one => one.Npgsql.Has("from Open to Closed") && !one.Loxo.Has(" to Closed")
            && !one.Calls("CloseConnection") && (one.Says("// 08") || (one.Messages.Length > 0 && !one.SaysServerError()))),
        Ends("`BeginTransaction` under an open reader", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "throws PgOperationInProgressException" }
            && one.Calls(".BeginTransaction")),
        Ends("`Dispose` of a transaction under a reader with `CloseConnection`", one => one.Calls("t.Dispose()") && one.ReaderIsOf("CloseConnection")
            && !one.ReaderIsClosed() && !one.Npgsql.Has("from Open to Closed") && one.Loxo.Has("from Open to Closed")),
        Ends("`UnprepareAll` under an open reader", one => one.Calls(".UnprepareAll()") && one.WasReading
            && one is { Npgsql: "throws InvalidOperationException", Loxo: "throws PgOperationInProgressException" }),
        Ends("`Dispose` of a transaction under a reader with an unread error", one => one.Calls("BeginTransaction") && one.Did("t.Dispose()")
            && one.Npgsql == "throws InvalidOperationException" && one.Says("A transaction is already in progress") && !one.Loxo.Throws()),
        Ends("`Commit` of a failed transaction", one => one.Loxo == "throws PgException" && one.Calls("t.Commit")),
        Ends("`Save`", one => one.Loxo.Throws("PostgresException 25P02") && one.Calls("t.Save")),
        Same("`Connection` of a transaction that is over", one => one.Calls("Show(t)")
            && one is { Npgsql: "Connection = String 'one'", Loxo: "Connection = String 'none'" }),
        Ends("A transaction that is over, in one that a command has begun", one => one.Npgsql == "nothing" && one.Loxo == "throws InvalidOperationException"
            && one.Calls("t.") && one.Did("\"\"\"BEGIN\"\"\"")),
        Ends("A transaction of a connection that was lost, or that a command closed with `CloseConnection`", one => one is { Npgsql: "throws ObjectDisposedException", Loxo: "throws InvalidOperationException" }
            && one.Calls("t.") && (one.Did("pg_terminate_backend") || one.Did("CloseConnection"))),
        Ends("`Commit` after COMMIT as text, under a reader", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "throws PgOperationInProgressException" }
            && one.Calls("t.") && one.Says("This NpgsqlTransaction has completed")),
        Same("Properties of a transaction that is over", one => one.Calls("Show(t)") && !one.Loxo.Throws() && one.Npgsql.Throws()),
    ];
}
