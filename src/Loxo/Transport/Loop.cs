using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Loxo.Transport;

/// <summary>
/// Waits for something again and again, and resumes the callers that have waited for it on the thread that waits: no work item is
/// queued, and no other thread is woken.
/// </summary>
/// <remarks>
/// A caller may keep its thread for any time. Then another thread of the <see cref="LoopCrew"/> leads the loop, and the first one
/// comes back to the crew when its caller has gone. For a while such a caller goes on on a thread of the crew that leads nothing. If it
/// cannot be told from others, those of the loop go on in the thread pool; so they do if many of them take long.
/// </remarks>
/// <param name="crew">The threads.</param>
internal abstract class Loop(LoopCrew crew) : IWatched
{
    /// <summary>For so long callers are resumed elsewhere.</summary>
    public const int ElsewhereMilliseconds = 1000;

    // So many callers that cannot be told from others may keep the thread in a row before all are resumed in the thread pool. Blocks that
    // are further apart than the time above are not in a row.
    private const int MostBlocks = 3;
    // Callers that run longer on average are better distributed over the cores. A hop to the thread pool takes one or two.
    private const int MostMicroseconds = 20;

    private readonly Lock _lock = new();
    private readonly Queue<ILoopCaller> _ready = new();
    // Even while the leader waits, odd while it resumes callers. It advances with each change, and by two when another thread takes the
    // lead: a thread that finds another number than its own leads no more.
    private long _lead;
    private volatile LoopThread? _leader;
    // So many callers have gone on and have come back, not exactly.
    private int _resumed;
    private long _seenLead;
    private int _seenResumed;
    private int _looksInVain;
    private int _isWatched;
    private int _blocks;
    private long _blockedAt;
    private long _inPoolUntil;

    /// <summary>Whether this thread leads the loop.</summary>
    protected bool IsLeading => LoopThread.Current is { } thread && thread.Loop == this && Volatile.Read(ref _lead) == thread.Lead;

    /// <summary>Whether one caller holds up others that could go on.</summary>
    protected bool HasSeveralReady
    {
        get
        {
            lock (_lock)
                return _ready.Count > 1;
        }
    }

    /// <summary>Whether callers go on in the thread pool, and none on the thread of the loop.</summary>
    protected virtual bool ResumesInPool => false;

    /// <summary>Whether callers wait for the loop besides the one that goes on.</summary>
    protected abstract bool IsAwaited { get; }

    /// <summary>Begins to wait, on a thread of the crew.</summary>
    /// <exception cref="OutOfMemoryException">The system has no thread left.</exception>
    public void Start()
    {
        var thread = crew.TryTake() ?? throw new OutOfMemoryException("The system has no thread left for a loop.");
        thread.Call(this, 0, null);
    }

    /// <summary>Leads until the loop ends or another thread leads it.</summary>
    /// <param name="thread">The calling thread, with its lead.</param>
    public void Run(LoopThread thread)
    {
        _leader = thread;
        while (true)
        {
            if ((thread.Lead & 1) != 0)
            {
                ResumeReady(thread);
                if (Interlocked.CompareExchange(ref _lead, thread.Lead + 1, thread.Lead) != thread.Lead)
                {
                    crew.Returned();
                    return;
                }
                thread.Lead++;
                AllResumed();
            }
            if (!WaitForCallers())
                return;
            // Whoever is added now either sees the odd number or is seen by the next line.
            thread.Lead = Interlocked.Increment(ref _lead);
            Watch();
        }
    }

    /// <summary>The caller that goes on on this thread is about to block: it no longer leads.</summary>
    public static void AboutToBlock()
    {
        if (LoopThread.Current is { Loop: { } loop } thread)
            loop.TryReplace(thread.Lead, thread);
    }

    /// <summary>Lets a caller go on behind those that this thread is resuming, if it leads a loop.</summary>
    /// <returns>False if it does not, or resumes nobody at the moment.</returns>
    public static bool TryAddToCurrent(IThreadPoolWorkItem caller)
    {
        if (LoopThread.Current is not { Loop: { IsLeading: true, ResumesInPool: false } loop } thread || (thread.Lead & 1) == 0)
            return false;
        loop.Add(new WorkItemCaller(caller));
        // The one that goes on may keep the thread from it.
        loop.BeWatched();
        // The thread that has taken the lead meanwhile may have been through with its callers.
        if (!loop.IsLeading)
            loop.ResumeReadyInPool();
        return true;
    }

    /// <summary>A caller that went on elsewhere has come back: one that kept its thread is expected to do so again.</summary>
    /// <param name="caller">The caller.</param>
    /// <param name="use">Begun when it went on.</param>
    public static void NoteUse(ILoopCaller caller, in ThreadUse use)
    {
        if (use.WasKept)
            caller.KeepsUntil = Environment.TickCount64 + ElsewhereMilliseconds;
    }

    /// <summary>Looks whether one caller, or one round of callers, has kept the leader since the last look.</summary>
    /// <returns>Whether to look again.</returns>
    public bool Look()
    {
        var lead = Volatile.Read(ref _lead);
        var resumed = Volatile.Read(ref _resumed);
        // One that was called a moment ago has not begun.
        var leader = (lead & 1) != 0 && _leader is { } current && current.Lead == lead ? current : null;
        var isSameRound = leader is not null && lead == _seenLead;
        var isSameCaller = isSameRound && resumed == _seenResumed;
        _looksInVain = lead == _seenLead && (lead & 1) == 0 ? _looksInVain + 1 : 0;
        (_seenLead, _seenResumed) = (lead, resumed);
        if (leader is not null && !isSameCaller)
            crew.SeesCaller(leader);
        // In the place of one that waits for a processor another thread would wait, too.
        else if (isSameCaller && !crew.IsStarved(leader!))
            TryReplace(lead, leader);
        if (isSameRound && !isSameCaller && crew.HasSeveralCores)
            TryReplace(lead, blocked: null);
        if (_looksInVain < LoopCrew.MostLooksInVain)
            return true;
        Interlocked.Exchange(ref _isWatched, 0);
        // Whoever has changed it since the first line relied on being watched.
        return Volatile.Read(ref _lead) != lead && Interlocked.Exchange(ref _isWatched, 1) == 0;
    }

    /// <summary>Blocks until callers are to be resumed, and adds them. False if the loop has ended.</summary>
    protected abstract bool WaitForCallers();

    /// <summary>All callers that were ready have been resumed.</summary>
    protected abstract void AllResumed();

    /// <summary>A caller is to be resumed by the leader.</summary>
    protected void Add(ILoopCaller caller)
    {
        lock (_lock)
            _ready.Enqueue(caller);
    }

    /// <summary>Somebody waits for the loop, from another thread perhaps.</summary>
    protected void Watch()
    {
        if ((Volatile.Read(ref _lead) & 1) != 0 && Volatile.Read(ref _isWatched) == 0 && IsAwaited)
            BeWatched();
    }

    private void BeWatched()
    {
        if (Volatile.Read(ref _isWatched) != 0 || Interlocked.Exchange(ref _isWatched, 1) != 0)
            return;
        _looksInVain = 0;
        if (!crew.TryWatch(this))
            Volatile.Write(ref _isWatched, 0);
    }

    private void ResumeReady(LoopThread thread)
    {
        var mayBeApart = !ResumesInPool && !crew.IsFull;
        var inPool = !mayBeApart || IsInPool;
        var begin = crew.HasSeveralCores ? Stopwatch.GetTimestamp() : 0;
        var count = 0;
        thread.IsKept = false;
        for (; TryTake(out var caller); count++)
        {
            if (mayBeApart && caller.KeepsUntil is not 0 and var until && until > Environment.TickCount64)
            {
                crew.ResumeApart(caller);
                continue;
            }
            if (inPool)
            {
                caller.ResumeInPool();
                continue;
            }
            thread.Resume(caller);
            _resumed++;
            if (thread.IsKept)
                LoopThread.ForgetInterrupt();
        }
        if (begin == 0 || inPool || count == 0 || thread.IsKept)
            return;
        if (Stopwatch.GetElapsedTime(begin).TotalMicroseconds > count * MostMicroseconds)
            PreferPool(Environment.TickCount64);
    }

    private bool IsInPool => Volatile.Read(ref _inPoolUntil) is not 0 and var until && until > Environment.TickCount64;

    private void ResumeReadyInPool()
    {
        while (TryTake(out var caller))
            caller.ResumeInPool();
    }

    private bool TryTake([NotNullWhen(true)] out ILoopCaller? caller)
    {
        lock (_lock)
            return _ready.TryDequeue(out caller);
    }

    // Blocked is the leader whose caller keeps it; null if only the round takes long.
    private void TryReplace(long lead, LoopThread? blocked)
    {
        // Without another thread it keeps the lead.
        if (Volatile.Read(ref _lead) != lead || crew.TryTake() is not { } thread)
            return;
        if (Interlocked.CompareExchange(ref _lead, lead + 2, lead) != lead)
        {
            crew.StandBy(thread);
            return;
        }
        if (blocked is not null)
            NoteBlock(blocked, Environment.TickCount64);
        crew.Kept();
        thread.Call(this, lead + 2, null);
    }

    private void NoteBlock(LoopThread blocked, long now)
    {
        blocked.IsKept = true;
        if (blocked.Caller is { } caller)
        {
            caller.KeepsUntil = now + ElsewhereMilliseconds;
            if (caller.KeepsUntil != 0)
                return;
        }
        _blocks = now - _blockedAt > ElsewhereMilliseconds ? 1 : _blocks + 1;
        _blockedAt = now;
        if (_blocks >= MostBlocks)
            PreferPool(now);
    }

    private void PreferPool(long now) => Volatile.Write(ref _inPoolUntil, now + ElsewhereMilliseconds);

    private sealed class WorkItemCaller(IThreadPoolWorkItem item) : ILoopCaller
    {
        public void Resume() => item.Execute();

        public void ResumeInPool() => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

        public long KeepsUntil { get => 0; set { } }
    }
}
