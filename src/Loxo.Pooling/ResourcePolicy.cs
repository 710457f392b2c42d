namespace Loxo.Pooling;

/// <summary>
/// Opens, checks, resets and closes the resources of a pool. Override the blocking form of a method, the asynchronous form, or both. If the
/// policy lacks the blocking form of opening, checking or resetting, blocking calls of the pool throw <see cref="NotSupportedException"/>,
/// and likewise for the asynchronous form. Methods may run on several threads at once, each for another resource.
/// </summary>
/// <typeparam name="T">The resource.</typeparam>
public abstract class ResourcePolicy<T>
    where T : class
{
    /// <summary>Opens a resource, blocking. Should fail after <paramref name="timeLeft"/>: the pool cannot interrupt it.</summary>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    public virtual T Open(TimeSpan timeLeft) => throw Missing(nameof(Open));

    /// <summary>Opens a resource. Should fail after <paramref name="timeLeft"/>: the pool does not interrupt it.</summary>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token.</param>
    public virtual ValueTask<T> OpenAsync(TimeSpan timeLeft, CancellationToken token) => throw Missing(nameof(OpenAsync));

    /// <summary>Checks an idle resource before it is rented. By default every resource passes.</summary>
    /// <param name="resource">The resource. No one else uses it.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>True if it can be used. After false, or an exception, it is closed, and the renter gets another one.</returns>
    public virtual bool Check(T resource, TimeSpan timeLeft) => true;

    /// <param name="resource">The resource. No one else uses it.</param>
    /// <param name="timeLeft">The rest of the rent's time; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="token">The renter's token. If the check throws because of it, the resource is closed and the rent ends.</param>
    /// <inheritdoc cref="Check"/>
    public virtual ValueTask<bool> CheckAsync(T resource, TimeSpan timeLeft, CancellationToken token) => new(true);

    /// <summary>Makes a returned resource ready for its next renter. Does nothing by default.</summary>
    /// <returns>True if it can be used again. After false, or an exception, it is closed.</returns>
    public virtual bool Reset(T resource) => true;

    /// <inheritdoc cref="Reset"/>
    public virtual ValueTask<bool> ResetAsync(T resource) => new(true);

    /// <summary>
    /// Closes a resource, blocking. Exceptions are ignored. Does nothing by default. If only <see cref="CloseAsync"/> is overridden,
    /// blocking callers start that and do not wait for it.
    /// </summary>
    public virtual void Close(T resource)
    {
    }

    /// <summary>
    /// Closes a resource. Exceptions are ignored. Does nothing by default. If only <see cref="Close"/> is overridden, that is called
    /// instead.
    /// </summary>
    public virtual ValueTask CloseAsync(T resource) => default;

    /// <summary>
    /// Whether an idle resource should be checked in the background, before anyone rents it. Called under the pool's lock, about every
    /// <see cref="ResourcePoolOptions.AttentionInterval"/> after resources were returned, and every
    /// <see cref="ResourcePoolOptions.MaintenanceInterval"/>: it must neither wait nor call the pool. False by default.
    /// </summary>
    public virtual bool NeedsAttention(T resource) => false;

    /// <summary>
    /// Whether the renter of a rented resource was garbage collected without returning it. Called every
    /// <see cref="ResourcePoolOptions.MaintenanceInterval"/>, and while renters wait every
    /// <see cref="ResourcePoolOptions.AttentionInterval"/>, possibly while the renter uses the resource or has not received it yet: it
    /// must not change the resource, and must say no until the renter is known. Forget the renter when the resource is reset. An abandoned
    /// resource is closed. False by default.
    /// </summary>
    public virtual bool IsAbandoned(T resource) => false;

    /// <summary>
    /// Whether a rented resource has failed for good. It is closed then, although its renter has not returned it and may never do so; a
    /// later return has no effect. Called as <see cref="IsAbandoned"/> is, and must not change the resource either. False by default.
    /// </summary>
    public virtual bool IsBroken(T resource) => false;

    /// <summary>
    /// Called when an asynchronous renter that has waited is to continue, on the thread that returns a resource: lets it continue elsewhere
    /// than in the thread pool. False by default, and after an exception.
    /// </summary>
    /// <param name="renter">Continues when it is executed, once; perhaps for long. It must not be executed within this call.</param>
    /// <returns>Whether it will be executed; if not, the pool hands it to the thread pool.</returns>
    public virtual bool TryResume(IThreadPoolWorkItem renter) => false;

    /// <summary>
    /// Whether a renter whose opening failed tries again as long as it has time, and first takes a resource that has come back meanwhile.
    /// Called without a lock; after an exception it does not try again.
    /// </summary>
    /// <param name="error">Why opening failed.</param>
    /// <param name="failures">How often opening has failed for this renter, from 1.</param>
    /// <returns>
    /// How long it waits before, at most: the last attempt begins early enough to end in time. Null, the default, if it does not try again.
    /// </returns>
    public virtual TimeSpan? RetryOpenAfter(Exception error, int failures) => null;

    /// <summary>
    /// Called after a resource was opened. Like all notifications it runs without a lock, and its exceptions are ignored.
    /// </summary>
    public virtual void Opened(T resource, TimeSpan took)
    {
    }

    /// <summary>Called after opening failed, but not if the renter cancelled.</summary>
    public virtual void OpenFailed(Exception error)
    {
    }

    /// <summary>Called after a resource was closed.</summary>
    public virtual void Closed(T resource, CloseReason reason)
    {
    }

    /// <summary>Called before an abandoned resource is closed.</summary>
    public virtual void Abandoned(T resource, RentalInfo info)
    {
    }

    /// <summary>
    /// Called once for each rent that has lasted longer than <see cref="ResourcePoolOptions.LeakThreshold"/>, while the renter may be using
    /// the resource.
    /// </summary>
    public virtual void Overdue(T resource, RentalInfo info)
    {
    }

    /// <summary>
    /// Says what a rented resource is used for, for <see cref="RentalInfo.Use"/>. Its renter may be using it. Exceptions are ignored. Null,
    /// the default, says nothing.
    /// </summary>
    public virtual string? Describe(T resource) => null;

    /// <summary>Called before a resource that a check refused is closed.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="error">The check's exception; null if it returned false.</param>
    public virtual void CheckFailed(T resource, Exception? error)
    {
    }

    private NotSupportedException Missing(string method) => new($"{GetType().Name} does not override {method}.");
}
