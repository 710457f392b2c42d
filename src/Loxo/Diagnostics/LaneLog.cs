using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>The log messages of lanes, in the category <c>Loxo.Lanes</c>. Event ids 2300 to 2399.</summary>
internal static partial class LaneLog
{
    public const string Category = "Loxo.Lanes";

    // Of a statement's text.
    private const int MostCharacters = 2000;

    [LoggerMessage(2300, LogLevel.Debug,
        "A command took a session of its own instead of a lane ({Reason}): {Statement}", SkipEnabledCheck = true)]
    public static partial void OwnSession(ILogger log, string reason, string statement);

    [LoggerMessage(2301, LogLevel.Debug,
        "A lane could not be opened. Commands take sessions of their own, and it is tried again with one of the next.")]
    public static partial void OpenFailed(ILogger log, Exception error);

    [LoggerMessage(2302, LogLevel.Debug,
        "A blocking call could not open a session for a lane. The lane uses one that an asynchronous call has opened, which costs more.")]
    public static partial void OpenedAsynchronously(ILogger log, Exception error);

    /// <summary>A text as it is logged: a long one is cut.</summary>
    public static string Shown(string text) => text.Length <= MostCharacters ? text : text[..MostCharacters] + "...";
}
