using System.Runtime.InteropServices;

namespace Loxo.Pooling.Core;

/// <summary>The slots whose resources wait for a renter, in the order in which they are handed out.</summary>
internal abstract class IdleStore<T>(SlotTable<T> slots)
    where T : class
{
    private readonly List<Slot<T>> _detached = [];

    protected SlotTable<T> Slots => slots;

    /// <summary>Whether it looks empty at this moment.</summary>
    public abstract bool IsEmpty { get; }

    public abstract void Put(Slot<T> slot);

    public abstract Slot<T>? TryTake();

    /// <summary>
    /// Takes everything out, under the pool's lock; <see cref="Reattach(int)"/> must follow. Until then the store looks empty, so renters
    /// must enter the lock. The first in the list is the first to be handed out.
    /// </summary>
    public Span<Slot<T>> Detach()
    {
        _detached.Clear();
        for (var link = DetachAll(); link != 0; link = _detached[^1].Below)
            _detached.Add(Slots.At(link));
        return CollectionsMarshal.AsSpan(_detached);
    }

    /// <summary>
    /// Puts back the first <paramref name="count"/> slots of the list, under the pool's lock. Slots that were returned in the meantime keep
    /// their place in the order.
    /// </summary>
    public void Reattach(int count)
    {
        for (var i = 0; i < count; i++)
            _detached[i].Below = i + 1 < count ? _detached[i + 1].Index + 1 : 0;
        if (count > 0)
            ReattachAll(_detached[0].Index + 1);
        _detached.Clear();
    }

    /// <summary>Takes all slots out, linked by <see cref="Slot{T}.Below"/>, and returns the first link; 0 for none.</summary>
    protected abstract int DetachAll();

    /// <summary>Puts back a chain of at least one slot.</summary>
    protected abstract void ReattachAll(int first);
}
