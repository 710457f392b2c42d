using Loxo.Pooling.Core;

namespace Loxo.Pooling;

/// <summary>
/// A resource in the hands of one renter, to be given back with <see cref="ResourcePool{T}.Return"/>,
/// <see cref="ResourcePool{T}.Discard"/> or one of their asynchronous forms. Copies of it are the same rental: the first that is given
/// back ends it, and giving back another does nothing, whoever has the resource by then.
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

    /// <summary>The resource. It must not be used once the rental has been given back.</summary>
    /// <exception cref="InvalidOperationException">This is not a rental but the default value.</exception>
    public T Resource => _resource ?? throw new InvalidOperationException("This Rental is the default value: it holds no resource.");

    /// <summary>Whether the resource has not been given back yet, nor taken away because its renter was taken for lost.</summary>
    public bool IsValid => Slot?.IsRented(Version) == true;

    internal Slot<T>? Slot { get; }

    internal long Version { get; }

    /// <summary>
    /// Notes what the resource is used for. It is shown with the oldest rents in <see cref="PoolStatistics.OldestRents"/> and
    /// <see cref="PoolExhaustedException"/>. Null, the value at the beginning, shows nothing.
    /// </summary>
    public void SetTag(object? tag) => Slot?.SetTag(Version, tag);
}
