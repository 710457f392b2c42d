namespace Loxo.Pooling.Core;

/// <summary>Opens resources, each with a permit that was taken before.</summary>
internal sealed class Opener<T, TSteps>(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher, Closer<T, TSteps> closer)
    where T : class
    where TSteps : struct, ISteps
{
    private bool IsPoolClosed
    {
        get
        {
            TSteps.Step(Point.ReadClosed);
            return dispatcher.IsClosed;
        }
    }

    /// <param name="deadline">When opening must have ended, by the pool's clock.</param>
    /// <param name="generation">The pool's generation when the permit was taken.</param>
    public Slot<T> Open(long deadline, int generation)
    {
        var started = context.Options.Time.GetTimestamp();
        T resource;
        try
        {
            resource = context.Policy.Open(context.Clock.Left(deadline)) ?? throw OpenedNull();
        }
        catch (Exception error)
        {
            Fail(error, cancelled: false);
            throw;
        }
        var slot = Admit(resource, generation, started);
        if (!IsPoolClosed)
            return slot;
        closer.Close(slot, CloseReason.Disposed);
        throw PoolDisposed();
    }

    /// <inheritdoc cref="Open"/>
    public async ValueTask<Slot<T>> OpenAsync(long deadline, int generation, CancellationToken token)
    {
        var started = context.Options.Time.GetTimestamp();
        T resource;
        try
        {
            resource = await context.Policy.OpenAsync(context.Clock.Left(deadline), token).ConfigureAwait(false) ?? throw OpenedNull();
        }
        catch (Exception error)
        {
            Fail(error, cancelled: error is OperationCanceledException && token.IsCancellationRequested);
            throw;
        }
        var slot = Admit(resource, generation, started);
        if (!IsPoolClosed)
            return slot;
        await closer.CloseAsync(slot, CloseReason.Disposed).ConfigureAwait(false);
        throw PoolDisposed();
    }

    public static ObjectDisposedException PoolDisposed() => new(typeof(ResourcePool<T>).FullName, "The pool was disposed.");

    private Slot<T> Admit(T resource, int generation, long started)
    {
        var slot = dispatcher.Admit(resource, generation, context.NextExpiry());
        context.Notices.Opened(resource, context.Options.Time.GetElapsedTime(started));
        return slot;
    }

    // The permit goes to the next waiter; the error stays with the caller whose opening failed.
    private void Fail(Exception error, bool cancelled)
    {
        dispatcher.ReleasePermit(cancelled ? null : new OpenFailure(context.Options.Time.GetUtcNow(), error));
        if (!cancelled)
            context.Notices.OpenFailed(error);
    }

    private static InvalidOperationException OpenedNull() => new("The policy opened nothing: Open and OpenAsync must not return null.");
}
