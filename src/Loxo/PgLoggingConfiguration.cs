using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>Where connections log that are made from a connection string, without a data source of the program's own.</summary>
public static class PgLoggingConfiguration
{
    private static volatile Settings _current = new(null, ShowsParameters: false);

    internal static ILoggerFactory? LoggerFactory => _current.LoggerFactory;

    internal static bool ShowsParameters => _current.ShowsParameters;

    /// <summary>
    /// Sets where such connections log. Call it before the first of them is opened: a connection string that has been used goes on as
    /// before. Data sources that a builder makes log where <c>UseLoggerFactory</c> of the builder says.
    /// </summary>
    /// <param name="loggerFactory">Makes the loggers.</param>
    /// <param name="parameterLoggingEnabled">
    /// Whether log messages of commands show the values of parameters, which may be secret. The default is false.
    /// </param>
    public static void InitializeLogging(ILoggerFactory loggerFactory, bool parameterLoggingEnabled = false)
    {
        ArgumentNullException.ThrowIfNull(loggerFactory);
        _current = new Settings(loggerFactory, parameterLoggingEnabled);
    }

    private sealed record Settings(ILoggerFactory? LoggerFactory, bool ShowsParameters);
}
