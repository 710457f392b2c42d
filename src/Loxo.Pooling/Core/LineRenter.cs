using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Loxo.Pooling.Core;

/// <summary>What an asynchronous renter asks for.</summary>
internal readonly record struct RentRequest(TimeSpan Timeout, long Deadline, StackTrace? Stack, CancellationToken Token);

/// <summary>Rents when nothing usable is idle: waits in line, then takes what is handed over or opens a resource.</summary>
internal sealed class LineRenter<T, TSteps>(
    PoolContext<T> context, Dispatcher<T, TSteps> dispatcher,
    Checker<T, TSteps> checker, Opener<T, TSteps> opener, Returner<T, TSteps> returner) : ILineRenter<T>
    where T : class
    where TSteps : struct, ISteps
{
    // Milliseconds. The policy measures the time that it is given by a clock of its own.
    private const int ClockGrain = 20;

    // Milliseconds. In less time than this, opening again is not worth an attempt.
    private const int ShortestAttempt = 40;

    private readonly Clock _clock = context.Clock;

    /// <param name="timeout">How long the rent may take.</param>
    /// <param name="deadline">When that time is over.</param>
    /// <param name="first">Whether the renter goes to the front of the line, because it took an unusable resource.</param>
    /// <param name="stack">The renter's stack trace, if one was taken.</param>
    public Rental<T> Rent(TimeSpan timeout, long deadline, bool first, StackTrace? stack)
    {
        var refusals = default(Refusals);
        while (true)
        {
            if (Wait(timeout, deadline, first, refusals, out var generation) is not { } slot)
            {
                var (began, pause) = (_clock.Now, TimeSpan.Zero);
                try
                {
                    return opener.Open(deadline, generation).Rent(_clock.Now, stack);
                }
                catch (Exception e) when (MayOpenAgain(e, began, deadline, ref refusals, out pause))
                {
                    // Goes on behind the pause.
                }
                catch (Exception e) when (HasRefused(refusals, e, deadline))
                {
                    refusals.Throw();
                }
                Pause(pause);
                first = true;
                continue;
            }
            var now = _clock.Now;
            if (checker.IsReady(slot, now, _clock.Left(deadline)))
                return slot.Rent(now, stack);
            first = true;
        }
    }

    /// <param name="slot">An idle resource that was taken and is being checked; null if there was none.</param>
    /// <param name="ready">What the check says.</param>
    /// <param name="request">What the renter asks for.</param>
    public ValueTask<Rental<T>> RentAsync(Slot<T>? slot, Answer ready, RentRequest request)
    {
        // Mostly a renter waits, and is handed what it can use. That takes no object but the waiter.
        if (slot is not null || request.Token.CanBeCanceled)
            return RentAsync(slot, ready, served: null, request, renting: null);
        Waiter<T> waiter;
        bool served;
        try
        {
            waiter = dispatcher.Enqueue(blocks: false, request.Deadline, first: false, out served, this, in request);
        }
        catch (ObjectDisposedException e)
        {
            return ValueTask.FromException<Rental<T>>(e);
        }
        if (served)
        {
            var (taken, generation) = (waiter.Slot, waiter.Generation);
            dispatcher.SpareWaiters.Return(waiter);
            return RentAsync(taken, default, generation, request, renting: null);
        }
        TSteps.Awaits(waiter);
        return waiter.Rented;
    }

    void ILineRenter<T>.GoOn(Waiter<T> waiter)
    {
        if (waiter.State != WaiterState.Served)
        {
            waiter.Fail(NotServed(waiter.State, waiter.Request.Timeout, default));
            return;
        }
        if (waiter.Slot is { } slot && !context.Forms.ChecksAsync && dispatcher.ReasonToClose(slot, _clock.Now) is null)
            waiter.Complete();
        else
            waiter.Prepare();
    }

    void ILineRenter<T>.Prepare(Waiter<T> waiter)
    {
        var ready = default(Answer);
        if (waiter.Slot is { } slot)
        {
            ready = checker.IsReadyAsync(slot, _clock.Now, _clock.Left(waiter.Request.Deadline), CancellationToken.None);
            if (ready.IsYes)
            {
                waiter.Complete();
                return;
            }
        }
        _ = PrepareAsync(waiter, ready);
    }

    Rental<T> ILineRenter<T>.Rent(Waiter<T> waiter, Slot<T> slot, StackTrace? stack)
    {
        dispatcher.SpareWaiters.Return(waiter);
        return slot.Rent(_clock.Now, stack);
    }

    void ILineRenter<T>.Spare(Waiter<T> waiter) => dispatcher.SpareWaiters.Return(waiter);

    private async Task PrepareAsync(Waiter<T> waiter, Answer ready)
    {
        int? served = waiter.Slot is null ? waiter.Generation : null;
        try
        {
            await RentAsync(waiter.Slot, ready, served, waiter.Request, waiter).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            waiter.Fail(e);
            return;
        }
        waiter.Complete();
    }

    // Served: the generation of what the renter was handed, a slot or the permit to open; null if it was handed nothing yet.
    // Renting: gets the slot, for its renter to rent it; if it is null, the slot is rented here.
    // The state machine comes from the runtime's cache, which mostly has one.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Rental<T>> RentAsync(Slot<T>? slot, Answer ready, int? served, RentRequest request, Waiter<T>? renting)
    {
        var first = slot is not null;
        var refusals = default(Refusals);
        while (true)
        {
            int generation;
            if (served is { } handedOver)
            {
                generation = handedOver;
            }
            else
            {
                if (slot is not null && (ready.IsYes || await ready.Get().ConfigureAwait(false)))
                    return RentFor(renting, slot, request);
                request.Token.ThrowIfCancellationRequested();

                var waiter = dispatcher.Enqueue(blocks: false, request.Deadline, first, out var isServed);
                var isOurs = true;
                if (!isServed && request.Token.CanBeCanceled)
                {
                    isOurs = await WaitAsync(waiter, request.Token).ConfigureAwait(false);
                }
                else if (!isServed)
                {
                    TSteps.Awaits(waiter);
                    await waiter.Woken.ConfigureAwait(false);
                }
                WaiterState state;
                (state, slot, generation) = (waiter.State, waiter.Slot, waiter.Generation);
                if (isOurs)
                    dispatcher.SpareWaiters.Return(waiter);
                if (state != WaiterState.Served)
                {
                    throw state == WaiterState.Cancelled
                        ? new OperationCanceledException(request.Token)
                        : NotServed(state, request.Timeout, refusals);
                }
            }
            (served, first) = (null, true);

            if (slot is null)
            {
                var (began, pause) = (_clock.Now, TimeSpan.Zero);
                try
                {
                    slot = await opener.OpenAsync(request.Deadline, generation, request.Token).ConfigureAwait(false);
                    return RentFor(renting, slot, request);
                }
                catch (Exception e) when (MayOpenAgain(e, began, request.Deadline, ref refusals, out pause))
                {
                    // Goes on behind the pause.
                }
                catch (Exception e) when (HasRefused(refusals, e, request.Deadline))
                {
                    refusals.Throw();
                }
                await Task.Delay(pause, context.Options.Time, request.Token).ConfigureAwait(false);
                continue;
            }
            ready = checker.IsReadyAsync(slot, _clock.Now, _clock.Left(request.Deadline), request.Token);
        }
    }

    private Rental<T> RentFor(Waiter<T>? renting, Slot<T> slot, RentRequest request)
    {
        if (renting is null)
            return slot.Rent(_clock.Now, request.Stack);
        renting.Slot = slot;
        return default;
    }

    // The last attempt begins so late that it just ends before the deadline, if it takes no longer than twice the one before.
    private bool MayOpenAgain(Exception error, long began, long deadline, ref Refusals refusals, out TimeSpan pause)
    {
        pause = default;
        if (context.Notices.RetryOpenAfter(error, refusals.Count + 1) is not { } wanted)
            return false;
        refusals = new Refusals(refusals.Count + 1, error);
        pause = wanted;
        if (deadline == long.MaxValue)
            return true;
        var now = _clock.Now;
        var latest = TimeSpan.FromMilliseconds(deadline - now - Math.Max(2 * (now - began), ShortestAttempt));
        if (latest < pause)
            pause = latest;
        return latest > TimeSpan.Zero;
    }

    // An attempt that the deadline has cut off says less than the refusal after which it was made.
    private bool HasRefused(Refusals refusals, Exception error, long deadline) => refusals.Last is not null
        && error is not OperationCanceledException && deadline != long.MaxValue && _clock.Now >= deadline - ClockGrain;

    private void Pause(TimeSpan time)
    {
        // The system's clock needs no timer, which would need a thread of the pool.
        if (_clock.IsSystem)
        {
            Thread.Sleep(time);
            return;
        }
        using var over = new ManualResetEventSlim();
        using var timer = context.Options.Time.CreateTimer(
            static over => ((ManualResetEventSlim)over!).Set(), over, time, Timeout.InfiniteTimeSpan);
        over.Wait();
    }

    // The slot that was handed over, or null for the permit to open.
    private Slot<T>? Wait(TimeSpan timeout, long deadline, bool first, Refusals refusals, out int generation)
    {
        var waiter = dispatcher.Enqueue(blocks: true, deadline, first, out var served);
        var signalled = served || Block(waiter, deadline);
        if (!signalled && dispatcher.GiveUp(waiter, WaiterState.TimedOut))
            throw NotServed(WaiterState.TimedOut, timeout, refusals);
        var (state, slot) = (waiter.State, waiter.Slot);
        generation = waiter.Generation;
        if (signalled)
            dispatcher.SpareWaiters.Return(waiter);
        return state == WaiterState.Served ? slot : throw NotServed(state, timeout, refusals);
    }

    private bool Block(Waiter<T> waiter, long deadline)
    {
        var isEndedByTimer = deadline == long.MaxValue || dispatcher.TimerEndsBlocking;
        try
        {
            return TSteps.Block(waiter, isEndedByTimer ? Timeout.Infinite : (int)Math.Clamp(deadline - _clock.Now, 0, int.MaxValue));
        }
        catch (ThreadInterruptedException)
        {
            if (!dispatcher.GiveUp(waiter, WaiterState.Cancelled) && waiter.State == WaiterState.Served)
                PassOn(waiter);
            throw;
        }
    }

    private void PassOn(Waiter<T> waiter)
    {
        if (waiter.Slot is { } slot)
            returner.GiveBack(slot);
        else
            dispatcher.ReleasePermit(null);
    }

    // False if the token's callback may still use the waiter, so that it must not be used again.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<bool> WaitAsync(Waiter<T> waiter, CancellationToken token)
    {
        var registration = token.UnsafeRegister(static state => ((Waiter<T>)state!).Cancel((Waiter<T>)state), waiter);
        TSteps.Awaits(waiter);
        await waiter.Woken.ConfigureAwait(false);
        return registration.Unregister();
    }

    private Exception NotServed(WaiterState state, TimeSpan timeout, Refusals refusals)
    {
        if (state != WaiterState.TimedOut)
            return Opener<T, TSteps>.PoolDisposed();
        dispatcher.Counters.CountTimeout();
        if (refusals.Last is not null)
            refusals.Throw();
        return new PoolExhaustedException(timeout, StatisticsReader<T, TSteps>.Read(context, dispatcher));
    }

    /// <summary>The failures of one renter after which it has tried again.</summary>
    private readonly record struct Refusals(int Count, Exception? Last)
    {
        public void Throw() => ExceptionDispatchInfo.Throw(Last!);
    }
}
