using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of copies, in the category <c>Loxo.Copy</c>. Event ids 2600 to 2699.</summary>
internal static partial class CopyLog
{
    public const string Category = "Loxo.Copy";

    [LoggerMessage(2600, LogLevel.Information, "Copied in {Milliseconds} ms: {Statement}")]
    public static partial void Copied(ILogger log, double milliseconds, string statement);

    [LoggerMessage(2601, LogLevel.Warning, "Slow copy, {Milliseconds} ms: {Statement}")]
    public static partial void Slow(ILogger log, double milliseconds, string statement);

    [LoggerMessage(2602, LogLevel.Error, "The copy failed after {Milliseconds} ms: {Statement}")]
    public static partial void Failed(ILogger log, double milliseconds, string statement, Exception error);
}
