namespace Loxo.Pooling.Core;

/// <summary>The slots whose resources wait for a renter, in the order in which they are handed out.</summary>
internal abstract class IdleStore<T>
    where T : class
{
    public abstract void Put(Slot<T> slot);

    public abstract Slot<T>? TryTake();

    /// <summary>Only under the pool's lock. Takes everything out, linked by <see cref="Slot{T}.Below"/>; returns the link of the first, 0 if there is none.</summary>
    public abstract int DetachAll();

    /// <summary>Only under the pool's lock. Puts back what <see cref="DetachAll"/> took out; what was returned in the meantime keeps its place in the order.</summary>
    public abstract void Reattach(int first);
}
