using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of transactions, in the category <c>Loxo.Transaction</c>. Event ids 2200 to 2299.</summary>
internal static partial class TransactionLog
{
    public const string Category = "Loxo.Transaction";

    [LoggerMessage(2200, LogLevel.Error,
        "The prepared transaction {Id} is left on the server, because another participant does not know the outcome of the transaction. "
        + "Find out whether that has committed, and run COMMIT PREPARED or ROLLBACK PREPARED.")]
    public static partial void LeftInDoubt(ILogger log, string id);

    [LoggerMessage(2202, LogLevel.Debug, "A transaction was begun (server process {ConnectionId}, isolation level {IsolationLevel}).")]
    public static partial void Begun(ILogger log, int connectionId, string isolationLevel);

    [LoggerMessage(2203, LogLevel.Debug, "The transaction was committed (server process {ConnectionId}).")]
    public static partial void Committed(ILogger log, int connectionId);

    [LoggerMessage(2204, LogLevel.Debug, "The transaction was rolled back (server process {ConnectionId}).")]
    public static partial void RolledBack(ILogger log, int connectionId);

    [LoggerMessage(2201, LogLevel.Error,
        "The prepared transaction {Id} could not be ended and may be left on the server. When the server can be reached, run: {Sql}")]
    public static partial void NotEnded(ILogger log, string id, string sql, Exception? error);
}
