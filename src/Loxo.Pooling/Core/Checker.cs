namespace Loxo.Pooling.Core;

/// <summary>Checks idle resources before they are used, and closes those that must not be.</summary>
internal sealed class Checker<T, TSteps>(
    PoolContext<T> context, Dispatcher<T, TSteps> dispatcher, Closer<T, TSteps> closer, Returner<T, TSteps> returner)
    where T : class
    where TSteps : struct, ISteps
{
    private readonly ResourcePolicy<T> _policy = context.Policy;
    private readonly PolicyForms<T> _forms = context.Forms;

    /// <summary>Whether a resource can be handed out. If not, it has been closed.</summary>
    public bool IsReady(Slot<T> slot, long now, TimeSpan timeLeft)
    {
        if (dispatcher.ReasonToClose(slot, now) is { } reason)
        {
            closer.Close(slot, reason);
            return false;
        }
        if (!_forms.Checks)
            return true;
        Exception? error = null;
        slot.Hold();
        try
        {
            if (_policy.Check(slot.Resource!, timeLeft))
                return true;
        }
        catch (Exception thrown)
        {
            error = thrown;
        }
        context.Notices.CheckFailed(slot.Resource!, error);
        closer.Close(slot, CloseReason.CheckFailed);
        return false;
    }

    /// <inheritdoc cref="IsReady"/>
    public Answer IsReadyAsync(Slot<T> slot, long now, TimeSpan timeLeft, CancellationToken token)
    {
        if (dispatcher.ReasonToClose(slot, now) is { } reason)
            return Answer.Of(Refuse(slot, reason));
        if (!_forms.ChecksAsync)
            return Answer.Yes;
        slot.Hold();
        Answer check;
        try
        {
            check = Answer.Of(_policy.CheckAsync(slot.Resource!, timeLeft, token));
        }
        catch (Exception error)
        {
            check = Answer.Failed(error);
        }
        return check.IsYes ? check : Answer.Of(AwaitCheck(check, slot, token));
    }

    /// <summary>Checks an idle resource that was taken out of the store, and puts it back if it is ready.</summary>
    public void CheckInBackground(Slot<T> slot) => _ = _forms.ChecksAsync ? CheckAsync(slot) : Task.Run(() => Check(slot));

    private async Task CheckAsync(Slot<T> slot)
    {
        var ready = IsReadyAsync(slot, context.Clock.Now, context.Options.RentTimeout, CancellationToken.None);
        if (await ready.Get().ConfigureAwait(false))
            await returner.GiveBackCheckedAsync(slot).ConfigureAwait(false);
    }

    private void Check(Slot<T> slot)
    {
        if (IsReady(slot, context.Clock.Now, context.Options.RentTimeout))
            returner.GiveBackChecked(slot);
    }

    private async Task<bool> Refuse(Slot<T> slot, CloseReason reason)
    {
        await closer.CloseAsync(slot, reason).ConfigureAwait(false);
        return false;
    }

    private async Task<bool> AwaitCheck(Answer check, Slot<T> slot, CancellationToken token)
    {
        Exception? error = null;
        try
        {
            if (await check.Get().ConfigureAwait(false))
                return true;
        }
        catch (Exception thrown)
        {
            error = thrown;
        }
        if (error is not OperationCanceledException || !token.IsCancellationRequested)
            context.Notices.CheckFailed(slot.Resource!, error);
        return await Refuse(slot, CloseReason.CheckFailed).ConfigureAwait(false);
    }
}
