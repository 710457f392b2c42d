using Loxo.Pooling.Core;

namespace Loxo.Pooling;

/// <summary>
/// A rented resource. End the rental with <see cref="ResourcePool{T}.Return"/>, <see cref="ResourcePool{T}.Discard"/> or their asynchronous
/// forms. Copies are the same rental: once one was returned, returning another does nothing.
/// </summary>
/// <typeparam name="T">The resource.</typeparam>
public readonly struct Rental<T>
    where T : class
{
    private readonly T? _resource;

    internal Rental(Slot<T> slot, T resource, long version)
    {
        Slot = slot;
        _resource = resource;
        Version = version;
    }

    /// <summary>The resource. It must not be used after the rental has ended.</summary>
    /// <exception cref="InvalidOperationException">This is the default value.</exception>
    public T Resource => _resource ?? throw new InvalidOperationException("This Rental is the default value: it holds no resource.");

    /// <summary>Whether the rental has not ended: it was not returned or discarded, nor taken back as abandoned.</summary>
    public bool IsValid => Slot?.IsRented(Version) == true;

    internal Slot<T>? Slot { get; }

    internal long Version { get; }

    /// <summary>
    /// Describes the use of the resource, for <see cref="PoolStatistics.OldestRents"/> and <see cref="PoolExhaustedException"/>. Null, the
    /// initial value, shows nothing.
    /// </summary>
    public void SetTag(object? tag) => Slot?.SetTag(Version, tag);
}
