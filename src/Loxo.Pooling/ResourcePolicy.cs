namespace Loxo.Pooling;

/// <summary>
/// What a pool must know of its resources. Override the blocking form of a method, the asynchronous form, or both. A pool whose
/// policy lacks the blocking form of opening, checking or resetting cannot be rented from by blocking, and the other way round:
/// it throws <see cref="NotSupportedException"/>. Methods may run on several threads at once, each for another resource.
/// </summary>
/// <typeparam name="T">The resource.</typeparam>
public abstract class ResourcePolicy<T>
    where T : class
{
    /// <summary>Opens a resource, blocking. Should fail once <paramref name="timeLeft"/> has passed: the pool cannot interrupt it.</summary>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    public virtual T Open(TimeSpan timeLeft) => throw Missing(nameof(Open));

    /// <summary>Opens a resource. Should fail once <paramref name="timeLeft"/> has passed: the pool does not interrupt it.</summary>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    public virtual ValueTask<T> OpenAsync(TimeSpan timeLeft, CancellationToken token) => throw Missing(nameof(OpenAsync));

    /// <summary>
    /// Looks at a resource that was idle, before it is handed out, blocking. By default it is taken as it is.
    /// </summary>
    /// <param name="resource">The resource; nobody else has it.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>False, or an exception: it is closed, and the renter gets another one.</returns>
    public virtual bool Check(T resource, TimeSpan timeLeft) => true;

    /// <summary>Looks at a resource that was idle, before it is handed out. By default it is taken as it is.</summary>
    /// <param name="resource">The resource; nobody else has it.</param>
    /// <param name="timeLeft">What is left of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token. If the check throws because of it, the resource is closed and the rent ends.</param>
    /// <returns>False, or an exception: it is closed, and the renter gets another one.</returns>
    public virtual ValueTask<bool> CheckAsync(T resource, TimeSpan timeLeft, CancellationToken token) => new(true);

    /// <summary>Makes a returned resource ready for its next renter, blocking. By default there is nothing to do.</summary>
    /// <returns>False, or an exception: it cannot be used again and is closed.</returns>
    public virtual bool Reset(T resource) => true;

    /// <summary>Makes a returned resource ready for its next renter. By default there is nothing to do.</summary>
    /// <returns>False, or an exception: it cannot be used again and is closed.</returns>
    public virtual ValueTask<bool> ResetAsync(T resource) => new(true);

    /// <summary>
    /// Closes a resource, blocking. What it throws is ignored. By default there is nothing to do. If only <see cref="CloseAsync"/>
    /// is given, blocking callers start that one and do not wait for it.
    /// </summary>
    public virtual void Close(T resource)
    {
    }

    /// <summary>
    /// Closes a resource. What it throws is ignored. By default there is nothing to do. If only <see cref="Close"/> is given, that one
    /// is called instead.
    /// </summary>
    public virtual ValueTask CloseAsync(T resource) => default;

    /// <summary>
    /// Whether an idle resource should be checked in the background, without waiting for its next renter. It is asked under the
    /// pool's lock, about every <see cref="ResourcePoolOptions.AttentionInterval"/>: it must only look at the resource, and neither
    /// wait nor call the pool. False by default.
    /// </summary>
    public virtual bool NeedsAttention(T resource) => false;

    /// <summary>
    /// Whether the renter of a rented resource has disappeared (was collected) without returning it. It is asked every
    /// <see cref="ResourcePoolOptions.MaintenanceInterval"/>, while the renter may be using the resource: it must only look. The
    /// resource is then closed, and another can be opened. It is also asked before the renter has even received the resource, so it has to
    /// say no until the renter has made itself known, and what it knows of one renter has to be forgotten when the resource is reset.
    /// False by default.
    /// </summary>
    public virtual bool IsAbandoned(T resource) => false;

    /// <summary>A resource was opened. What this and the other notifications throw is ignored; the pool holds no lock while they run.</summary>
    public virtual void Opened(T resource, TimeSpan took)
    {
    }

    /// <summary>A resource could not be opened. Not called when the renter cancelled.</summary>
    public virtual void OpenFailed(Exception error)
    {
    }

    /// <summary>A resource was closed.</summary>
    public virtual void Closed(T resource, CloseReason reason)
    {
    }

    /// <summary>A resource whose renter has disappeared is about to be closed.</summary>
    public virtual void Abandoned(T resource, RentalInfo info)
    {
    }

    /// <summary>A check, before a rent or in the background, refused a resource, which is about to be closed.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="error">What the check threw; null if it said false.</param>
    public virtual void CheckFailed(T resource, Exception? error)
    {
    }

    private NotSupportedException Missing(string method) => new($"{GetType().Name} has no {method}.");
}
