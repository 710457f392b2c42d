namespace Loxo.Transport;

/// <summary>A thread that leads a <see cref="Transport.Loop"/>, or resumes its callers while another one leads it, or stands by.</summary>
internal sealed class LoopThread(LoopCrew crew)
{
    private const int StandbyMilliseconds = 10_000;

    [ThreadStatic]
    private static LoopThread? _current;

    // An object and not a Lock, which cannot be waited on.
    private readonly object _standing = new();
    private ExecutionContext? _context;
    private bool _isCalled;

    /// <summary>The calling thread; null if it is no loop's.</summary>
    public static LoopThread? Current => _current;

    /// <summary>The loop; null while it stands by, and for the end.</summary>
    public Loop? Loop { get; private set; }

    /// <summary>What it is doing.</summary>
    public ThreadActivity Activity { get; private set; } = null!;

    /// <summary>Its number as the leader: see <see cref="Loop.Run"/>.</summary>
    public long Lead { get; set; }

    /// <summary>Undoes what a caller has left on the thread for the next one.</summary>
    public void Restore()
    {
        if (SynchronizationContext.Current is not null)
            SynchronizationContext.SetSynchronizationContext(null);
        if (ExecutionContext.Capture() != _context)
            ExecutionContext.Restore(_context!);
    }

    /// <summary>Starts the thread, without the context of whoever needs it.</summary>
    public void Start(Loop loop, long lead)
    {
        (Loop, Lead) = (loop, lead);
        new Thread(Live) { IsBackground = true, Name = "Loxo loop" }.UnsafeStart();
    }

    /// <summary>Ends the standby.</summary>
    /// <param name="loop">What it leads from here on; null for the end of the thread.</param>
    /// <param name="lead">The number of the lead.</param>
    public void Call(Loop? loop, long lead)
    {
        lock (_standing)
        {
            (Loop, Lead, _isCalled) = (loop, lead, true);
            Monitor.Pulse(_standing);
        }
    }

    private void Live()
    {
        _current = this;
        Activity = new ThreadActivity();
        _context = ExecutionContext.Capture();
        while (Loop is { } loop)
        {
            loop.Run(this);
            Loop = null;
            crew.StandBy(this);
            AwaitCall();
        }
        _current = null;
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
