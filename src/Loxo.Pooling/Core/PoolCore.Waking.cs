namespace Loxo.Pooling.Core;

// What is done for waiters outside of the lock: waking them, and using them again.
internal sealed partial class PoolCore<T, TSteps>
{
    // Waiters to be used again: ours under the lock, and those that were brought back since.
    private Waiter<T>? _spare;
    private Waiter<T>? _broughtBack;

    private void Finish(in After after)
    {
        for (var waiter = after.Woken; waiter is not null;)
        {
            // Once awake it may stand in the line again.
            var next = waiter.Next;
            waiter.Next = null;
            Wake(waiter);
            waiter = next;
        }
        if (after.Due is { } due)
            _maintenance.SetFor(due);
        after.OpenEnded?.TrySetResult();
        after.Drained?.TrySetResult();
    }

    private static void Wake(Waiter<T> waiter)
    {
        TSteps.Step(Point.Wake);
        TSteps.Wake(waiter);
    }

    private Waiter<T> SpareWaiter()
    {
        _spare ??= Interlocked.Exchange(ref _broughtBack, null);
        if (_spare is not { } waiter)
            return new Waiter<T>(this, TSteps.IsControlled);
        _spare = waiter.Next;
        waiter.Next = null;
        return waiter;
    }

    // Only for one whose signal has arrived: nobody else has it any more.
    private void BringBack(Waiter<T> waiter)
    {
        waiter.Slot = null;
        while (true)
        {
            TSteps.Step(Point.BringBack);
            var former = Volatile.Read(ref _broughtBack);
            waiter.Next = former;
            TSteps.Step(Point.BringBackOnto);
            var found = Interlocked.CompareExchange(ref _broughtBack, waiter, former);
            if (TSteps.Has(Flaw.BringsBackTwice))
            {
                TSteps.Step(Point.BringBackOnto);
                former = waiter.Next;
            }
            if (found == former)
                return;
        }
    }

    /// <summary>What remains to be done once the lock has been left.</summary>
    private struct After
    {
        private Waiter<T>? _last;

        public Waiter<T>? Woken { get; private set; }

        public Slot<T>? ToClose { get; set; }

        /// <summary>When the maintainer is needed; null if this is no reason for it to come.</summary>
        public long? Due { get; set; }

        /// <summary>To be completed because an opening has ended.</summary>
        public TaskCompletionSource? OpenEnded { get; set; }

        /// <summary>To be completed because the last resource of an ended pool has been closed.</summary>
        public TaskCompletionSource? Drained { get; set; }

        public void Add(Waiter<T> waiter)
        {
            if (_last is null)
                Woken = waiter;
            else
                _last.Next = waiter;
            _last = waiter;
        }
    }
}
