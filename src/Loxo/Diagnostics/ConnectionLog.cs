using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>
/// The log messages of connections as the program opens and closes them, in the category <c>Loxo.Connection</c>. Event ids 2700 to 2799.
/// </summary>
internal static partial class ConnectionLog
{
    public const string Category = "Loxo.Connection";

    [LoggerMessage(2700, LogLevel.Debug, "A connection was opened (server process {ConnectionId}; 0 for none of its own).")]
    public static partial void Opened(ILogger log, int connectionId);

    [LoggerMessage(2701, LogLevel.Debug, "A connection was closed (server process {ConnectionId}; 0 for none of its own).")]
    public static partial void Closed(ILogger log, int connectionId);

    [LoggerMessage(2702, LogLevel.Error, "A connection could not be opened.")]
    public static partial void OpenFailed(ILogger log, Exception error);
}
