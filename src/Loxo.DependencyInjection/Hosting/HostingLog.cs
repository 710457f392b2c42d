using Microsoft.Extensions.Logging;

namespace Loxo.Hosting;

/// <summary>The log messages of warm-up and drain, in the category <c>Loxo.Hosting</c>. Event ids 2900 to 2999.</summary>
internal static partial class HostingLog
{
    public const string Category = "Loxo.Hosting";

    [LoggerMessage(2900, LogLevel.Information, "The pool '{Pool}' was warmed up to {Count} connections.")]
    public static partial void WarmedUp(ILogger log, string? pool, int count);

    [LoggerMessage(2901, LogLevel.Warning, "The pool '{Pool}' could not be warmed up; the start goes on without.")]
    public static partial void WarmUpFailed(ILogger log, string? pool, Exception error);

    [LoggerMessage(2902, LogLevel.Information, "All connections of the pool '{Pool}' have come back and are closed.")]
    public static partial void Drained(ILogger log, string pool);

    [LoggerMessage(2903, LogLevel.Warning,
        "The pool '{Pool}' still had {Count} connections in use when its time to drain was over; each is closed when it comes back.")]
    public static partial void NotDrained(ILogger log, string pool, int count);
}
