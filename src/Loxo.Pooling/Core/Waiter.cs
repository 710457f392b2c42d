using System.Threading.Tasks.Sources;

namespace Loxo.Pooling.Core;

/// <summary>A waiter without its type parameter, for <see cref="ISteps"/>.</summary>
internal interface IWaiter
{
    /// <summary>Blocks until <see cref="Signal"/> (true), or for so many milliseconds (false); -1 for no limit.</summary>
    bool Block(int milliseconds);

    /// <summary>Wakes the waiter. Called once for each wait.</summary>
    void Signal();
}

internal enum WaiterState
{
    /// <summary>It stands in the line.</summary>
    Waiting,

    /// <summary>It was handed a slot, or the permit to open a resource.</summary>
    Served,

    /// <summary>Its time was over.</summary>
    TimedOut,

    /// <summary>Its token was cancelled.</summary>
    Cancelled,

    /// <summary>The pool was disposed.</summary>
    Refused,
}

/// <summary>
/// A place in the line, for a blocking or an asynchronous renter. State, links and outcome are written under the pool's lock. The thread
/// that takes a waiter out of the line wakes it afterwards, outside of the lock. Continuations go to the thread pool: run by the waking
/// thread, they would make a return as slow as the next renter's work. The policy may choose another place.
/// </summary>
internal sealed class Waiter<T> : IWaiter, IValueTaskSource, IThreadPoolWorkItem
    where T : class
{
    private readonly ResourcePolicy<T> _policy;
    private readonly bool _resumesInline;
    private ManualResetValueTaskSourceCore<bool> _source;
    private bool _blocks;
    private bool _signalled;

    public Waiter(Action<Waiter<T>> cancel, ResourcePolicy<T> policy, bool resumesInline)
    {
        Cancel = cancel;
        _policy = policy;
        _resumesInline = resumesInline;
    }

    /// <summary>Takes a waiter out of the line because its token was cancelled.</summary>
    public Action<Waiter<T>> Cancel { get; }

    /// <summary>The neighbours in the line. <see cref="Next"/> also links the waiters to wake and the spare waiters.</summary>
    public Waiter<T>? Next;

    public Waiter<T>? Previous;

    public WaiterState State;

    /// <summary>The slot that it was handed; null for the permit to open a resource.</summary>
    public Slot<T>? Slot;

    /// <summary>The pool's generation when it was served.</summary>
    public int Generation;

    /// <summary>When it times out, if the pool's timer watches it; long.MaxValue otherwise.</summary>
    public long Deadline;

    /// <summary>Completes when the waiter is woken. To be awaited once; <see cref="State"/> tells the outcome.</summary>
    public ValueTask Woken => new(this, _source.Version);

    public void Begin(bool blocks, long deadline)
    {
        _source.Reset();
        _source.RunContinuationsAsynchronously = !_resumesInline;
        (_blocks, _signalled) = (blocks, false);
        (State, Slot, Deadline) = (WaiterState.Waiting, null, deadline);
    }

    public bool Block(int milliseconds)
    {
        lock (this)
        {
            var end = milliseconds < 0 ? long.MaxValue : Environment.TickCount64 + milliseconds;
            while (!_signalled)
            {
                var left = end == long.MaxValue ? Timeout.Infinite : (int)Math.Max(0, end - Environment.TickCount64);
                if (!Monitor.Wait(this, left) && !_signalled)
                    return false;
            }
            return true;
        }
    }

    public void Signal()
    {
        if (!_blocks)
        {
            if (_resumesInline || !_policy.TryResume(this))
                _source.SetResult(true);
            return;
        }
        lock (this)
        {
            _signalled = true;
            Monitor.Pulse(this);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        _source.RunContinuationsAsynchronously = false;
        _source.SetResult(true);
    }

    public void GetResult(short token) => _source.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
