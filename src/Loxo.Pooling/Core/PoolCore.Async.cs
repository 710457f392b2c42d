using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Loxo.Pooling.Core;

// The asynchronous form of everything that waits. PoolCore.Blocking.cs has the other one.
internal sealed partial class PoolCore<T, TSteps>
{
    public ValueTask<Rental<T>> RentAsync(TimeSpan timeout, CancellationToken token)
    {
        if (_forms.MissingToAwait is { } missing)
            throw _forms.NotSupported(missing);
        if (token.IsCancellationRequested)
            return ValueTask.FromCanceled<Rental<T>>(token);
        var stack = SampleStack();
        if (_idle.TryTake() is not { } slot)
            return RentSlowAsync(timeout, stack, token);
        var now = _clock.Now;
        if (!_forms.ChecksAsync && Unfit(slot, now) is null)
            return new ValueTask<Rental<T>>(Hand(slot, now, stack));
        var ready = IsReadyAsync(slot, now, timeout, token);
        return ready.IsYes
            ? new ValueTask<Rental<T>>(Hand(slot, now, stack))
            : RentSlowAsync(slot, ready, new Request(timeout, _clock.In(timeout), stack, token));
    }

    public ValueTask ReturnAsync(in Rental<T> rental)
    {
        if (_forms is { Resets: true, ResetsAsync: false })
            throw _forms.NotSupported(nameof(ResourcePolicy<T>.ResetAsync));
        if (Claim(rental) is not { } slot)
            return default;
        if (!_forms.ResetsAsync)
            return CloseAllAsync(GiveBack(slot));
        var reset = ResetAsync(slot);
        return reset.IsYes ? CloseAllAsync(GiveBack(slot)) : ReturnAfter(reset, slot);
    }

    public ValueTask DiscardAsync(in Rental<T> rental) =>
        Claim(rental) is { } slot ? CloseAsync(slot, CloseReason.Broken) : default;

    public ValueTask ClearAsync() => CloseAllAsync(MakeOld());

    public ValueTask DisposeAsync() => CloseAllAsync(End());

    private ValueTask<Rental<T>> RentSlowAsync(TimeSpan timeout, StackTrace? stack, CancellationToken token) =>
        RentSlowAsync(null, default, new Request(timeout, _clock.In(timeout), stack, token));

    // What an asynchronous method needs to go on is taken from the runtime's cache, which mostly has one.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Rental<T>> RentSlowAsync(Slot<T>? slot, Answer ready, Request request)
    {
        var first = slot is not null;
        while (true)
        {
            if (slot is not null && (ready.IsYes || (ready.Later is { } later && await later.ConfigureAwait(false))))
                return Hand(slot, _clock.Now, request.Stack);
            request.Token.ThrowIfCancellationRequested();

            var waiter = Enqueue(blocks: false, request.Deadline, first, out var served);
            var ours = served || await Wait(waiter, request.Token).ConfigureAwait(false);
            WaiterState state;
            int generation;
            (state, slot, generation) = (waiter.State, waiter.Slot, waiter.Generation);
            if (ours)
                BringBack(waiter);
            if (state != WaiterState.Served)
                throw state == WaiterState.Cancelled ? new OperationCanceledException(request.Token) : NotServed(state, request.Timeout);

            if (slot is null)
                return Hand(await OpenAsync(generation, request).ConfigureAwait(false), _clock.Now, request.Stack);
            ready = IsReadyAsync(slot, _clock.Now, _clock.Left(request.Deadline), request.Token);
            // It was its turn already.
            first = true;
        }
    }

    // False if the token's callback may still hold the waiter, so that it must not be used again.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<bool> Wait(Waiter<T> waiter, CancellationToken token)
    {
        var registration = token.UnsafeRegister(static state => ((Waiter<T>)state!).Owner.OnCancelled((Waiter<T>)state), waiter);
        TSteps.Awaits(waiter);
        await waiter.Woken.ConfigureAwait(false);
        return registration.Unregister() || !token.CanBeCanceled;
    }

    private async ValueTask<Slot<T>> OpenAsync(int generation, Request request)
    {
        var started = _options.Time.GetTimestamp();
        T resource;
        try
        {
            resource = await _policy.OpenAsync(_clock.Left(request.Deadline), request.Token).ConfigureAwait(false) ?? throw OpenedNothing();
        }
        catch (Exception error)
        {
            FailOpen(error, cancelled: error is OperationCanceledException && request.Token.IsCancellationRequested);
            throw;
        }
        var slot = Admit(resource, generation);
        TellOpened(resource, started);
        if (!HasEnded)
            return slot;
        await CloseAsync(slot, CloseReason.Disposed).ConfigureAwait(false);
        throw Disposed();
    }

    // Closes it if not.
    private Answer IsReadyAsync(Slot<T> slot, long now, TimeSpan left, CancellationToken token)
    {
        if (Unfit(slot, now) is { } reason)
            return Answer.Of(Refuse(slot, reason));
        if (!_forms.ChecksAsync)
            return Answer.Yes;
        slot.Mark(SlotState.Held);
        Answer check;
        try
        {
            check = Answer.Of(_policy.CheckAsync(slot.Resource!, left, token));
        }
        catch (Exception error)
        {
            check = Answer.Failed(error);
        }
        return check.IsYes ? check : Answer.Of(AwaitCheck(check, slot, token));
    }

    private async Task<bool> Refuse(Slot<T> slot, CloseReason reason)
    {
        await CloseAsync(slot, reason).ConfigureAwait(false);
        return false;
    }

    private async Task<bool> AwaitCheck(Answer check, Slot<T> slot, CancellationToken token)
    {
        Exception? error = null;
        try
        {
            if (check.Later is { } later && await later.ConfigureAwait(false))
                return true;
        }
        catch (Exception thrown)
        {
            error = thrown;
        }
        if (error is not OperationCanceledException || !token.IsCancellationRequested)
            TellCheckFailed(slot.Resource!, error);
        await CloseAsync(slot, CloseReason.CheckFailed).ConfigureAwait(false);
        return false;
    }

    private Answer ResetAsync(Slot<T> slot)
    {
        try
        {
            return Answer.Of(_policy.ResetAsync(slot.Resource!));
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
            usable = reset.Later is { } later && await later.ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The same as no.
        }
        if (usable)
            await CloseAllAsync(GiveBack(slot)).ConfigureAwait(false);
        else
            await CloseAsync(slot, CloseReason.ResetFailed).ConfigureAwait(false);
    }

    private ValueTask CloseAllAsync(Slot<T>? chain) => chain is null ? default : CloseEach(chain);

    private async ValueTask CloseEach(Slot<T>? chain)
    {
        while (chain is { } slot)
        {
            chain = slot.NextToClose;
            await CloseAsync(slot, slot.Reason).ConfigureAwait(false);
        }
    }

    private async ValueTask CloseAsync(Slot<T> slot, CloseReason reason)
    {
        if (_forms is { Closes: true, ClosesAsync: false })
        {
            Close(slot, reason);
            return;
        }
        var resource = slot.Resource!;
        try
        {
            await _policy.CloseAsync(resource).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // It is gone for the pool in any case.
        }
        Release(slot, reason);
        TellClosed(resource, reason);
    }

    private readonly record struct Request(TimeSpan Timeout, long Deadline, StackTrace? Stack, CancellationToken Token);
}
