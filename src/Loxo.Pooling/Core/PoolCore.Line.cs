namespace Loxo.Pooling.Core;

// Everything under the lock: who waits, what may be opened, what is handed to whom.
internal sealed partial class PoolCore<T, TSteps>
{
    private readonly Lock _gate = new();
    private readonly Alarm _timeouts;
    private readonly int _maximumOpens;
    private int _minimum;
    private int _maximum;

    // Resources that exist, and permits to open one. A resource counts until it has been closed.
    private int _total;
    private int _opening;

    // Those that were taken out to make the pool smaller and are not closed yet.
    private int _retiring;
    private bool _closed;
    private WaiterLine<T> _line;

    // With another clock than the system's.
    private bool TimerEndsBlocking => !_clock.IsSystem && !TSteps.IsControlled;

    private bool MayOpen => _total < _maximum && _opening < _maximumOpens;

    private int Surplus => _total - _retiring - _maximum;

    void IWaiterOwner<T>.OnCancelled(Waiter<T> waiter)
    {
        if (GiveUp(waiter, WaiterState.Cancelled))
            Wake(waiter);
    }

    /// <summary>Ends the waiting of those whose time is over, as far as the pool's timer watches them.</summary>
    public void ExpireWaiters(long now)
    {
        var after = default(After);
        var next = long.MaxValue;
        Enter();
        try
        {
            for (var waiter = _line.First; waiter is not null;)
            {
                var (current, due) = (waiter, waiter.Deadline);
                waiter = waiter.Next;
                if (due <= now)
                    after.Add(TakeOut(current, WaiterState.TimedOut));
                else
                    next = Math.Min(next, due);
            }
            PublishPressure();
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        if (next != long.MaxValue)
            _timeouts.SetFor(Math.Max(next, now + 1));
        Finish(after);
    }

    // The caller stands in the line from now on, unless it is served at once. It says that it waits before it looks into the store: a
    // returner who does not see it has put its slot there before.
    private Waiter<T> Enqueue(bool blocks, long deadline, bool first, out bool served)
    {
        var after = default(After);
        Waiter<T> waiter;
        var watched = !blocks || TimerEndsBlocking;
        Enter();
        try
        {
            ThrowIfClosed();
            waiter = SpareWaiter();
            waiter.Begin(blocks, watched ? deadline : long.MaxValue);
            if (first)
                _line.AddFirst(waiter);
            else
                _line.AddLast(waiter);
            if (!TSteps.Has(Flaw.NoSecondLook))
                PublishPressure();
            Serve(ref after, waiter);
            served = waiter.State == WaiterState.Served;
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        if (!served && watched && deadline != long.MaxValue)
            _timeouts.SetFor(deadline);
        Finish(after);
        return waiter;
    }

    // True if it still stood in the line. If not, it was served or refused at this very moment.
    private bool GiveUp(Waiter<T> waiter, WaiterState why)
    {
        TSteps.Step(Point.GiveUp);
        TSteps.Enter(_gate);
        try
        {
            if (waiter.State != WaiterState.Waiting)
                return false;
            if (TSteps.Has(Flaw.HandOverToOneWhoGaveUp))
            {
                waiter.State = why;
                return true;
            }
            TakeOut(waiter, why);
            PublishPressure();
            return true;
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    // A returned slot goes to the first who waits, or into the store; null if it is there already, and may be old. Returns what has to be closed.
    private Slot<T>? Settle(Slot<T>? returned, bool mayBeOld = false)
    {
        var after = default(After);
        Enter();
        try
        {
            if (mayBeOld)
                TakeOutOld(ref after);
            if (returned is null)
                NoteReturn(ref after);
            else if (returned.Generation != _generation)
                after.ToClose = Chain(returned, WhyOld, after.ToClose);
            else if (Surplus > 0)
                Retire(returned, ref after);
            else
                Place(returned, ref after);
            Trim(ref after);
            Serve(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        Finish(after);
        return after.ToClose;
    }

    // Hands out what is idle, and permits to open, first come, first served.
    private void Serve(ref After after, Waiter<T>? self = null)
    {
        while (_line.First is { } waiter)
        {
            var slot = _idle.TryTake();
            if (slot is null && !MayOpen)
                break;
            Hand(waiter, slot);
            if (waiter != self)
                after.Add(waiter);
        }
        PublishPressure();
    }

    private void Place(Slot<T> slot, ref After after)
    {
        NoteReturn(ref after);
        if (_line.First is not { } waiter)
        {
            _idle.Put(slot);
            return;
        }
        Hand(waiter, slot);
        after.Add(waiter);
    }

    private void Hand(Waiter<T> waiter, Slot<T>? slot)
    {
        if (slot is null)
            TakePermit();
        (waiter.Slot, waiter.Generation) = (slot, _generation);
        slot?.Mark(SlotState.Held);
        TakeOut(waiter, WaiterState.Served);
    }

    private Waiter<T> TakeOut(Waiter<T> waiter, WaiterState state)
    {
        _line.Remove(waiter);
        waiter.State = state;
        return waiter;
    }

    // The permit becomes a resource.
    private Slot<T> Admit(T resource, int generation)
    {
        var after = default(After);
        Slot<T> slot;
        var expires = NextExpiry();
        Enter();
        try
        {
            _opening--;
            _opened++;
            slot = _slots.TakeFree();
            slot.Mark(SlotState.Held);
            (slot.Resource, slot.Generation, slot.ExpiresAt) = (resource, generation, expires);
            Serve(ref after);
            NoteOpened(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        Finish(after);
        return slot;
    }

    // The permit was of no use: the next who waits gets it and opens by itself.
    private void ReleasePermit(OpenFailure? failure)
    {
        var after = default(After);
        Enter();
        try
        {
            _opening--;
            _total--;
            if (failure is not null)
                Remember(failure);
            if (!TSteps.Has(Flaw.FailedOpenWakesNobody))
                Serve(ref after);
            NoteGone(ref after);
            after.OpenEnded = TakeOpenEnded();
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        Finish(after);
    }

    // The resource has been closed: another may be opened.
    private void Release(Slot<T> slot, CloseReason reason)
    {
        var after = default(After);
        Enter();
        try
        {
            _total--;
            _closedFor[(int)reason]++;
            _retiring -= slot.IsRetiring ? 1 : 0;
            slot.IsRetiring = false;
            slot.NextToClose = null;
            _slots.Free(slot);
            Serve(ref after);
            NoteGone(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        Finish(after);
    }

    private void PublishPressure()
    {
        var pressure = _line.Count + Math.Max(0, Surplus) + (_quiet ? 1 : 0);
        if (pressure == _pressure)
            return;
        TSteps.Step(Point.WritePressure);
        Interlocked.Exchange(ref _pressure, pressure);
    }

    private void Enter()
    {
        TSteps.Step(Point.Enter);
        TSteps.Enter(_gate);
    }

    private void ThrowIfClosed() =>
        ObjectDisposedException.ThrowIf(_closed, typeof(ResourcePool<T>));
}
