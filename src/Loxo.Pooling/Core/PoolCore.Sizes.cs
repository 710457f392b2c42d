namespace Loxo.Pooling.Core;

// Clear, resize, the end: what is to be closed is decided under the lock and closed outside of it.
internal sealed partial class PoolCore<T, TSteps>
{
    // Everything that exists becomes old; returns what is idle.
    private Slot<T>? MakeOld()
    {
        var after = default(After);
        Enter();
        try
        {
            NextGeneration();
            TakeOutOld(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        return after.ToClose;
    }

    // No more rents; returns what is idle.
    private Slot<T>? End()
    {
        var after = default(After);
        Enter();
        try
        {
            if (_closed)
                return null;
            Volatile.Write(ref _closed, true);
            NextGeneration();
            while (_line.First is { } waiter)
                after.Add(TakeOut(waiter, WaiterState.Refused));
            PublishPressure();
            TakeOutOld(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        _timeouts.Dispose();
        Finish(after);
        return after.ToClose;
    }

    // Returns what is idle and too much.
    private Slot<T>? SetSizes(int minimum, int maximum)
    {
        var after = default(After);
        Enter();
        try
        {
            ThrowIfClosed();
            (_minimum, _maximum) = (minimum, maximum);
            PublishPressure();
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

    private void NextGeneration()
    {
        TSteps.Step(Point.WriteGeneration);
        Interlocked.Increment(ref _generation);
    }

    private void Trim(ref After after)
    {
        while (Surplus > 0 && _idle.TryTake() is { } slot)
            Retire(slot, ref after);
        PublishPressure();
    }

    private void Retire(Slot<T> slot, ref After after)
    {
        slot.IsRetiring = true;
        _retiring++;
        slot.Mark(SlotState.Held);
        after.ToClose = Chain(slot, CloseReason.Surplus, after.ToClose);
    }

    // Everything idle of another generation; the others keep their order.
    private void TakeOutOld(ref After after)
    {
        int first = 0, last = 0;
        for (var link = _idle.DetachAll(); link != 0;)
        {
            var slot = _slots.At(link);
            link = slot.Below;
            if (slot.Generation != _generation)
            {
                slot.Mark(SlotState.Held);
                after.ToClose = Chain(slot, WhyOld, after.ToClose);
                continue;
            }
            slot.Below = 0;
            if (last == 0)
                first = slot.Index + 1;
            else
                _slots.At(last).Below = slot.Index + 1;
            last = slot.Index + 1;
        }
        _idle.Reattach(first);
    }

    private long NextExpiry()
    {
        if (_options.Lifetime <= TimeSpan.Zero)
            return long.MaxValue;
        var jitter = _options.LifetimeJitter * Random.Shared.NextDouble();
        return _clock.Now + (long)(_options.Lifetime.TotalMilliseconds * (1 - jitter));
    }
}
