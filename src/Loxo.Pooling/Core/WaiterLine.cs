namespace Loxo.Pooling.Core;

/// <summary>Those who wait, in the order in which they are served. Used under the pool's lock.</summary>
internal struct WaiterLine<T>
    where T : class
{
    private Waiter<T>? _last;

    public Waiter<T>? First { get; private set; }

    public int Count { get; private set; }

    public void AddLast(Waiter<T> waiter)
    {
        (waiter.Previous, waiter.Next) = (_last, null);
        if (_last is null)
            First = waiter;
        else
            _last.Next = waiter;
        _last = waiter;
        Count++;
    }

    public void AddFirst(Waiter<T> waiter)
    {
        (waiter.Previous, waiter.Next) = (null, First);
        if (First is null)
            _last = waiter;
        else
            First.Previous = waiter;
        First = waiter;
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
