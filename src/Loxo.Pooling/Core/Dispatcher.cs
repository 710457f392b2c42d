namespace Loxo.Pooling.Core;

/// <summary>
/// Decides who gets idle resources and permits to open one. Renting and returning without contention take no lock: they are a
/// compare-and-swap on the store each. Opening, closing, waiting and maintenance are counted under one lock. The two sides meet in
/// <see cref="_pressure"/>: a returner puts its slot into the store and then reads the pressure, a waiter raises the pressure and then
/// looks into the store, so at least one of them sees the other.
/// </summary>
internal sealed class Dispatcher<T, TSteps>
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Clock _clock;
    private readonly Alarm _timeouts;
    private readonly Alarm _maintenance;
    private TaskCompletionSource? _openEnded;
    private TaskCompletionSource? _drained;

    // The number of waiters and of other reasons why a returner must enter the lock instead of just leaving its slot in the store.
    private int _pressure;

    // Incremented by each clear and by dispose. A slot of another generation is closed by whoever meets it.
    private int _generation;
    private bool _closed;

    public Dispatcher(PoolContext<T> context, Alarm maintenance)
    {
        var options = context.Options;
        _clock = context.Clock;
        Capacity = new Capacity(options);
        Idle = options.Order == ReuseOrder.Fifo ? new IdleQueue<T, TSteps>(Slots) : new IdleStack<T, TSteps>(Slots);
        Schedule = new MaintenanceSchedule(options, _clock, context.WatchesIdle, context.Forms.FindsLost);
        SpareWaiters = new WaiterCache<T, TSteps>(CancelWait, context.Notices);
        _maintenance = maintenance;
        _timeouts = new Alarm(options.Time, _clock);
        _timeouts.Elapsed += () => ExpireWaiters(_clock.Now);
        Lock = new PoolLock<T, TSteps>(_timeouts, _maintenance);
        PublishPressure();
    }

    public PoolLock<T, TSteps> Lock { get; }

    public SlotTable<T> Slots { get; } = new();

    public IdleStore<T> Idle { get; }

    public Capacity Capacity { get; }

    public WaiterQueue<T> Line { get; } = new();

    public WaiterCache<T, TSteps> SpareWaiters { get; }

    public PoolCounters Counters { get; } = new();

    public MaintenanceSchedule Schedule { get; }

    public int Pressure => Volatile.Read(ref _pressure);

    public int Generation => Volatile.Read(ref _generation);

    public bool IsClosed => Volatile.Read(ref _closed);

    /// <summary>Under the lock: when missing resources may be opened in the background; null if there are enough.</summary>
    public long? RefillDue => !_closed && Capacity.Total < Capacity.Minimum ? Schedule.RefillAt : null;

    /// <summary>Under the lock: completes when the next opening ends.</summary>
    public Task OpenEnded => (_openEnded ??= NewSource()).Task;

    /// <summary>Whether the timer also ends waits that block: it does with a clock other than the system's.</summary>
    public bool TimerEndsBlocking => !_clock.IsSystem && !TSteps.IsControlled;

    private CloseReason ReasonOfOld => IsClosed ? CloseReason.Disposed : CloseReason.Cleared;

    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_closed, typeof(ResourcePool<T>));

    /// <summary>Why an idle or returned resource must be closed; null if it can be used.</summary>
    public CloseReason? ReasonToClose(Slot<T> slot, long now)
    {
        TSteps.Step(Point.ReadGeneration);
        if (slot.Generation != Volatile.Read(ref _generation))
            return ReasonOfOld;
        return now >= slot.ExpiresAt ? CloseReason.Lifetime : null;
    }

    /// <summary>
    /// Adds a waiter to the line, unless it can be served at once. The waiter is counted in the pressure before the store is looked at: a
    /// returner that does not see it has put its slot there before.
    /// </summary>
    public Waiter<T> Enqueue(
        bool blocks, long deadline, bool first, out bool served, ILineRenter<T>? renter = null, in RentRequest request = default)
    {
        var watched = !blocks || TimerEndsBlocking;
        using (Lock.Enter())
        {
            ThrowIfClosed();
            var waiter = SpareWaiters.Take();
            waiter.Begin(blocks, watched ? deadline : long.MaxValue, renter, in request);
            Line.Add(waiter, first);
            if (TSteps.Step(Point.AnnounceWaiter))
                PublishPressure();
            Serve(waiter);
            served = waiter.State == WaiterState.Served;
            if (!served && Schedule.NoteWaiting() is { } due)
                Lock.SetMaintenance(due);
            if (!served && watched && deadline != long.MaxValue)
                Lock.SetTimeout(deadline);
            return waiter;
        }
    }

    /// <summary>
    /// Hands a returned slot to the first waiter, or puts it into the store. Null if it is there already, and may be old. Returns the slots
    /// to close.
    /// </summary>
    public Slot<T>? Settle(Slot<T>? returned, bool mayBeOld)
    {
        using (Lock.Enter())
        {
            if (mayBeOld)
                TakeOutOld();
            if (returned is null)
                NoteReturned();
            else if (returned.Generation != _generation)
                Lock.AddToClose(returned, ReasonOfOld);
            else if (Capacity.Surplus > 0)
                Retire(returned);
            else
                Place(returned);
            Trim();
            Serve();
            return Lock.TakeToClose();
        }
    }

    /// <summary>Takes a waiter out of the line. False if it was served or refused at this very moment.</summary>
    public bool GiveUp(Waiter<T> waiter, WaiterState why)
    {
        using (Lock.Enter(Point.GiveUp))
        {
            if (waiter.State != WaiterState.Waiting)
                return false;
            waiter.State = why;
            if (TSteps.Step(Point.LeaveLine))
            {
                Line.Remove(waiter);
                PublishPressure();
            }
            return true;
        }
    }

    /// <summary>Under the lock: hands idle resources and permits to the waiters in order. Does not wake the caller's own waiter.</summary>
    public void Serve(Waiter<T>? self = null)
    {
        while (Line.First is { } waiter)
        {
            var slot = Idle.TryTake();
            if (slot is null && !Capacity.MayOpen)
                break;
            HandOver(waiter, slot);
            if (waiter != self)
                Lock.WakeLater(waiter);
        }
        PublishPressure();
    }

    /// <summary>Turns a permit into a resource.</summary>
    public Slot<T> Admit(T resource, int generation, long expiresAt)
    {
        using (Lock.Enter())
        {
            Capacity.UsePermit();
            Counters.CountOpen();
            var slot = Slots.TakeFree();
            slot.Hold();
            (slot.Resource, slot.Generation, slot.ExpiresAt) = (resource, generation, expiresAt);
            slot.OpenedAt = slot.IdleSince = _clock.Now;
            Serve();
            Lock.SetMaintenance(Math.Min(Schedule.NoteOpened(), RefillDue ?? long.MaxValue));
            EndOpening();
            return slot;
        }
    }

    /// <summary>Passes a permit that opened nothing on to the next waiter, which then opens by itself.</summary>
    public void ReleasePermit(OpenFailure? failure)
    {
        using (Lock.Enter())
        {
            Capacity.ReleasePermit();
            if (failure is not null)
            {
                Counters.Add(failure);
                Schedule.NoteOpenFailed();
            }
            if (TSteps.Step(Point.ServeAfterFailure))
                Serve();
            NoteGone();
            EndOpening();
        }
    }

    /// <summary>Frees the slot of a resource that was closed, so that another can be opened.</summary>
    public void Release(Slot<T> slot, CloseReason reason)
    {
        using (Lock.Enter())
        {
            Capacity.Release(slot.IsRetiring);
            Counters.CountClose(reason);
            (slot.IsRetiring, slot.NextToClose) = (false, null);
            Slots.Free(slot);
            Serve();
            NoteGone();
        }
    }

    /// <summary>Makes all resources old. Returns the idle ones, to be closed.</summary>
    public Slot<T>? Clear()
    {
        using (Lock.Enter())
        {
            BeginGeneration();
            return Lock.TakeToClose();
        }
    }

    /// <summary>Changes the limits. Returns the idle resources that are surplus, to be closed.</summary>
    public Slot<T>? Resize(int minimum, int maximum)
    {
        using (Lock.Enter())
        {
            ThrowIfClosed();
            Capacity.Resize(minimum, maximum);
            PublishPressure();
            Trim();
            Serve();
            NoteGone();
            return Lock.TakeToClose();
        }
    }

    /// <summary>Refuses all renters from now on, waiters included. Returns the idle resources, to be closed.</summary>
    public Slot<T>? Close()
    {
        Slot<T>? toClose;
        using (Lock.Enter())
        {
            if (_closed)
                return null;
            Volatile.Write(ref _closed, true);
            while (Line.First is { } waiter)
                Resume(waiter, WaiterState.Refused);
            PublishPressure();
            BeginGeneration();
            NoteGone();
            toClose = Lock.TakeToClose();
        }
        _timeouts.Dispose();
        _maintenance.Dispose();
        return toClose;
    }

    /// <summary>Completes when the pool is closed and its last resource is.</summary>
    public Task WhenDrained()
    {
        using (Lock.Enter())
        {
            _drained ??= NewSource();
            return _closed && Capacity.Total == 0 ? Task.CompletedTask : _drained.Task;
        }
    }

    /// <summary>Under the lock: tells returners how many reasons there are to enter it.</summary>
    public void PublishPressure()
    {
        var pressure = Line.Count + Math.Max(0, Capacity.Surplus) + (Schedule.AwaitsReturn ? 1 : 0);
        if (pressure == _pressure)
            return;
        TSteps.Step(Point.WritePressure);
        Interlocked.Exchange(ref _pressure, pressure);
    }

    private void Place(Slot<T> slot)
    {
        NoteReturned();
        if (Line.First is not { } waiter)
        {
            Idle.Put(slot);
            return;
        }
        HandOver(waiter, slot);
        Lock.WakeLater(waiter);
    }

    private void HandOver(Waiter<T> waiter, Slot<T>? slot)
    {
        if (slot is null)
            Capacity.TakePermit();
        (waiter.Slot, waiter.Generation) = (slot, _generation);
        slot?.Hold();
        Line.Remove(waiter);
        waiter.State = WaiterState.Served;
    }

    private void Resume(Waiter<T> waiter, WaiterState state)
    {
        Line.Remove(waiter);
        waiter.State = state;
        Lock.WakeLater(waiter);
    }

    private void CancelWait(Waiter<T> waiter)
    {
        if (GiveUp(waiter, WaiterState.Cancelled))
            PoolLock<T, TSteps>.Wake(waiter);
    }

    // Ends the waits that have timed out, as far as the timer watches them.
    private void ExpireWaiters(long now)
    {
        var next = long.MaxValue;
        using (Lock.Enter())
        {
            for (var waiter = Line.First; waiter is not null;)
            {
                var (current, due) = (waiter, waiter.Deadline);
                waiter = waiter.Next;
                if (due <= now)
                    Resume(current, WaiterState.TimedOut);
                else
                    next = Math.Min(next, due);
            }
            PublishPressure();
            if (next != long.MaxValue)
                Lock.SetTimeout(Math.Max(next, now + 1));
        }
    }

    private void Retire(Slot<T> slot)
    {
        slot.IsRetiring = true;
        Capacity.Retire();
        Lock.AddToClose(slot.Hold(), CloseReason.Surplus);
    }

    // The slots of this generation keep their order.
    private void TakeOutOld()
    {
        var kept = 0;
        var idle = Idle.Detach();
        foreach (var slot in idle)
        {
            if (slot.Generation == _generation)
                idle[kept++] = slot;
            else
                Lock.AddToClose(slot.Hold(), ReasonOfOld);
        }
        Idle.Reattach(kept);
    }

    private void NoteReturned()
    {
        if (!_closed && Schedule.NoteReturned() is { } due)
            Lock.SetMaintenance(due);
    }

    // There is one resource less, or more are needed than before.
    private void NoteGone()
    {
        Lock.SetMaintenance(RefillDue);
        if (_closed && Capacity.Total == 0)
            Lock.Complete(_drained);
    }

    private void Trim()
    {
        while (Capacity.Surplus > 0 && Idle.TryTake() is { } slot)
            Retire(slot);
        PublishPressure();
    }

    private void BeginGeneration()
    {
        TSteps.Step(Point.WriteGeneration);
        Interlocked.Increment(ref _generation);
        TakeOutOld();
    }

    private void EndOpening()
    {
        Lock.Complete(_openEnded);
        _openEnded = null;
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
