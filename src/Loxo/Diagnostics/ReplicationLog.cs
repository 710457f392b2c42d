using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of streams of changes, in the category <c>Loxo.Replication</c>. Event ids 2400 to 2499.</summary>
internal static partial class ReplicationLog
{
    public const string Category = "Loxo.Replication";

    [LoggerMessage(2400, LogLevel.Debug, "Server process {ProcessId} sends the changes of slot '{Slot}'.")]
    public static partial void Reading(ILogger log, string slot, int processId);

    [LoggerMessage(2401, LogLevel.Warning,
        "The connection for the changes of slot '{Slot}' was lost or could not be opened; the next attempt is in {Delay}.")]
    public static partial void Lost(ILogger log, string slot, TimeSpan delay, Exception error);
}
