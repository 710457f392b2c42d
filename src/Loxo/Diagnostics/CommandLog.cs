using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of commands and batches, in the category <c>Loxo.Command</c>. Event ids 2500 to 2599.</summary>
internal static partial class CommandLog
{
    public const string Category = "Loxo.Command";

    [LoggerMessage(2500, LogLevel.Information, "Executed in {Milliseconds} ms: {Statement}{Parameters}")]
    public static partial void Executed(ILogger log, double milliseconds, string statement, string parameters);

    [LoggerMessage(2501, LogLevel.Warning, "Slow, {Milliseconds} ms: {Statement}{Parameters}")]
    public static partial void Slow(ILogger log, double milliseconds, string statement, string parameters);

    [LoggerMessage(2502, LogLevel.Error, "Failed after {Milliseconds} ms: {Statement}{Parameters}")]
    public static partial void Failed(ILogger log, double milliseconds, string statement, string parameters, Exception error);

    /// <summary>A text as it is logged: a long one is cut.</summary>
    public static string Shown(string text) => LaneLog.Shown(text);
}
