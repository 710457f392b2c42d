namespace Loxo.Pooling.Core;

/// <summary>
/// LIFO order, without a lock. The top is the link of a slot and a tag that changes with each push and pop. Without the tag, a popper could
/// not tell that the slot on top was taken and put back in between, onto another slot (the ABA problem).
/// </summary>
internal sealed class IdleStack<T, TSteps>(SlotTable<T> slots) : IdleStore<T>(slots)
    where T : class
    where TSteps : struct, ISteps
{
    // The link in the lower half, the tag in the upper.
    private long _top;

    public long Top => Volatile.Read(ref _top);

    public override bool IsEmpty => (int)Volatile.Read(ref _top) == 0;

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
            var slot = Slots.At((int)top);
            TSteps.Step(Point.ReadBelow);
            var below = Volatile.Read(ref slot.Below);
            TSteps.Step(Point.SwingTop);
            if (Swing(top, below))
                return slot;
        }
    }

    protected override int DetachAll()
    {
        while (true)
        {
            TSteps.Step(Point.DetachAll);
            var top = Volatile.Read(ref _top);
            if ((int)top == 0 || Swing(top, 0))
                return (int)top;
        }
    }

    protected override void ReattachAll(int first)
    {
        while (true)
        {
            TSteps.Step(Point.Reattach);
            var top = Volatile.Read(ref _top);
            if ((int)top == 0 && Swing(top, first))
                return;
            first = Above(DetachAll(), first);
        }
    }

    // Slots that were returned in the meantime stay on top.
    private int Above(int newer, int older)
    {
        if (newer == 0)
            return older;
        var last = Slots.At(newer);
        while (last.Below != 0)
            last = Slots.At(last.Below);
        last.Below = older;
        return newer;
    }

    private bool Swing(long top, int link)
    {
        var tag = (top >>> 32) + (TSteps.Step(Point.ChangeTag) ? 1 : 0);
        return Interlocked.CompareExchange(ref _top, (tag << 32) | (uint)link, top) == top;
    }
}
