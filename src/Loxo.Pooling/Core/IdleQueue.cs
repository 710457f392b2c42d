namespace Loxo.Pooling.Core;

/// <summary>FIFO under a lock of its own, which nothing else is done under.</summary>
internal sealed class IdleQueue<T, TSteps>(SlotTable<T> slots) : IdleStore<T>
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Lock _own = new();
    private int _first;
    private int _last;

    public override void Put(Slot<T> slot)
    {
        slot.Below = 0;
        TSteps.Step(Point.Queue);
        lock (_own)
        {
            if (_last == 0)
                _first = slot.Index + 1;
            else
                slots.At(_last).Below = slot.Index + 1;
            _last = slot.Index + 1;
        }
        // The returner now looks whether somebody waits; those who do have said so before they looked here.
        Interlocked.MemoryBarrier();
    }

    public override Slot<T>? TryTake()
    {
        TSteps.Step(Point.Queue);
        if (Volatile.Read(ref _first) == 0)
            return null;
        lock (_own)
        {
            if (_first == 0)
                return null;
            var slot = slots.At(_first);
            _first = slot.Below;
            if (_first == 0)
                _last = 0;
            return slot;
        }
    }

    public override int DetachAll()
    {
        TSteps.Step(Point.Queue);
        lock (_own)
        {
            var first = _first;
            _first = _last = 0;
            return first;
        }
    }

    public override void Reattach(int first)
    {
        if (first == 0)
            return;
        var last = slots.At(first);
        while (last.Below != 0)
            last = slots.At(last.Below);
        TSteps.Step(Point.Queue);
        lock (_own)
        {
            last.Below = _first;
            _first = first;
            if (_last == 0)
                _last = last.Index + 1;
        }
    }
}
