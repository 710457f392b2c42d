using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of the pool, in the category <c>Loxo.Pool</c>. Event ids 2000 to 2099.</summary>
internal static partial class PoolLog
{
    public const string Category = "Loxo.Pool";

    [LoggerMessage(2000, LogLevel.Debug, "A session with {Host} was opened in {Milliseconds} ms (server process {ProcessId}).")]
    public static partial void Opened(ILogger log, string host, double milliseconds, int processId);

    [LoggerMessage(2001, LogLevel.Debug, "The session with server process {ProcessId} was closed: {Reason}.")]
    public static partial void Closed(ILogger log, int processId, string reason);

    [LoggerMessage(2002, LogLevel.Warning, "A session with {Host} could not be opened.")]
    public static partial void OpenFailed(ILogger log, string host, Exception error);

    [LoggerMessage(2003, LogLevel.Information, "The idle session with server process {ProcessId} had ended and is replaced.")]
    public static partial void Replaced(ILogger log, int processId, Exception? error);

    [LoggerMessage(2004, LogLevel.Error,
        "A connection was collected without having been closed; its session (server process {ProcessId}) is recovered after {Age}. Dispose "
        + "every connection. Last statement: {Statement}; {Stack}")]
    public static partial void Recovered(ILogger log, int processId, TimeSpan age, string statement, string stack);

    [LoggerMessage(2005, LogLevel.Warning,
        "Session Reset=Auto behaves as Always for database {Database}: {Routine} {Reason}. See docs/session-reset.md.")]
    public static partial void AutoIsAlways(ILogger log, string database, string routine, string reason);

    [LoggerMessage(2006, LogLevel.Warning,
        "Session Reset=Auto behaves as Always for database {Database}: the database could not be looked through ({Error}).")]
    public static partial void AuditFailed(ILogger log, string database, string error);

    [LoggerMessage(2007, LogLevel.Warning,
        "A session with database {Database} (server process {ProcessId}) was changed in a way that Session Reset=Auto would not have "
        + "undone: {Differences}. "
        + "Statements that ran on it: {Statements}. See docs/session-reset.md.")]
    public static partial void SessionLeaked(ILogger log, string database, int processId, string differences, string statements);

    [LoggerMessage(2009, LogLevel.Warning,
        "A connection (server process {ProcessId}) has been open for {Age}, longer than the leak threshold of {Threshold}, and may never "
        + "be closed. Last statement: {Statement}; {Stack}")]
    public static partial void Overdue(ILogger log, int processId, TimeSpan age, TimeSpan threshold, string statement, string stack);

    [LoggerMessage(2008, LogLevel.Warning, "Session Reset=Verify could not read the state of a session with database {Database}: {Error}.")]
    public static partial void VerificationFailed(ILogger log, string database, string error);

    [LoggerMessage(2011, LogLevel.Warning,
        "The server {Host} does not know the statements by which a session is reset ({Error}), so DISCARD ALL is sent instead. It also "
        + "forgets prepared statements. See docs/clusters.md.")]
    public static partial void ResetIsDiscardAll(ILogger log, string host, string error);

    [LoggerMessage(2012, LogLevel.Warning,
        "The server {Host} cannot reset a session ({Error}), so a session that may have been changed is closed instead of going back to "
        + "the pool. 'Session Reset=Never' keeps it as it was left. See docs/clusters.md.")]
    public static partial void ResetRefused(ILogger log, string host, string error);

    [LoggerMessage(2010, LogLevel.Warning,
        "{Count} messages of the pool were dropped, because the logger took too long over earlier ones.")]
    public static partial void Dropped(ILogger log, int count);
}
