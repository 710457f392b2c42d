using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of listening for a data source, in the category <c>Loxo.Notifications</c>. Event ids 2100 to 2199.</summary>
internal static partial class NotificationLog
{
    public const string Category = "Loxo.Notifications";

    [LoggerMessage(2100, LogLevel.Debug, "Server process {ProcessId} sends notifications of {Count} channels.")]
    public static partial void Listening(ILogger log, int processId, int count);

    [LoggerMessage(2101, LogLevel.Warning,
        "The connection for notifications was lost or could not be opened; the next attempt is in {Delay}.")]
    public static partial void Lost(ILogger log, TimeSpan delay, Exception error);

    [LoggerMessage(2102, LogLevel.Error, "The connection for notifications was given up, and its readers end with this error.")]
    public static partial void GivenUp(ILogger log, Exception error);
}
