namespace Loxo.Pooling.Core;

/// <summary>FIFO order, under a lock of its own.</summary>
internal sealed class IdleQueue<T, TSteps>(SlotTable<T> slots) : IdleStore<T>(slots)
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Lock _own = new();
    private int _first;
    private int _last;

    public override bool IsEmpty => Volatile.Read(ref _first) == 0;

    public override void Put(Slot<T> slot)
    {
        slot.Below = 0;
        TSteps.Step(Point.Queue);
        using (Uninterrupted.Hold(_own))
        {
            if (_last == 0)
                _first = slot.Index + 1;
            else
                Slots.At(_last).Below = slot.Index + 1;
            _last = slot.Index + 1;
        }
        // The returner reads the pool's pressure next, which a waiter has raised before it looked here.
        Interlocked.MemoryBarrier();
    }

    public override Slot<T>? TryTake()
    {
        TSteps.Step(Point.Queue);
        if (Volatile.Read(ref _first) == 0)
            return null;
        using (Uninterrupted.Hold(_own))
        {
            if (_first == 0)
                return null;
            var slot = Slots.At(_first);
            _first = slot.Below;
            if (_first == 0)
                _last = 0;
            return slot;
        }
    }

    protected override int DetachAll()
    {
        TSteps.Step(Point.Queue);
        using (Uninterrupted.Hold(_own))
        {
            var first = _first;
            _first = _last = 0;
            return first;
        }
    }

    protected override void ReattachAll(int first)
    {
        var last = Slots.At(first);
        while (last.Below != 0)
            last = Slots.At(last.Below);
        TSteps.Step(Point.Queue);
        using (Uninterrupted.Hold(_own))
        {
            last.Below = _first;
            _first = first;
            if (_last == 0)
                _last = last.Index + 1;
        }
    }
}
