namespace Loxo.Pooling.Data;

/// <summary>
/// A provider's reader or transaction as long as it is in use. Wrapper and connection both have the handle, and whichever ends it takes
/// the object out: providers use such objects again, so an old reference would be the neighbour's.
/// </summary>
internal sealed class Handle<T>(T target)
    where T : class
{
    private T? _target = target;

    /// <summary>The object; null once it has been taken.</summary>
    public T? Target => Volatile.Read(ref _target);

    /// <summary>The object, for the first who asks.</summary>
    public T? Take() => Interlocked.Exchange(ref _target, null);
}
