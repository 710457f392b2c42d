using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Stops a session's command, and makes sure that a late cancel signal does not hit the next one.</summary>
/// <param name="session">Whose commands are stopped.</param>
/// <param name="state">The session's.</param>
internal sealed class Cancellation(ServerSession session, StateWord state)
{
    // Up to this time and size, reading the rest of a result costs no more than a cancel request, which takes a connection of its own.
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(100);
    private const long BytesWorthReading = 1024 * 1024;

    private CancelRequest? _cancel;
    private StopReason _reasonOfTimeout = StopReason.Timeout;
    private TaskCompletionSource? _deferredAnswered;
    private bool _awaitsDeferred;
    // The time of the request is over.
    private volatile bool _isGivenUp;

    /// <summary>Why the running command was asked to stop.</summary>
    public StopReason Reason { get; private set; }

    /// <summary>Whether the server can be asked to stop a command.</summary>
    public bool CanCancel => session.SecretKey.Length > 0 && session.Context.CancelWait != TimeSpan.Zero;

    /// <summary>A command begins.</summary>
    /// <param name="mayBeHit">Whether an earlier cancel request can hit it.</param>
    /// <returns>Whether <see cref="Settle"/> is due before anything is written.</returns>
    public bool Begin(bool mayBeHit)
    {
        _awaitsDeferred = !mayBeHit && session.Deferred.IsDue && session.IsPooledElsewhere;
        if (!mayBeHit)
            Reason = StopReason.None;
        return mayBeHit || _awaitsDeferred;
    }

    /// <summary>Asks the server to stop the command of that number, if it still runs; never blocks, never throws.</summary>
    public void Cancel(long commandNumber)
    {
        if (CanCancel)
            TryCancel(commandNumber, StopReason.Cancel, out _);
    }

    /// <summary>
    /// Stops the command of that number, if it still runs: the server is asked to, or the connection is broken where it cannot be asked.
    /// </summary>
    public void Stop(long commandNumber, StopReason reason = StopReason.Cancel)
    {
        if (CanCancel)
            TryCancel(commandNumber, reason, out _);
        else if (state.IsRunning(commandNumber))
            StopWait(reason);
    }

    /// <summary>
    /// Blocks until the rest of the exchange has been skipped. If <paramref name="mayStop"/>, a long or slow rest is cancelled instead.
    /// </summary>
    /// <param name="exchange">It skips what arrives.</param>
    /// <param name="skipped">Limits how much it skips.</param>
    /// <param name="timeout">Milliseconds each wait may last.</param>
    /// <param name="mayStop">Whether stopping it loses nothing.</param>
    public Progress Drain(Exchange exchange, ISkippable skipped, int timeout, bool mayStop)
    {
        if (!mayStop || !CanCancel)
            return session.Pump(exchange, timeout);
        skipped.BytesToSkip = BytesWorthReading;
        var progress = session.Wire.Pump(exchange, Deadline.In(_patience, session.Context.Time));
        skipped.BytesToSkip = long.MaxValue;
        return progress == Progress.Done ? progress : PumpAfterTimeout(exchange, StopReason.Cancel);
    }

    /// <inheritdoc cref="Drain"/>
    public async ValueTask<Progress> DrainAsync(Exchange exchange, ISkippable skipped, int timeout, bool mayStop)
    {
        if (!mayStop || !CanCancel)
            return await session.PumpAsync(exchange, timeout, CancellationToken.None).ConfigureAwait(false);
        skipped.BytesToSkip = BytesWorthReading;
        _reasonOfTimeout = StopReason.Cancel;
        try
        {
            var patience = Deadline.In(_patience, session.Context.Time);
            var progress = await session.Wire.PumpAsync(exchange, patience, CancellationToken.None).ConfigureAwait(false);
            if (progress == Progress.Done)
                return progress;
        }
        finally
        {
            skipped.BytesToSkip = long.MaxValue;
            _reasonOfTimeout = StopReason.Timeout;
        }
        Stop(state.Number);
        return await session.PumpAsync(exchange, timeout, CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>The time of an asynchronous wait is over.</summary>
    public void WaitTimedOut() => StopWait(_reasonOfTimeout);

    /// <summary>The token of an asynchronous wait was cancelled.</summary>
    public void WaitCancelled() => StopWait(StopReason.Cancel);

    /// <summary>
    /// The time of a cancel request is over: if its command still runs, the waiting thread or task is woken with an error. While nobody
    /// waits, the server's answer may have come: whoever waits later is limited by the time of that wait.
    /// </summary>
    public void GiveUp(CancelRequest request)
    {
        if (!IsStopping(request))
            return;
        _isGivenUp = true;
        if (session.Wire.IsInUse)
            session.Wire.Shutdown();
    }

    /// <summary>Whether the command that the request is to stop still runs.</summary>
    public bool IsStopping(CancelRequest request) => ReferenceEquals(_cancel, request) && state.State == SessionState.Cancelling;

    /// <summary>
    /// Completes when the deferred statements in front of the command have been answered. A cancel request that reaches the server earlier
    /// would hit the reset of the session.
    /// </summary>
    public Task AwaitDeferred()
    {
        if (!session.Deferred.IsDue)
            return Task.CompletedTask;
        var answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        answered = Interlocked.CompareExchange(ref _deferredAnswered, answered, null) ?? answered;
        if (!session.Deferred.IsDue)
            answered.TrySetResult();
        return answered.Task;
    }

    /// <summary>The last deferred statement has been answered.</summary>
    public void DeferredEnded() => Interlocked.Exchange(ref _deferredAnswered, null)?.TrySetResult();

    // Asynchronous waits end here; a blocking one that times out goes to PumpAfterTimeout.
    private void StopWait(StopReason reason)
    {
        // A cancel request that is under way has a limit of its own. A reset that takes too long must not be cancelled.
        var isReset = reason == StopReason.Timeout && session.Deferred.IsDue;
        if (!isReset && ((state.State == SessionState.Cancelling && !_isGivenUp) || (CanCancel && TryCancel(state.Number, reason, out _))))
            return;
        if (Reason == StopReason.None)
            Reason = reason;
        session.Wire.Shutdown();
    }

    private bool TryCancel(long commandNumber, StopReason reason, [NotNullWhen(true)] out CancelRequest? request, bool start = true)
    {
        request = null;
        if (_cancel is not null || !state.TryCancel(commandNumber))
            return false;
        Reason = reason;
        _isGivenUp = false;
        request = new CancelRequest(session);
        Volatile.Write(ref _cancel, request);
        if (start)
            request.Start();
        return true;
    }

    /// <summary>Blocks until the exchange stops, after the server has been asked to cancel the command.</summary>
    /// <param name="exchange">What runs.</param>
    /// <param name="reason">Why it is to stop.</param>
    /// <param name="turn">As <see cref="Wire.Pump"/> takes it.</param>
    /// <exception cref="PgException">It did not stop in time: the session is broken.</exception>
    public Progress PumpAfterTimeout(Exchange exchange, StopReason reason, Turn? turn = null)
    {
        // A reset that takes too long must not be cancelled.
        if (session.Deferred.IsDue)
            throw TimedOut();
        var limit = Deadline.In(session.Context.CancelWait, session.Context.Time);
        if (CanCancel && TryCancel(state.Number, reason, out var request, start: false))
            request.Run(limit);
        // A cancel request that somebody else has sent is given its time too.
        if (state.State == SessionState.Cancelling && session.Wire.Pump(exchange, limit, turn) is not Progress.NeedMore and var progress)
            return progress;
        throw TimedOut();
    }

    private Exception TimedOut()
    {
        if (Reason == StopReason.None)
            Reason = StopReason.Timeout;
        return session.Failed(new TimeoutException("The server did not answer in time."));
    }

    /// <summary>Whether an earlier cancel request was delivered; false if it may arrive at any time, null if it is on its way.</summary>
    public bool? IsDelivered => EarlierCancel().End() is { IsCompleted: true } ended ? ended.Result : null;

    /// <summary>Blocks until the earlier cancel request has been delivered. False if it may still arrive when the time is over.</summary>
    public bool AwaitDelivery(Deadline limit)
    {
        var ended = EarlierCancel().End();
        return ended.Wait(limit.Left) && ended.Result;
    }

    /// <inheritdoc cref="AwaitDelivery"/>
    public ValueTask<bool> AwaitDeliveryAsync(Deadline limit, CancellationToken token) => EndsInTime(EarlierCancel().End(), limit, token);

    /// <summary>
    /// Blocks until an earlier cancel request can no longer hit the command that begins now: its connection has reached its end, so the
    /// signal has been sent, and one Sync later it has been seen. A server that reads a command ignores a cancel (ProcessInterrupts,
    /// postgres.c). Without such a request it blocks, in front of a pooler, until the deferred statements have been answered.
    /// </summary>
    public void Settle()
    {
        if (_awaitsDeferred)
        {
            if (!session.Deferred.Take(Deadline.In(session.Context.Settings.CommandTimeout, session.Context.Time)))
                throw TimedOut();
            return;
        }
        var limit = Deadline.In(session.Context.CancelWait, session.Context.Time);
        var ended = EarlierCancel().End();
        if (!ended.Wait(limit.Left) || !ended.Result || session.Wire.Pump(new SyncExchange(session), limit) == Progress.NeedMore)
            throw session.Failed(SessionErrors.CancelNotSettled());
        _cancel = null;
    }

    /// <inheritdoc cref="Settle"/>
    public async ValueTask SettleAsync()
    {
        if (_awaitsDeferred)
        {
            var time = Deadline.In(session.Context.Settings.CommandTimeout, session.Context.Time);
            await session.Deferred.TakeAsync(time, CancellationToken.None).ConfigureAwait(false);
            return;
        }
        var limit = Deadline.In(session.Context.CancelWait, session.Context.Time);
        if (!await EndsInTime(EarlierCancel().End(), limit, CancellationToken.None).ConfigureAwait(false))
            throw session.Failed(SessionErrors.CancelNotSettled());
        try
        {
            await session.Wire.PumpAsync(new SyncExchange(session), limit, CancellationToken.None).ConfigureAwait(false);
        }
        catch (PgException e) when (Reason == StopReason.Timeout && e is not PostgresException)
        {
            throw SessionErrors.CancelNotSettled();
        }
        _cancel = null;
    }

    private async ValueTask<bool> EndsInTime(Task<bool> ended, Deadline limit, CancellationToken token)
    {
        try
        {
            return await ended.WaitAsync(limit.Left, session.Context.Time, token).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // A cancelling thread changes the state first and publishes its request an instant later. The reason was that of the command before.
    private CancelRequest EarlierCancel()
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref _cancel) is null)
            spin.SpinOnce();
        Reason = StopReason.None;
        return _cancel!;
    }
}
