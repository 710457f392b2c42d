using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Loxo.DependencyInjectionTests;

/// <summary>A logger factory that keeps every message.</summary>
internal sealed class RecordedLog : ILoggerFactory, ILoggerProvider
{
    public ConcurrentQueue<(string Category, LogLevel Level, int EventId, string Text)> Messages { get; } = [];

    public ILogger CreateLogger(string categoryName) => new Recorder(this, categoryName);

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    private sealed class Recorder(RecordedLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            log.Messages.Enqueue((category, logLevel, eventId.Id, $"{formatter(state, exception)} {exception?.Message}"));
    }
}
