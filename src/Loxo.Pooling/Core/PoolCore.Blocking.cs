using System.Diagnostics;

namespace Loxo.Pooling.Core;

// The blocking form of everything that waits. PoolCore.Async.cs has the other one.
internal sealed partial class PoolCore<T, TSteps>
{
    public Rental<T> Rent(TimeSpan timeout)
    {
        if (_forms.MissingToBlock is { } missing)
            throw _forms.NotSupported(missing);
        var stack = SampleStack();
        var slot = _idle.TryTake();
        if (slot is not null)
        {
            var now = _clock.Now;
            if (IsReady(slot, now, timeout))
                return Hand(slot, now, stack);
        }
        return RentSlow(timeout, slot is not null, stack);
    }

    public void Return(in Rental<T> rental)
    {
        if (_forms is { ResetsAsync: true, Resets: false })
            throw _forms.NotSupported(nameof(ResourcePolicy<T>.Reset));
        if (Claim(rental) is not { } slot)
            return;
        if (_forms.Resets && !Reset(slot))
            Close(slot, CloseReason.ResetFailed);
        else if (GiveBack(slot) is { } closing)
            CloseAll(closing);
    }

    public void Discard(in Rental<T> rental)
    {
        if (Claim(rental) is { } slot)
            Close(slot, CloseReason.Broken);
    }

    public void Clear() => CloseAll(MakeOld());

    public void Dispose() => CloseAll(End());

    public void Resize(int minimum, int maximum) => CloseAll(SetSizes(minimum, maximum));

    private Rental<T> RentSlow(TimeSpan timeout, bool first, StackTrace? stack)
    {
        var deadline = _clock.In(timeout);
        while (true)
        {
            if (Acquire(timeout, deadline, first, out var generation) is not { } slot)
                return Hand(Open(deadline, generation), _clock.Now, stack);
            var now = _clock.Now;
            if (IsReady(slot, now, _clock.Left(deadline)))
                return Hand(slot, now, stack);
            // It was its turn already.
            first = true;
        }
    }

    // What is idle or returned, or null for the permit to open.
    private Slot<T>? Acquire(TimeSpan timeout, long deadline, bool first, out int generation)
    {
        var waiter = Enqueue(blocks: true, deadline, first, out var served);
        var signalled = served || Wait(waiter, deadline);
        if (!signalled && GiveUp(waiter, WaiterState.TimedOut))
            throw TimedOut(timeout);
        var (state, slot) = (waiter.State, waiter.Slot);
        generation = waiter.Generation;
        if (signalled)
            BringBack(waiter);
        return state == WaiterState.Served ? slot : throw NotServed(state, timeout);
    }

    private bool Wait(Waiter<T> waiter, long deadline)
    {
        var limit = deadline == long.MaxValue || TimerEndsBlocking ? Timeout.Infinite : (int)Math.Clamp(deadline - _clock.Now, 0, int.MaxValue);
        try
        {
            return TSteps.Block(waiter, limit);
        }
        catch (ThreadInterruptedException)
        {
            if (!GiveUp(waiter, WaiterState.Cancelled) && waiter.State == WaiterState.Served)
                PassOn(waiter);
            throw;
        }
    }

    private void PassOn(Waiter<T> waiter)
    {
        if (waiter.Slot is { } slot)
            CloseAll(GiveBack(slot));
        else
            ReleasePermit(null);
    }

    private Slot<T> Open(long deadline, int generation)
    {
        var started = _options.Time.GetTimestamp();
        T resource;
        try
        {
            resource = _policy.Open(_clock.Left(deadline)) ?? throw OpenedNothing();
        }
        catch (Exception error)
        {
            FailOpen(error, cancelled: false);
            throw;
        }
        var slot = Admit(resource, generation);
        TellOpened(resource, started);
        if (!HasEnded)
            return slot;
        Close(slot, CloseReason.Disposed);
        throw Disposed();
    }

    // Closes it if not.
    private bool IsReady(Slot<T> slot, long now, TimeSpan left)
    {
        if (Unfit(slot, now) is { } reason)
        {
            Close(slot, reason);
            return false;
        }
        if (!_forms.Checks)
            return true;
        Exception? error = null;
        slot.Mark(SlotState.Held);
        try
        {
            if (_policy.Check(slot.Resource!, left))
                return true;
        }
        catch (Exception thrown)
        {
            error = thrown;
        }
        TellCheckFailed(slot.Resource!, error);
        Close(slot, CloseReason.CheckFailed);
        return false;
    }

    private bool Reset(Slot<T> slot)
    {
        try
        {
            return _policy.Reset(slot.Resource!);
        }
        catch (Exception)
        {
            return false;
        }
    }

    private void CloseAll(Slot<T>? chain)
    {
        while (chain is { } slot)
        {
            chain = slot.NextToClose;
            Close(slot, slot.Reason);
        }
    }

    private void Close(Slot<T> slot, CloseReason reason)
    {
        if (_forms is { ClosesAsync: true, Closes: false })
        {
            _ = CloseAsync(slot, reason).AsTask();
            return;
        }
        var resource = slot.Resource!;
        try
        {
            _policy.Close(resource);
        }
        catch (Exception)
        {
            // It is gone for the pool in any case.
        }
        Release(slot, reason);
        TellClosed(resource, reason);
    }
}
