namespace Loxo.Pooling;

/// <summary>A resource of a pool at one moment.</summary>
/// <typeparam name="T">The resource.</typeparam>
public sealed record PooledResource<T>
    where T : class
{
    /// <summary>The resource. Its renter may be using it: only read from it what any thread may read.</summary>
    public required T Resource { get; init; }

    /// <summary>What is being done with it.</summary>
    public required PooledResourceState State { get; init; }

    /// <summary>How long ago it was opened.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>How long it has been idle; zero unless it is.</summary>
    public TimeSpan IdleFor { get; init; }

    /// <summary>Its rent; null unless it is rented.</summary>
    public RentalInfo? Rental { get; init; }
}

/// <summary>What a pool is doing with a resource.</summary>
public enum PooledResourceState
{
    /// <summary>It can be rented.</summary>
    Idle,

    /// <summary>A renter has it.</summary>
    Rented,

    /// <summary>The pool is checking, resetting or closing it.</summary>
    Held,
}
