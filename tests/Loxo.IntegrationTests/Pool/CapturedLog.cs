using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Keeps what is logged.</summary>
internal sealed class CapturedLog : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<Entry> _entries = [];

    /// <summary>What was logged under an event's number.</summary>
    public List<Entry> Of(int eventId) => [.. _entries.Where(entry => entry.EventId == eventId)];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _entries.Enqueue(new Entry(eventId.Id, logLevel, formatter(state, exception), exception));

    public void Dispose()
    {
    }

    internal sealed record Entry(int EventId, LogLevel Level, string Text, Exception? Error);
}
