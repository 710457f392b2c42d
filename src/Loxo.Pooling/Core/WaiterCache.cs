namespace Loxo.Pooling.Core;

/// <summary>Waiters that can be used again. They are taken under the pool's lock and returned without it.</summary>
internal sealed class WaiterCache<T, TSteps>(Action<Waiter<T>> cancel, PolicyNotices<T> policy)
    where T : class
    where TSteps : struct, ISteps
{
    // The list to take from, which only the holder of the lock uses, and the list of waiters that were returned since it was filled.
    private Waiter<T>? _spare;
    private Waiter<T>? _returned;

    public Waiter<T> Take()
    {
        _spare ??= Interlocked.Exchange(ref _returned, null);
        if (_spare is not { } waiter)
            return new Waiter<T>(cancel, policy, TSteps.IsControlled);
        _spare = waiter.Next;
        waiter.Next = null;
        return waiter;
    }

    /// <summary>Only for a waiter whose signal has arrived: nobody else uses it any more.</summary>
    public void Return(Waiter<T> waiter)
    {
        waiter.Forget();
        while (true)
        {
            TSteps.Step(Point.ReadSpareWaiters);
            var next = Volatile.Read(ref _returned);
            waiter.Next = next;
            TSteps.Step(Point.PushSpareWaiter);
            // Compared with the local variable: once pushed, the waiter may be taken, and its link changed, by its next user.
            if (Interlocked.CompareExchange(ref _returned, waiter, next) == next && TSteps.Step(Point.SpareWaiterPushed))
                return;
        }
    }
}
