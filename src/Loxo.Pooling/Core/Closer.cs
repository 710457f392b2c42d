namespace Loxo.Pooling.Core;

/// <summary>Closes resources, and frees their slots for others.</summary>
internal sealed class Closer<T, TSteps>(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher)
    where T : class
    where TSteps : struct, ISteps
{
    private bool OnlyBlocks => context.Forms is { Closes: true, ClosesAsync: false };

    public void Close(Slot<T> slot, CloseReason reason)
    {
        if (context.Forms is { ClosesAsync: true, Closes: false })
        {
            _ = CloseAsync(slot, reason).AsTask();
            return;
        }
        var resource = slot.Resource!;
        try
        {
            context.Policy.Close(resource);
        }
        catch (Exception)
        {
            // The pool has no use for the resource in any case.
        }
        Release(slot, resource, reason);
    }

    public async ValueTask CloseAsync(Slot<T> slot, CloseReason reason)
    {
        if (OnlyBlocks)
        {
            Close(slot, reason);
            return;
        }
        var resource = slot.Resource!;
        try
        {
            await context.Policy.CloseAsync(resource).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // As above.
        }
        Release(slot, resource, reason);
    }

    /// <summary>Closes all slots of a list.</summary>
    public void CloseAll(Slot<T>? slots)
    {
        while (slots is { } slot)
        {
            slots = slot.NextToClose;
            Close(slot, slot.Reason);
        }
    }

    /// <inheritdoc cref="CloseAll"/>
    public ValueTask CloseAllAsync(Slot<T>? slots) => slots is null ? default : CloseEach(slots);

    public void CloseInBackground(Slot<T>? slots)
    {
        if (slots is null)
            return;
        if (OnlyBlocks)
            _ = Task.Run(() => CloseAll(slots));
        else
            _ = CloseAllAsync(slots).AsTask();
    }

    private async ValueTask CloseEach(Slot<T>? slots)
    {
        while (slots is { } slot)
        {
            slots = slot.NextToClose;
            await CloseAsync(slot, slot.Reason).ConfigureAwait(false);
        }
    }

    private void Release(Slot<T> slot, T resource, CloseReason reason)
    {
        dispatcher.Release(slot, reason);
        context.Notices.Closed(resource, reason);
    }
}
