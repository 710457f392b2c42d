using System.Threading.Tasks.Sources;

namespace Loxo.Pooling.Core;

/// <summary>Someone who waits, seen by the one who wakes it.</summary>
internal interface IWaiter
{
    /// <summary>Blocks until <see cref="Signal"/> (true), or for so many milliseconds (false); -1 for no limit.</summary>
    bool Block(int milliseconds);

    /// <summary>Called once for each time it has waited.</summary>
    void Signal();
}

/// <summary>The pool in whose line a waiter stands.</summary>
internal interface IWaiterOwner<T>
    where T : class
{
    void OnCancelled(Waiter<T> waiter);
}

internal enum WaiterState
{
    /// <summary>Stands in the line.</summary>
    Waiting,

    /// <summary>Was handed a slot, or the permit to open a resource.</summary>
    Served,

    /// <summary>Its time was over.</summary>
    TimedOut,

    /// <summary>Its token was cancelled.</summary>
    Cancelled,

    /// <summary>The pool was disposed.</summary>
    Refused,
}

/// <summary>
/// A place in the line, for a blocking or an asynchronous renter. State, links and outcome are written under the pool's lock. Whoever takes
/// it out of the line, and nobody else, wakes it afterwards, outside of the lock. Continuations go to the thread pool: on the waker's
/// stack they would make a return as slow as whatever the next renter does.
/// </summary>
internal sealed class Waiter<T> : IWaiter, IValueTaskSource
    where T : class
{
    private ManualResetValueTaskSourceCore<bool> _source;
    private bool _blocks;
    private bool _signalled;

    public Waiter(IWaiterOwner<T> owner, bool resumesInline)
    {
        Owner = owner;
        _source.RunContinuationsAsynchronously = !resumesInline;
    }

    public IWaiterOwner<T> Owner { get; }

    /// <summary>The neighbours in the line; <see cref="Next"/> also in lists of those to wake and of those to use again.</summary>
    public Waiter<T>? Next;

    public Waiter<T>? Previous;

    public WaiterState State;

    /// <summary>What it was served; null for the permit to open a resource.</summary>
    public Slot<T>? Slot;

    /// <summary>The pool's generation when it was served.</summary>
    public int Generation;

    /// <summary>When its time is over, for those whom the pool's timer watches; long.MaxValue for the others.</summary>
    public long Deadline;

    /// <summary>To be awaited once. It never fails: <see cref="State"/> tells how it ended.</summary>
    public ValueTask Woken => new(this, _source.Version);

    public void Begin(bool blocks, long deadline)
    {
        _source.Reset();
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
            _source.SetResult(true);
            return;
        }
        lock (this)
        {
            _signalled = true;
            Monitor.Pulse(this);
        }
    }

    public void GetResult(short token) => _source.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
