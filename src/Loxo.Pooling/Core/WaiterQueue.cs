namespace Loxo.Pooling.Core;

/// <summary>The waiters, in the order in which they are served. Used under the pool's lock.</summary>
internal sealed class WaiterQueue<T>
    where T : class
{
    private Waiter<T>? _last;

    public Waiter<T>? First { get; private set; }

    public int Count { get; private set; }

    /// <summary>Adds a waiter at the end, or at the front.</summary>
    public void Add(Waiter<T> waiter, bool first)
    {
        (waiter.Previous, waiter.Next) = (first ? null : _last, first ? First : null);
        if (waiter.Previous is null)
            First = waiter;
        else
            waiter.Previous.Next = waiter;
        if (waiter.Next is null)
            _last = waiter;
        else
            waiter.Next.Previous = waiter;
        Count++;
    }

    public void Remove(Waiter<T> waiter)
    {
        if (waiter.Previous is null)
            First = waiter.Next;
        else
            waiter.Previous.Next = waiter.Next;
        if (waiter.Next is null)
            _last = waiter.Previous;
        else
            waiter.Next.Previous = waiter.Previous;
        (waiter.Previous, waiter.Next) = (null, null);
        Count--;
    }
}
