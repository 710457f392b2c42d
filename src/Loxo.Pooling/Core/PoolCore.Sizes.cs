using System.Runtime.InteropServices;

namespace Loxo.Pooling.Core;

// Clear, resize, the end: what is to be closed is decided under the lock and closed outside of it.
internal sealed partial class PoolCore<T, TSteps>
{
    private readonly List<Slot<T>> _detached = [];
    private TaskCompletionSource? _drained;

    /// <summary>Ends the pool; true once everything has been closed, false if that takes too long.</summary>
    public async ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        var drained = WhenDrained();
        _ = CloseAllAsync(End()).AsTask();
        try
        {
            await drained.WaitAsync(timeout, _options.Time).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

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
            NoteGone(ref after);
        }
        finally
        {
            TSteps.Exit(_gate);
        }
        _timeouts.Dispose();
        _maintenance.Dispose();
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
            NoteGone(ref after);
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
        after.ToClose = Chain(Held(slot), CloseReason.Surplus, after.ToClose);
    }

    // Everything idle of another generation; the others keep their order.
    private void TakeOutOld(ref After after)
    {
        var kept = 0;
        var idle = DetachIdle();
        foreach (var slot in idle)
        {
            if (slot.Generation == _generation)
                idle[kept++] = slot;
            else
                after.ToClose = Chain(Held(slot), WhyOld, after.ToClose);
        }
        ReattachIdle(kept);
    }

    // Under the lock, to be followed by ReattachIdle: renters who find nothing meanwhile must enter the lock to do anything about it. The
    // first in the list is the first to be handed out.
    private Span<Slot<T>> DetachIdle()
    {
        _detached.Clear();
        for (var link = _idle.DetachAll(); link != 0; link = _detached[^1].Below)
            _detached.Add(_slots.At(link));
        return CollectionsMarshal.AsSpan(_detached);
    }

    // The first so many of what DetachIdle gave.
    private void ReattachIdle(int count)
    {
        for (var i = 0; i < count; i++)
            _detached[i].Below = i + 1 < count ? _detached[i + 1].Index + 1 : 0;
        if (count > 0)
            _idle.Reattach(_detached[0].Index + 1);
        _detached.Clear();
    }

    private static Slot<T> Held(Slot<T> slot)
    {
        slot.Mark(SlotState.Held);
        return slot;
    }

    private Task WhenDrained()
    {
        Enter();
        try
        {
            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _closed && _total == 0 ? Task.CompletedTask : _drained.Task;
        }
        finally
        {
            TSteps.Exit(_gate);
        }
    }

    private long NextExpiry()
    {
        if (_options.Lifetime <= TimeSpan.Zero)
            return long.MaxValue;
        var jitter = _options.LifetimeJitter * Random.Shared.NextDouble();
        return _clock.Now + (long)(_options.Lifetime.TotalMilliseconds * (1 - jitter));
    }
}
