namespace Loxo.Transport;

/// <summary>The threads of <see cref="Loop"/>s: those that lead one, and others that stand by in case a caller keeps a leader.</summary>
internal sealed class LoopCrew
{
    /// <summary>A loop that has nothing to do is looked at so many times before it is not watched any more.</summary>
    public const int MostLooksInVain = 4;

    // A caller may keep a leader from others for one to two of these, in the grain of the system's clock.
    private const int LookMilliseconds = 1;

    // So many callers may keep a thread of the crew. Beyond that all callers are resumed in the thread pool.
    private const int MostKept = 32;
    // So many that are expected to do so continue on a thread of their own, and others in the thread pool.
    private const int MostApart = 16;

    private readonly bool _looks;
    private readonly Lock _lock = new();
    private readonly List<LoopThread> _standby = [];
    // An object and not a Lock, which cannot be waited on.
    private readonly object _watch = new();
    // As well. Nobody pulses it.
    private readonly object _pause = new();
    private readonly List<IWatched> _watched = [];
    private bool _hasWatch;
    private int _kept;
    private int _apart;
    private bool _hasEnded;

    /// <summary>Begins without threads.</summary>
    /// <param name="looks">Whether a thread of its own looks at what is watched.</param>
    public LoopCrew(bool looks) => _looks = looks;

    /// <summary>The crew of the process.</summary>
    public static LoopCrew Shared { get; } = new(looks: true);

    /// <summary>Whether several threads can run at once.</summary>
    public bool HasSeveralCores { get; init; } = Environment.ProcessorCount > 1;

    /// <summary>The number of threads that stand by.</summary>
    public int StandingBy
    {
        get
        {
            lock (_lock)
                return _standby.Count;
        }
    }

    /// <summary>Whether callers keep so many threads that the others are resumed in the thread pool.</summary>
    public bool IsFull => Volatile.Read(ref _kept) >= MostKept;

    /// <summary>Starts a thread. It throws when the system has none left.</summary>
    public Action<Thread> StartThread { get; init; } = static thread => thread.UnsafeStart();

    /// <summary>A thread that stands by, or a new one, for the caller to call. Null when the system has none left.</summary>
    public LoopThread? TryTake()
    {
        lock (_lock)
        {
            if (_standby.Count > 0)
            {
                var standing = _standby[^1];
                _standby.RemoveAt(_standby.Count - 1);
                return standing;
            }
        }
        var thread = new LoopThread(this);
        return TryStart(thread.Live, "Loxo loop") ? thread : null;
    }

    /// <summary>Resumes a caller on a thread that leads nothing, or in the thread pool if there are too many.</summary>
    public void ResumeApart(ILoopCaller caller)
    {
        if (Interlocked.Increment(ref _apart) <= MostApart && TryTake() is { } thread)
        {
            thread.Call(null, 0, caller);
            return;
        }
        EndedApart();
        caller.ResumeInPool();
    }

    /// <summary>The caller has gone.</summary>
    public void EndedApart() => Interlocked.Decrement(ref _apart);

    /// <summary>A leader has been replaced: its caller keeps it, or its round takes long.</summary>
    public void Kept() => Interlocked.Increment(ref _kept);

    /// <summary>It has come back.</summary>
    public void Returned() => Interlocked.Decrement(ref _kept);

    /// <summary>The thread has nothing to do.</summary>
    public void StandBy(LoopThread thread)
    {
        lock (_lock)
        {
            if (!_hasEnded)
            {
                _standby.Add(thread);
                return;
            }
        }
        thread.Call(null, 0, null);
    }

    /// <summary>Whether the thread, which has stood by for long, may end. It may not if it has just been called.</summary>
    public bool TryDismiss(LoopThread thread)
    {
        lock (_lock)
            return _standby.Remove(thread);
    }

    /// <summary>Looks at it from now on until it has nothing to do. False when the system has no thread left for that.</summary>
    public bool TryWatch(IWatched watched)
    {
        lock (_watch)
        {
            if (!_hasWatch && _looks && !TryStart(KeepLooking, "Loxo loop watch"))
                return false;
            _hasWatch = true;
            _watched.Add(watched);
            if (_watched.Count == 1)
                Monitor.Pulse(_watch);
            return true;
        }
    }

    /// <summary>The watch sees the leader for the first time with the caller that it resumes.</summary>
    public void SeesCaller(LoopThread leader)
    {
        if (_looks)
            leader.Activity.Begin();
    }

    /// <summary>Whether the leader, which still resumes that caller, waits for a processor.</summary>
    public bool IsStarved(LoopThread leader) => _looks && leader.Activity.IsStarved();

    /// <summary>Looks once at all that is watched.</summary>
    public void Look()
    {
        for (var i = 0; WatchedAt(i) is { } watched;)
        {
            if (watched.Look())
                i++;
            else
                Unwatch(watched);
        }
    }

    /// <summary>The threads that stand by end.</summary>
    public void End()
    {
        LoopThread[] threads;
        lock (_lock)
        {
            _hasEnded = true;
            threads = [.. _standby];
            _standby.Clear();
        }
        foreach (var thread in threads)
            thread.Call(null, 0, null);
    }

    private IWatched? WatchedAt(int index)
    {
        lock (_watch)
            return index < _watched.Count ? _watched[index] : null;
    }

    // It may be watched again meanwhile, and is in the list twice then.
    private void Unwatch(IWatched watched)
    {
        lock (_watch)
            _watched.Remove(watched);
    }

    // A thousand times a second while callers go on: on Linux a single system call.
    private void Pause()
    {
        if (OperatingSystem.IsLinux())
        {
            LinuxSocket.Sleep(LookMilliseconds);
            return;
        }
        lock (_pause)
            Monitor.Wait(_pause, LookMilliseconds);
    }

    private void KeepLooking()
    {
        while (true)
        {
            lock (_watch)
            {
                while (_watched.Count == 0)
                    Monitor.Wait(_watch);
            }
            Pause();
            Look();
        }
    }

    // As the thread pool does, which goes on with the threads that it has.
    private bool TryStart(ThreadStart code, string name)
    {
        try
        {
            StartThread(new Thread(code) { IsBackground = true, Name = name });
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }
}
