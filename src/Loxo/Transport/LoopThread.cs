namespace Loxo.Transport;

/// <summary>
/// A thread that leads a <see cref="Transport.Loop"/>, or resumes its callers while another one leads it, or resumes one caller apart, or
/// stands by.
/// </summary>
internal sealed class LoopThread(LoopCrew crew)
{
    private const int StandbyMilliseconds = 10_000;

    private static readonly ManualResetEvent _set = new(true);

    [ThreadStatic]
    private static LoopThread? _current;

    // An object and not a Lock, which cannot be waited on.
    private readonly object _standing = new();
    private ExecutionContext? _context;
    private bool _isCalled;

    /// <summary>The calling thread; null if it is no loop's.</summary>
    public static LoopThread? Current => _current;

    /// <summary>The loop; null while it stands by or resumes a caller apart, and for the end.</summary>
    public Loop? Loop { get; private set; }

    /// <summary>What it is doing.</summary>
    public ThreadActivity Activity { get; private set; } = null!;

    /// <summary>Its number as the leader: see <see cref="Loop.Run"/>.</summary>
    public long Lead { get; set; }

    /// <summary>The caller that it resumes, or has resumed last.</summary>
    public ILoopCaller? Caller { get; private set; }

    /// <summary>Whether a caller has kept it in this round.</summary>
    public bool IsKept { get; set; }

    /// <summary>Resumes a caller.</summary>
    public void Resume(ILoopCaller caller)
    {
        Caller = caller;
        caller.Resume();
        Restore(_context!);
    }

    /// <summary>Undoes what a caller has left on the calling thread for the next one.</summary>
    /// <param name="context">The thread's before the caller.</param>
    public static void Restore(ExecutionContext context)
    {
        if (SynchronizationContext.Current is not null)
            SynchronizationContext.SetSynchronizationContext(null);
        if (ExecutionContext.Capture() != context)
            ExecutionContext.Restore(context);
    }

    /// <summary>
    /// An interrupt that came when its caller had gone is nobody's. This takes a third of a microsecond: it is for threads that a caller
    /// has kept, because nobody interrupts the others.
    /// </summary>
    public static void ForgetInterrupt() => Uninterrupted(static () => _set.WaitOne(0));

    /// <summary>Ends the standby; without a loop and a caller, the thread ends.</summary>
    /// <param name="loop">What it leads; null if it resumes a caller.</param>
    /// <param name="lead">The number of the lead.</param>
    /// <param name="apart">The caller that it resumes; null if it leads a loop.</param>
    public void Call(Loop? loop, long lead, ILoopCaller? apart)
    {
        lock (_standing)
        {
            (Loop, Lead, Caller, _isCalled) = (loop, lead, apart, true);
            Monitor.Pulse(_standing);
        }
    }

    /// <summary>Stands by until it is called, again and again.</summary>
    public void Live()
    {
        _current = this;
        Activity = new ThreadActivity();
        _context = ExecutionContext.Capture();
        for (Uninterrupted(AwaitCall); Loop is not null || Caller is not null; Uninterrupted(AwaitCall))
        {
            if (Loop is { } loop)
                loop.Run(this);
            else
                ResumeApart(Caller!);
            (Loop, Caller) = (null, null);
            ForgetInterrupt();
            Uninterrupted(() => crew.StandBy(this));
        }
        _current = null;
    }

    private void ResumeApart(ILoopCaller caller)
    {
        var use = ThreadUse.Begin();
        Resume(caller);
        Loop.NoteUse(caller, use);
        crew.EndedApart();
    }

    // On a thread that nobody uses, again if an interrupt ends it.
    private static void Uninterrupted(Action step)
    {
        while (true)
        {
            try
            {
                step();
                return;
            }
            catch (ThreadInterruptedException)
            {
                // As above.
            }
        }
    }

    private void AwaitCall()
    {
        lock (_standing)
        {
            while (!_isCalled)
            {
                if (!Monitor.Wait(_standing, StandbyMilliseconds) && crew.TryDismiss(this))
                    return;
            }
            _isCalled = false;
        }
    }
}
