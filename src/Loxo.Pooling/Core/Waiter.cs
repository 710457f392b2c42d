using System.Diagnostics;
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

/// <summary>Turns what a waiter was handed into a rental, for an asynchronous renter.</summary>
internal interface ILineRenter<T>
    where T : class
{
    /// <summary>The waiter was woken: completes <see cref="Waiter{T}.Rented"/>, on the thread on which the renter goes on.</summary>
    void GoOn(Waiter<T> waiter);

    /// <summary>As <see cref="GoOn"/>, where it has to ask the policy. Called in the renter's context.</summary>
    void Prepare(Waiter<T> waiter);

    /// <summary>The renter rents the slot. Nobody else uses the waiter any more.</summary>
    Rental<T> Rent(Waiter<T> waiter, Slot<T> slot, StackTrace? stack);

    /// <summary>The renter gets an error instead. Nobody else uses the waiter any more.</summary>
    void Spare(Waiter<T> waiter);
}

/// <summary>
/// A place in the line, for a blocking or an asynchronous renter. State, links and outcome are written under the pool's lock. The thread
/// that takes a waiter out of the line wakes it afterwards, outside of the lock. Asynchronous renters go on in the thread pool: on the
/// waking thread, they would make a return as slow as the next renter's work. The policy may choose another place.
/// </summary>
internal sealed class Waiter<T> : IWaiter, IValueTaskSource, IValueTaskSource<Rental<T>>, IThreadPoolWorkItem
    where T : class
{
    private readonly PolicyNotices<T> _policy;
    private readonly bool _resumesInline;
    private ManualResetValueTaskSourceCore<bool> _source;
    private ILineRenter<T>? _renter;
    private ExecutionContext? _context;
    private bool _blocks;
    private bool _signalled;

    public Waiter(Action<Waiter<T>> cancel, PolicyNotices<T> policy, bool resumesInline)
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

    /// <summary>What the renter asked for that has <see cref="Rented"/>.</summary>
    public RentRequest Request { get; private set; }

    /// <summary>Completes when the waiter is woken. To be awaited once; <see cref="State"/> tells the outcome.</summary>
    public ValueTask Woken => new(this, _source.Version);

    /// <summary>Completes with what was rented. To be awaited once, in the place of <see cref="Woken"/>.</summary>
    public ValueTask<Rental<T>> Rented => new(this, _source.Version);

    /// <param name="blocks">Whether the renter blocks.</param>
    /// <param name="deadline">See <see cref="Deadline"/>.</param>
    /// <param name="renter">Makes the rental, if the renter awaits <see cref="Rented"/>; null if it looks at the outcome itself.</param>
    /// <param name="request">What the renter asks for, if it awaits <see cref="Rented"/>.</param>
    public void Begin(bool blocks, long deadline, ILineRenter<T>? renter, in RentRequest request)
    {
        if (renter is not null)
            (Request, _context) = (request, ExecutionContext.Capture());
        (_blocks, _signalled, _renter) = (blocks, false, renter);
        (State, Slot, Deadline) = (WaiterState.Waiting, null, deadline);
    }

    /// <summary>Keeps nothing of the renter, which gets nothing more.</summary>
    public void Forget()
    {
        _source.Reset();
        Slot = null;
        if (_renter is not null)
            (Request, _context) = (default, null);
    }

    public bool Block(int milliseconds)
    {
        // On a busy machine the other threads get the processor, and one of them may give back what this one waits for: no thread has to be
        // woken then.
        if (!Volatile.Read(ref _signalled))
            Thread.Yield();
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
            if (_resumesInline)
                Resume();
            // Not into the stack of the calling worker, from which the last renter would go on first, and the first one hardly ever.
            else if (!_policy.TryResume(this))
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return;
        }
        Uninterrupted.Run(static waiter =>
        {
            lock (waiter)
            {
                waiter._signalled = true;
                Monitor.Pulse(waiter);
            }
        }, this);
    }

    /// <summary>Goes on in the renter's context.</summary>
    public void Prepare()
    {
        if (_context is null)
            _renter!.Prepare(this);
        else
            ExecutionContext.Run(_context, static waiter => ((Waiter<T>)waiter!)._renter!.Prepare((Waiter<T>)waiter), this);
    }

    /// <summary>The renter goes on.</summary>
    public void Complete() => _source.SetResult(true);

    /// <summary>The renter goes on with an error.</summary>
    public void Fail(Exception error) => _source.SetException(error);

    void IThreadPoolWorkItem.Execute() => Resume();

    void IValueTaskSource.GetResult(short token) => _source.GetResult(token);

    Rental<T> IValueTaskSource<Rental<T>>.GetResult(short token)
    {
        // Nothing is touched by a caller that comes too early, or a second time.
        if (_source.GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw new InvalidOperationException("The rental is to be awaited: it has no result yet.");
        try
        {
            _source.GetResult(token);
        }
        catch
        {
            _renter!.Spare(this);
            throw;
        }
        return _renter!.Rent(this, Slot!, Request.Stack);
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private void Resume()
    {
        if (_renter is { } renter)
            renter.GoOn(this);
        else
            Complete();
    }
}
