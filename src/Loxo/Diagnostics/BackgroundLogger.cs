using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>
/// Writes messages in the background, one after the other, each in the context of the call that logged it: a logger that blocks holds up
/// neither a renter nor the maintenance of a pool.
/// </summary>
internal sealed class BackgroundLogger(ILogger log) : ILogger, IThreadPoolWorkItem
{
    /// <summary>How many messages may wait for the logger; more are dropped, and their number is logged.</summary>
    public const int MaximumWaiting = 1000;

    private readonly ConcurrentQueue<(Action Write, ExecutionContext? Context)> _waiting = new();
    private int _count;
    private int _dropped;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => log.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel) => log.IsEnabled(logLevel);

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        int count;
        do
        {
            count = Volatile.Read(ref _count);
            // Not counted for a moment either: the writer would wait for it.
            if (count == MaximumWaiting)
            {
                Interlocked.Increment(ref _dropped);
                return;
            }
        }
        while (Interlocked.CompareExchange(ref _count, count + 1, count) != count);
        _waiting.Enqueue((() => log.Log(logLevel, eventId, state, exception, formatter), ExecutionContext.Capture()));
        // Whoever adds the first message starts the writer, which goes on until none is left.
        if (count == 0)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        do
        {
            (Action Write, ExecutionContext? Context) next;
            // The message is counted before it is added.
            while (!_waiting.TryDequeue(out next))
                Thread.Yield();
            if (next.Context is { } context)
                ExecutionContext.Run(context, static write => ((Action)write!)(), next.Write);
            else
                next.Write();
            if (Interlocked.Exchange(ref _dropped, 0) is var dropped && dropped > 0)
                PoolLog.Dropped(log, dropped);
        }
        while (Interlocked.Decrement(ref _count) > 0);
    }
}
