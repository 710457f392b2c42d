using Loxo.Pooling.Core;

namespace Loxo.Pooling;

/// <summary>
/// Keeps resources that are dear to open, and lends them. What is idle is rented and returned without a lock; blocking and asynchronous
/// renters wait in one line, first come, first served. All members may be used from several threads at once.
/// </summary>
/// <typeparam name="T">The resource.</typeparam>
public sealed class ResourcePool<T> : IDisposable, IAsyncDisposable
    where T : class
{
    private readonly PoolCore<T, NoSteps> _core;
    private readonly TimeSpan _timeout;

    /// <summary>Makes a pool. If <see cref="ResourcePoolOptions.MinimumSize"/> is set it begins to open resources in the background.</summary>
    /// <param name="policy">How resources are opened, checked, reset and closed.</param>
    /// <param name="options">How the pool behaves.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option has a value that it cannot have.</exception>
    public ResourcePool(ResourcePolicy<T> policy, ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        Options = options.Validated();
        _timeout = options.RentTimeout;
        _core = new PoolCore<T, NoSteps>(policy, options);
    }

    /// <summary>What the pool was made with.</summary>
    public ResourcePoolOptions Options { get; }

    /// <summary>Rents a resource, blocking for at most <see cref="ResourcePoolOptions.RentTimeout"/>. Never needs the thread pool to go on.</summary>
    /// <inheritdoc cref="Rent(TimeSpan)"/>
    public Rental<T> Rent() => _core.Rent(_timeout);

    /// <summary>Rents a resource, blocking. Never needs the thread pool to go on.</summary>
    /// <param name="timeout">For how long at most, opening and checking included; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <exception cref="PoolExhaustedException">The time is over.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy cannot be used by blocking.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither positive nor infinite.</exception>
    /// <remarks>What the policy throws when it opens a resource comes through unchanged, to the renter whose opening failed.</remarks>
    public Rental<T> Rent(TimeSpan timeout)
    {
        ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.Rent(timeout);
    }

    /// <summary>Rents a resource, within <see cref="ResourcePoolOptions.RentTimeout"/>.</summary>
    /// <inheritdoc cref="RentAsync(TimeSpan, CancellationToken)"/>
    public ValueTask<Rental<T>> RentAsync(CancellationToken token = default) => _core.RentAsync(_timeout, token);

    /// <summary>Rents a resource. Completes at once if one is idle.</summary>
    /// <param name="timeout">For how long at most, opening and checking included; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">Ends the waiting. If a resource was handed over at the same moment the rent succeeds.</param>
    /// <returns>To be awaited once.</returns>
    /// <exception cref="PoolExhaustedException">The time is over.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy cannot be used asynchronously.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither positive nor infinite.</exception>
    /// <remarks>What the policy throws when it opens a resource comes through unchanged, to the renter whose opening failed.</remarks>
    public ValueTask<Rental<T>> RentAsync(TimeSpan timeout, CancellationToken token = default)
    {
        ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.RentAsync(timeout, token);
    }

    /// <summary>
    /// Rents what is idle, if anything is, without waiting, opening, or asking the policy's check; only lifetime and
    /// <see cref="Clear"/> are respected.
    /// </summary>
    /// <param name="rental">The rental; the default value if there is none.</param>
    /// <returns>False if nothing is idle.</returns>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public bool TryRentIdle(out Rental<T> rental)
    {
        var found = _core.TryRentIdle();
        rental = found.GetValueOrDefault();
        return found is not null;
    }

    /// <summary>
    /// Gives a resource back, for the next renter, after resetting it, blocking. Does nothing if the rental was given back before.
    /// </summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    /// <exception cref="NotSupportedException">The policy can only reset asynchronously. The rental has not ended.</exception>
    public void Return(in Rental<T> rental) => _core.Return(rental);

    /// <summary>Gives a resource back, for the next renter, after resetting it. Does nothing if the rental was given back before.</summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    /// <exception cref="NotSupportedException">The policy can only reset by blocking. The rental has not ended.</exception>
    public ValueTask ReturnAsync(Rental<T> rental) => _core.ReturnAsync(rental);

    /// <summary>
    /// Gives a resource back that cannot be used any more, blocking: it is closed, and another may be opened. Other resources are not
    /// touched. Does nothing if the rental was given back before.
    /// </summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    public void Discard(in Rental<T> rental) => _core.Discard(rental);

    /// <summary>
    /// Gives a resource back that cannot be used any more: it is closed, and another may be opened. Other resources are not touched. Does
    /// nothing if the rental was given back before.
    /// </summary>
    /// <exception cref="ArgumentException">The rental is not of this pool.</exception>
    public ValueTask DiscardAsync(Rental<T> rental) => _core.DiscardAsync(rental);

    /// <summary>
    /// Opens resources, one after the other, blocking, until so many exist. Fails with what the policy throws; what was opened by then stays.
    /// </summary>
    /// <param name="count">How many; no more than may exist.</param>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy cannot be used by blocking.</exception>
    public void WarmUp(int count) => _core.WarmUp(count);

    /// <summary>
    /// Opens resources, several at a time, until so many exist. Fails with what the policy throws; what was opened by then stays.
    /// </summary>
    /// <param name="count">How many; no more than may exist.</param>
    /// <param name="token">Ends the waiting.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    /// <exception cref="NotSupportedException">The policy cannot be used asynchronously.</exception>
    public ValueTask WarmUpAsync(int count, CancellationToken token = default) => _core.WarmUpAsync(count, token);

    /// <summary>
    /// Closes all resources that exist now, blocking: the idle ones at once, the others when they are returned. They are not rented again
    /// once this has been called.
    /// </summary>
    public void Clear() => _core.Clear();

    /// <summary>
    /// Closes all resources that exist now: the idle ones at once, the others when they are returned. They are not rented again once this
    /// has been called.
    /// </summary>
    public ValueTask ClearAsync() => _core.ClearAsync();

    /// <summary>
    /// Changes the limits while the pool is in use, blocking while surplus resources are closed. Those in use are closed when they are
    /// returned.
    /// </summary>
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

    /// <summary>
    /// Ends the pool as <see cref="DisposeAsync"/> does, and waits until everything that was in use has been returned and closed.
    /// </summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit, zero to look once.</param>
    /// <returns>False if the time was over first. The pool has ended all the same, and what is still in use is closed when it is returned.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither infinite nor zero or more.</exception>
    public ValueTask<bool> DrainAsync(TimeSpan timeout)
    {
        if (timeout != TimeSpan.Zero)
            ResourcePoolOptions.RequireWait(timeout, nameof(timeout));
        return _core.DrainAsync(timeout);
    }

    /// <summary>What the pool is doing, and has done since its start.</summary>
    public PoolStatistics GetStatistics() => _core.GetStatistics();

    /// <summary>
    /// Ends the pool, blocking while what is idle is closed. Rents that wait fail with <see cref="ObjectDisposedException"/>; what is in
    /// use is closed when it is returned.
    /// </summary>
    public void Dispose() => _core.Dispose();

    /// <summary>
    /// Ends the pool. What is idle is closed. Rents that wait fail with <see cref="ObjectDisposedException"/>; what is in use is closed
    /// when it is returned.
    /// </summary>
    public ValueTask DisposeAsync() => _core.DisposeAsync();
}
