using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Diagnostics;

/// <summary>The user's loggers, whose exceptions are no errors of what is logged.</summary>
internal sealed class SafeLoggers : ILoggerFactory
{
    private readonly ILoggerFactory _loggers;

    private SafeLoggers(ILoggerFactory loggers) => _loggers = loggers;

    /// <summary>Those of a factory; for null, loggers that log nothing.</summary>
    public static ILoggerFactory Of(ILoggerFactory? loggers) =>
        loggers is null or NullLoggerFactory ? NullLoggerFactory.Instance : new SafeLoggers(loggers);

    public ILogger CreateLogger(string categoryName) => new SafeLogger(_loggers.CreateLogger(categoryName));

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("Add providers to the factory itself.");

    // The factory is the user's.
    public void Dispose()
    {
    }

    private sealed class SafeLogger(ILogger log) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull
        {
            try
            {
                return log.BeginScope(state) is { } scope ? new SafeScope(scope) : null;
            }
            catch (Exception)
            {
                return null;
            }
        }

        public bool IsEnabled(LogLevel logLevel)
        {
            try
            {
                return log.IsEnabled(logLevel);
            }
            catch (Exception)
            {
                return false;
            }
        }

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            try
            {
                log.Log(logLevel, eventId, state, exception, formatter);
            }
            catch (Exception)
            {
                // As the class says.
            }
        }
    }

    private sealed class SafeScope(IDisposable scope) : IDisposable
    {
        public void Dispose()
        {
            try
            {
                scope.Dispose();
            }
            catch (Exception)
            {
                // As the class says.
            }
        }
    }
}
