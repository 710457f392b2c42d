namespace Loxo.Pooling.Core;

/// <summary>All slots of a pool. It grows with the pool. It is changed only under the pool's lock, and read without it.</summary>
internal sealed class SlotTable<T>
    where T : class
{
    private readonly Stack<Slot<T>> _free = [];
    private Slot<T>[] _all = [];

    public Slot<T>[] All => Volatile.Read(ref _all);

    /// <summary>The slot of a link: an index + 1.</summary>
    public Slot<T> At(int link) => Volatile.Read(ref _all)[link - 1];

    public Slot<T> TakeFree()
    {
        if (_free.Count == 0)
            Grow();
        return _free.Pop();
    }

    public void Free(Slot<T> slot)
    {
        slot.Resource = null;
        slot.Mark(SlotState.Free);
        _free.Push(slot);
    }

    private void Grow()
    {
        var grown = new Slot<T>[Math.Max(4, _all.Length * 2)];
        _all.CopyTo(grown, 0);
        for (var i = grown.Length - 1; i >= _all.Length; i--)
        {
            grown[i] = new Slot<T>(i, this);
            _free.Push(grown[i]);
        }
        Volatile.Write(ref _all, grown);
    }
}
