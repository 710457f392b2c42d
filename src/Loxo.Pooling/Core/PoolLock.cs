namespace Loxo.Pooling.Core;

/// <summary>
/// The lock of a pool. What must not be done under it is noted here and done when it has been left: waking waiters, setting timers,
/// completing tasks. All members but <see cref="Enter"/> and <see cref="Wake"/> are used under the lock.
/// </summary>
internal sealed class PoolLock<T, TSteps>(Alarm timeouts, Alarm maintenance)
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Lock _gate = new();
    private Deferred _deferred;
    private Slot<T>? _toClose;

    /// <summary>Enters the lock. Disposing the result leaves it and then does what was noted.</summary>
    public Turn Enter(Point point = Point.Enter)
    {
        TSteps.Step(point);
        TSteps.Enter(_gate);
        return new Turn(this);
    }

    /// <summary>Wakes a waiter that has been taken out of the line.</summary>
    public static void Wake(Waiter<T> waiter)
    {
        TSteps.Step(Point.Wake);
        TSteps.Wake(waiter);
    }

    public void WakeLater(Waiter<T> waiter)
    {
        if (_deferred.LastToWake is { } last)
            last.Next = waiter;
        else
            _deferred.FirstToWake = waiter;
        _deferred.LastToWake = waiter;
    }

    /// <summary>Sets the timer that ends the waiting of renters whose time is over.</summary>
    public void SetTimeout(long due) => _deferred.TimeoutAt = due;

    /// <summary>Sets the timer of the maintenance; null leaves it as it is.</summary>
    public void SetMaintenance(long? due) => _deferred.MaintenanceAt = due;

    public void Complete(TaskCompletionSource? source)
    {
        if (_deferred.Completed is null)
            _deferred.Completed = source;
        else
            _deferred.AlsoCompleted = source;
    }

    /// <summary>Adds a slot to those that the caller must close after it has left the lock.</summary>
    public void AddToClose(Slot<T> slot, CloseReason reason) => _toClose = slot.ToClose(reason, _toClose);

    /// <summary>The slots to close, linked by <see cref="Slot{T}.NextToClose"/>.</summary>
    public Slot<T>? TakeToClose()
    {
        var slots = _toClose;
        _toClose = null;
        return slots;
    }

    private void Leave()
    {
        var deferred = _deferred;
        _deferred = default;
        TSteps.Exit(_gate);
        if (deferred.TimeoutAt is { } timeout)
            timeouts.SetFor(timeout);
        for (var waiter = deferred.FirstToWake; waiter is not null;)
        {
            // Once awake it may stand in the line again.
            var next = waiter.Next;
            waiter.Next = null;
            Wake(waiter);
            waiter = next;
        }
        if (deferred.MaintenanceAt is { } due)
            maintenance.SetFor(due);
        deferred.Completed?.TrySetResult();
        deferred.AlsoCompleted?.TrySetResult();
    }

    /// <summary>The lock, held until this is disposed.</summary>
    public readonly ref struct Turn(PoolLock<T, TSteps> held)
    {
        public void Dispose() => held.Leave();
    }

    private struct Deferred
    {
        public Waiter<T>? FirstToWake;
        public Waiter<T>? LastToWake;
        public long? TimeoutAt;
        public long? MaintenanceAt;

        // An opening that ended, and the end of the pool.
        public TaskCompletionSource? Completed;
        public TaskCompletionSource? AlsoCompleted;
    }
}
