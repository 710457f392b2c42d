namespace Loxo.Pooling.Core;

/// <summary>Gives resources to the next renter, and closes those that cannot be used again.</summary>
internal sealed class Returner<T, TSteps>(PoolContext<T> context, Dispatcher<T, TSteps> dispatcher, Closer<T, TSteps> closer)
    where T : class
    where TSteps : struct, ISteps
{
    private readonly Clock _clock = context.Clock;

    /// <summary>Resets a resource whose rent has ended, and gives it back.</summary>
    public void Return(Slot<T> slot)
    {
        if (context.Forms.Resets && !Reset(slot))
            closer.Close(slot, CloseReason.ResetFailed);
        else
            GiveBack(slot);
    }

    /// <inheritdoc cref="Return"/>
    public ValueTask ReturnAsync(Slot<T> slot)
    {
        if (!context.Forms.ResetsAsync)
            return GiveBackAsync(slot);
        var reset = ResetAsync(slot);
        return reset.IsYes ? GiveBackAsync(slot) : ReturnAfter(reset, slot);
    }

    /// <summary>Gives back a resource that is ready for its next renter.</summary>
    public void GiveBack(Slot<T> slot) => closer.CloseAll(PutUnlessOld(slot));

    /// <inheritdoc cref="GiveBack"/>
    public ValueTask GiveBackAsync(Slot<T> slot) => closer.CloseAllAsync(PutUnlessOld(slot));

    /// <summary>Gives back an idle resource that was checked; it counts as idle since it was returned.</summary>
    public void GiveBackChecked(Slot<T> slot) => closer.CloseAll(Put(slot, slot.IdleSince));

    /// <inheritdoc cref="GiveBackChecked"/>
    public ValueTask GiveBackCheckedAsync(Slot<T> slot) => closer.CloseAllAsync(Put(slot, slot.IdleSince));

    // Returns the slots to close.
    private Slot<T>? PutUnlessOld(Slot<T> slot)
    {
        var now = _clock.Now;
        return dispatcher.ReasonToClose(slot, now) is { } reason ? slot.ToClose(reason, null) : Put(slot, now);
    }

    private Slot<T>? Put(Slot<T> slot, long idleSince)
    {
        var generation = slot.Generation;
        slot.IdleSince = idleSince;
        slot.Mark(SlotState.Idle);
        TSteps.Step(Point.ReadPressure);
        if (dispatcher.Pressure != 0)
            return dispatcher.Settle(slot, mayBeOld: false);
        dispatcher.Idle.Put(slot);
        var pressure = TSteps.Step(Point.ReadPressureAgain) && dispatcher.Pressure != 0;
        var mayBeOld = TSteps.Step(Point.ReadGenerationAgain) && dispatcher.Generation != generation;
        return pressure || mayBeOld ? dispatcher.Settle(null, mayBeOld) : null;
    }

    private bool Reset(Slot<T> slot)
    {
        try
        {
            return context.Policy.Reset(slot.Resource!);
        }
        catch (Exception)
        {
            return false;
        }
    }

    private Answer ResetAsync(Slot<T> slot)
    {
        try
        {
            return Answer.Of(context.Policy.ResetAsync(slot.Resource!));
        }
        catch (Exception error)
        {
            return Answer.Failed(error);
        }
    }

    private async ValueTask ReturnAfter(Answer reset, Slot<T> slot)
    {
        var usable = false;
        try
        {
            usable = await reset.Get().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The same as a reset that returns false.
        }
        if (usable)
            await GiveBackAsync(slot).ConfigureAwait(false);
        else
            await closer.CloseAsync(slot, CloseReason.ResetFailed).ConfigureAwait(false);
    }
}
