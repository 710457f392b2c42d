using System.Collections.Concurrent;
using System.Net.Sockets;

namespace Loxo.Transport;

/// <summary>
/// Waits for the sockets of many sessions with one <see cref="Epoll"/>, and resumes the callers for whom something has come.
/// </summary>
internal sealed class ReactorLoop : Loop, IThreadPoolWorkItem
{
    private readonly Epoll _epoll = new();
    private readonly ConcurrentDictionary<long, ReactorChannel> _channels = new();
    private readonly ConcurrentQueue<ReactorChannel> _pooled = new();
    private long _lastId;
    private int _isQueued;

    /// <summary>Begins to wait, as long as the process lives.</summary>
    public ReactorLoop(LoopCrew crew, ReactorContinuations continuations)
        : base(crew)
    {
        ResumesInPool = continuations == ReactorContinuations.ThreadPool;
        try
        {
            Start();
        }
        catch
        {
            _epoll.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override bool ResumesInPool { get; }

    /// <inheritdoc/>
    protected override bool IsAwaited => !ResumesInPool;

    /// <summary>The channel belongs to this loop.</summary>
    /// <returns>Its number.</returns>
    public long Add(ReactorChannel channel)
    {
        var id = Interlocked.Increment(ref _lastId);
        _channels[id] = channel;
        return id;
    }

    /// <summary>It is closed.</summary>
    public void Remove(long id) => _channels.TryRemove(id, out _);

    /// <inheritdoc cref="Epoll.Watch"/>
    public void Watch(SafeSocketHandle socket, Epoll.Events wanted, long id) => _epoll.Watch(socket, wanted, id);

    /// <inheritdoc cref="Epoll.Unwatch"/>
    public void Unwatch(SafeSocketHandle socket) => _epoll.Unwatch(socket);

    /// <summary>A caller waits for the loop, which may be busy with another one.</summary>
    public void Awaited() => Watch();

    /// <summary>The caller goes on in the thread pool. Those who come before it is there share the work item.</summary>
    public void ResumeInPool(ReactorChannel channel)
    {
        _pooled.Enqueue(channel);
        QueueWorkItem();
    }

    // Another worker takes over what this one leaves while a caller keeps it.
    void IThreadPoolWorkItem.Execute()
    {
        // Whoever finds it set has added a channel that the next line finds.
        Interlocked.Exchange(ref _isQueued, 0);
        var context = ExecutionContext.Capture()!;
        while (_pooled.TryDequeue(out var channel))
        {
            if (!_pooled.IsEmpty)
                QueueWorkItem();
            var use = ResumesInPool ? default : ThreadUse.Begin();
            channel.Resume();
            LoopThread.Restore(context);
            if (!ResumesInPool)
                NoteUse(channel, use);
        }
    }

    /// <inheritdoc/>
    protected override bool WaitForCallers()
    {
        var hasCallers = false;
        while (!hasCallers)
        {
            var count = _epoll.Wait();
            for (var i = 0; i < count; i++)
            {
                var (events, id) = _epoll.Report(i);
                // What was closed meanwhile may be reported once more.
                if (!_channels.TryGetValue(id, out var channel) || !channel.HasBecomeReady(events))
                    continue;
                Add((ILoopCaller)channel);
                hasCallers = true;
            }
        }
        return true;
    }

    /// <inheritdoc/>
    protected override void AllResumed()
    {
    }

    private void QueueWorkItem()
    {
        if (Interlocked.Exchange(ref _isQueued, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
