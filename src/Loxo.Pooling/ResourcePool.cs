using Loxo.Pooling.Core;

namespace Loxo.Pooling;

/// <summary>
/// Keeps resources that are expensive to open, and rents them out. Renting and returning an idle resource takes no lock. Blocking and
/// asynchronous renters wait in one line, first come, first served. All members are thread-safe.
/// </summary>
/// <typeparam name="T">The resource.</typeparam>
public sealed class ResourcePool<T> : IDisposable, IAsyncDisposable
    where T : class
{
    private readonly PoolCore<T, NoSteps> _core;
    private readonly TimeSpan _timeout;

    /// <summary>Creates a pool. With a <see cref="ResourcePoolOptions.MinimumSize"/> it opens resources in the background.</summary>
    /// <param name="policy">Opens, checks, resets and closes resources.</param>
    /// <param name="options">Sizes and times.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    public ResourcePool(ResourcePolicy<T> policy, ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        Options = options.Validated();
        _timeout = options.RentTimeout;
        _core = new PoolCore<T, NoSteps>(policy, options);
    }

    /// <summary>The options that the pool was created with.</summary>
    public ResourcePoolOptions Options { get; }

    /// <summary>Rents a resource, blocking at most <see cref="ResourcePoolOptions.RentTimeout"/>. Never needs the thread pool.</summary>
    /// <inheritdoc cref="Rent(TimeSpan)"/>
    public Rental<T> Rent() => _core.Rent(_timeout);

    /// <summary>Rents a resource, blocking. Never needs the thread pool.</summary>
    /// <param name="timeout">
    /// How long it may take, opening and checking included; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.
    /// </param>
    /// <exception cref="PoolExhaustedException">The rent took too long.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy lacks this form, blocking or asynchronous.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is neither positive nor infinite.</exception>
    /// <remarks>If opening fails, the renter that opened gets the policy's exception unchanged.</remarks>
    public Rental<T> Rent(TimeSpan timeout)
    {
        ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.Rent(timeout);
    }

    /// <summary>Rents a resource, within <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Rental<T>> RentAsync(CancellationToken token = default) => _core.RentAsync(_timeout, token);

    /// <summary>Rents a resource. Completes synchronously if one is idle.</summary>
    /// <param name="timeout">How long the rent may take, as in <see cref="Rent(TimeSpan)"/>.</param>
    /// <param name="token">Cancels the rent. If a resource was handed over at the same moment, the rent succeeds.</param>
    /// <returns>To be awaited once. If it is never awaited, its resource never comes back to the pool.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <inheritdoc cref="Rent(TimeSpan)"/>
    public ValueTask<Rental<T>> RentAsync(TimeSpan timeout, CancellationToken token = default)
    {
        ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.RentAsync(timeout, token);
    }

    /// <summary>
    /// Rents an idle resource, if there is one. Does not wait or open, and does not run the policy's check: only resources that are older
    /// than their lifetime or than a <see cref="Clear"/> are skipped.
    /// </summary>
    /// <param name="rental">The rental; the default value if there is none.</param>
    /// <returns>False if no resource is idle.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public bool TryRentIdle(out Rental<T> rental)
    {
        var found = _core.TryRentIdle();
        rental = found.GetValueOrDefault();
        return found is not null;
    }

    /// <summary>Whether a resource is idle at this moment. It takes no lock, so the next moment may differ.</summary>
    public bool HasIdle => _core.HasIdle;

    /// <summary>Whether a renter would neither have to wait nor find the pool full at this moment; as <see cref="HasIdle"/>.</summary>
    public bool HasRoom => _core.HasIdle || _core.MayGrow;

    /// <summary>How many resources are rented or waited for at this moment; as <see cref="HasIdle"/>.</summary>
    public int CountOutstanding() => _core.CountOutstanding();

    /// <summary>Resets a resource and returns it to the pool, blocking. Does nothing if the rental has ended before.</summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    /// <exception cref="NotSupportedException">The policy can only reset asynchronously. The rental has not ended.</exception>
    public void Return(in Rental<T> rental) => _core.Return(rental);

    /// <summary>Resets a resource and returns it to the pool. Does nothing if the rental has ended before.</summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    /// <exception cref="NotSupportedException">The policy can only reset by blocking. The rental has not ended.</exception>
    public ValueTask ReturnAsync(Rental<T> rental) => _core.ReturnAsync(rental);

    /// <summary>Closes an unusable resource, so that another can be opened. Does nothing if the rental has ended before.</summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    public void Discard(in Rental<T> rental) => _core.Discard(rental);

    /// <inheritdoc cref="Discard"/>
    public ValueTask DiscardAsync(Rental<T> rental) => _core.DiscardAsync(rental);

    /// <summary>Opens resources one after the other, blocking, until <paramref name="count"/> exist.</summary>
    /// <param name="count">How many; at most as many as may exist.</param>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy lacks this form, blocking or asynchronous.</exception>
    /// <remarks>Throws what the policy throws. Resources that were opened before stay open.</remarks>
    public void WarmUp(int count) => _core.WarmUp(count);

    /// <summary>Opens resources, several at a time, until <paramref name="count"/> exist.</summary>
    /// <param name="count">How many; at most as many as may exist.</param>
    /// <param name="token">Cancels the warm-up.</param>
    /// <inheritdoc cref="WarmUp"/>
    public ValueTask WarmUpAsync(int count, CancellationToken token = default) => _core.WarmUpAsync(count, token);

    /// <summary>
    /// Closes all resources that exist now: idle ones at once, rented ones when they are returned. After this call begins, none of them is
    /// rented again.
    /// </summary>
    public void Clear() => _core.Clear();

    /// <inheritdoc cref="Clear"/>
    public ValueTask ClearAsync() => _core.ClearAsync();

    /// <summary>Changes the limits. Surplus resources are closed: idle ones at once, rented ones when they are returned.</summary>
    /// <param name="minimum">How many resources are kept open.</param>
    /// <param name="maximum">How many resources may exist.</param>
    /// <exception cref="ArgumentOutOfRangeException">The minimum is negative, or the maximum less than 1 or than the minimum.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public void Resize(int minimum, int maximum)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(minimum);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maximum);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minimum, maximum);
        _core.Resize(minimum, maximum);
    }

    /// <summary>Disposes the pool, and waits until all rented resources have been returned and closed.</summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit, zero to look once.</param>
    /// <returns>False if the time was over first. The pool is disposed all the same.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is neither infinite nor zero or more.</exception>
    public ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        if (timeout != TimeSpan.Zero)
            ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.DrainAsync(timeout);
    }

    /// <summary>The pool's state, and counts since its creation.</summary>
    public PoolStatistics GetStatistics() => _core.GetStatistics();

    /// <summary>The resources of the pool at this moment, read one after the other while the pool is in use.</summary>
    public IReadOnlyList<PooledResource<T>> GetResources() => _core.GetResources();

    /// <summary>
    /// Closes the pool and its idle resources. Renters that wait get an <see cref="ObjectDisposedException"/>. Rented resources are closed
    /// when they are returned.
    /// </summary>
    public void Dispose() => _core.Dispose();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => _core.DisposeAsync();
}
