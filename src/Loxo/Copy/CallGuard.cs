namespace Loxo.Copy;

/// <summary>
/// Lets one call at a time in and refuses the others. Calls of the thread that was in last, nearly all of them, cost no atomic operation: a
/// thread that comes anew pays for both, with a memory barrier for the whole process.
/// </summary>
/// <remarks>
/// A call stores that it is inside, then looks whether another thread has taken the guard over; that thread takes it, then looks whether a
/// call is inside. A processor may exchange the store and the load behind it, so without the barrier both could miss each other. A thread
/// that takes over brings a visit of its own, so that nothing that the former one stores late counts.
/// </remarks>
internal sealed class CallGuard
{
    // Stands there while a thread takes over. No thread has the number 0.
    private static readonly Visit _takeover = new(0) { IsInside = true };

    private readonly Lock _gate = new();
    private Visit _visit = new(Environment.CurrentManagedThreadId);

    /// <summary>Whether a call is inside.</summary>
    public bool IsHeld => Volatile.Read(ref Volatile.Read(ref _visit).IsInside);

    /// <summary>Goes in.</summary>
    /// <returns>What the call leaves with <see cref="Visit.Exit"/>, on whichever thread.</returns>
    /// <exception cref="InvalidOperationException">Another call is inside, of this thread or of another.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Visit Enter()
    {
        var visit = _visit;
        if (visit.Thread != Environment.CurrentManagedThreadId || visit.IsInside)
            return EnterAnew();
        Volatile.Write(ref visit.IsInside, true);
        return ReferenceEquals(Volatile.Read(ref _visit), visit) ? visit : EnterAgain(visit);
    }

    /// <summary>Goes in. Null if another call is inside.</summary>
    public Visit? TryEnter()
    {
        lock (_gate)
        {
            var former = _visit;
            Volatile.Write(ref _visit, _takeover);
            Interlocked.MemoryBarrierProcessWide();
            var entered = Volatile.Read(ref former.IsInside) ? null : new Visit(Environment.CurrentManagedThreadId) { IsInside = true };
            Volatile.Write(ref _visit, entered ?? former);
            return entered;
        }
    }

    private Visit EnterAgain(Visit visit)
    {
        visit.Exit();
        return EnterAnew();
    }

    // A method with a throw of its own would not be compiled into its callers.
    private Visit EnterAnew() => TryEnter() ?? throw CopyErrors.InUse();

    /// <summary>The calls of one thread, until another one comes.</summary>
    /// <param name="thread">The thread's number.</param>
    public sealed class Visit(int thread)
    {
        public readonly int Thread = thread;
        public bool IsInside;

        /// <summary>Goes out.</summary>
        public void Exit() => Volatile.Write(ref IsInside, false);
    }
}
