namespace Loxo.Pooling.Data;

/// <summary>
/// Holds a provider's reader or transaction while it is in use. Wrapper and connection share the handle, and the one that ends it takes the
/// object out: providers reuse such objects, so an old reference could be another renter's.
/// </summary>
internal sealed class Handle<T>(T target)
    where T : class
{
    private T? _target = target;

    /// <summary>The object; null once it has been taken.</summary>
    public T? Target => Volatile.Read(ref _target);

    /// <summary>Returns the object to the first caller, null to the others.</summary>
    public T? Take() => Interlocked.Exchange(ref _target, null);
}
