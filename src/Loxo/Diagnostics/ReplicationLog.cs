using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of streams of changes, in the category <c>Loxo.Replication</c>. Event ids 2400 to 2499.</summary>
internal static partial class ReplicationLog
{
    public const string Category = "Loxo.Replication";

    [LoggerMessage(2400, LogLevel.Debug, "Server process {ProcessId} sends the changes of slot '{Slot}'.")]
    public static partial void Reading(ILogger log, string slot, int processId);

    [LoggerMessage(2402, LogLevel.Debug, "A replication connection was opened (server process {ProcessId}).")]
    public static partial void Opened(ILogger log, int processId);

    [LoggerMessage(2403, LogLevel.Information, "Server process {ProcessId} runs: {Command}")]
    public static partial void Running(ILogger log, int processId, string command);

    [LoggerMessage(2404, LogLevel.Debug, "The replication connection was closed (server process {ProcessId}).")]
    public static partial void Closed(ILogger log, int processId);

    [LoggerMessage(2401, LogLevel.Warning,
        "The connection for the changes of slot '{Slot}' was lost or could not be opened; the next attempt is in {Delay}.")]
    public static partial void Lost(ILogger log, string slot, TimeSpan delay, Exception error);
}
