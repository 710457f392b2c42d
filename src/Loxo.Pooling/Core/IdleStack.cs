namespace Loxo.Pooling.Core;

/// <summary>
/// LIFO without a lock: the top is the link of a slot, and a tag that changes with it. The tag tells a popper that the slot it saw on top
/// was taken and put back in between, with something else below it by now (the ABA problem).
/// </summary>
internal sealed class IdleStack<T, TSteps>(SlotTable<T> slots) : IdleStore<T>
    where T : class
    where TSteps : struct, ISteps
{
    // The link in the lower half, the tag in the upper.
    private long _top;

    public long Top => Volatile.Read(ref _top);

    public override void Put(Slot<T> slot)
    {
        while (true)
        {
            TSteps.Step(Point.ReadTopToPush);
            var top = Volatile.Read(ref _top);
            slot.Below = (int)top;
            TSteps.Step(Point.Push);
            if (Swing(top, slot.Index + 1))
                return;
        }
    }

    public override Slot<T>? TryTake()
    {
        while (true)
        {
            TSteps.Step(Point.ReadTop);
            var top = Volatile.Read(ref _top);
            if ((int)top == 0)
                return null;
            var slot = slots.At((int)top);
            TSteps.Step(Point.ReadBelow);
            var below = Volatile.Read(ref slot.Below);
            TSteps.Step(Point.SwingTop);
            if (Swing(top, below))
                return slot;
        }
    }

    public override int DetachAll()
    {
        while (true)
        {
            TSteps.Step(Point.DetachAll);
            var top = Volatile.Read(ref _top);
            if ((int)top == 0 || Swing(top, 0))
                return (int)top;
        }
    }

    public override void Reattach(int first)
    {
        if (first == 0)
            return;
        while (true)
        {
            TSteps.Step(Point.Reattach);
            var top = Volatile.Read(ref _top);
            if ((int)top == 0 && Swing(top, first))
                return;
            first = Above(DetachAll(), first);
        }
    }

    // What was returned in the meantime stays on top.
    private int Above(int newer, int older)
    {
        if (newer == 0)
            return older;
        var last = slots.At(newer);
        while (last.Below != 0)
            last = slots.At(last.Below);
        last.Below = older;
        return newer;
    }

    private bool Swing(long top, int link)
    {
        var tag = TSteps.Has(Flaw.NoTag) ? 0 : (top >>> 32) + 1;
        return Interlocked.CompareExchange(ref _top, (tag << 32) | (uint)link, top) == top;
    }
}
