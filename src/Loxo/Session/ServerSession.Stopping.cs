using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

// How a command is stopped, and how the session gets over it.
internal sealed partial class ServerSession
{
    // For so long, and for so many bytes, reading the rest of a result costs no more than a cancel request on a connection of its own.
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(100);
    private const long BytesWorthReading = 1024 * 1024;

    private CancelRequest? _cancel;
    private StopReason _stopReason;
    private StopReason _reasonOfTimeout = StopReason.Timeout;
    private TaskCompletionSource? _deferredAnswered;

    /// <summary>Asks the server to stop the command of that number, if it still runs; never blocks, never throws.</summary>
    public void Cancel(long commandNumber)
    {
        if (CanCancel)
            TryCancel(commandNumber, StopReason.Cancel, out _);
    }

    /// <summary>Stops the command of that number: the server is asked to, or the connection is broken where it cannot be asked.</summary>
    public void Stop(long commandNumber)
    {
        if (CanCancel)
            TryCancel(commandNumber, StopReason.Cancel, out _);
        else if (commandNumber == CommandNumber)
            StopWait(StopReason.Cancel);
    }

    /// <summary>
    /// Blocks until the rest of a command is passed over. If <paramref name="mayStop"/>, a rest that is long in coming, or long, is cancelled instead.
    /// </summary>
    public Progress Drain(int timeout, bool mayStop)
    {
        if (!mayStop || !CanCancel)
            return Pump(Command, timeout);
        Command.Query.BytesToSkip = BytesWorthReading;
        var progress = _wire.Pump(Command, Deadline.In(_patience, Context.Time));
        Command.Query.BytesToSkip = long.MaxValue;
        return progress == Progress.Done ? progress : PumpAfterTimeout(Command, StopReason.Cancel);
    }

    /// <inheritdoc cref="Drain"/>
    public async ValueTask<Progress> DrainAsync(int timeout, bool mayStop)
    {
        if (!mayStop || !CanCancel)
            return await PumpAsync(Command, timeout, CancellationToken.None).ConfigureAwait(false);
        Command.Query.BytesToSkip = BytesWorthReading;
        _reasonOfTimeout = StopReason.Cancel;
        try
        {
            var progress = await _wire.PumpAsync(Command, Deadline.In(_patience, Context.Time), CancellationToken.None).ConfigureAwait(false);
            if (progress == Progress.Done)
                return progress;
        }
        finally
        {
            Command.Query.BytesToSkip = long.MaxValue;
            _reasonOfTimeout = StopReason.Timeout;
        }
        Stop(CommandNumber);
        return await PumpAsync(Command, timeout, CancellationToken.None).ConfigureAwait(false);
    }

    void IWireOwner.WaitTimedOut() => StopWait(_reasonOfTimeout);

    void IWireOwner.WaitCancelled() => StopWait(StopReason.Cancel);

    /// <summary>The cancel request of a command has had its time: if the command still runs, whoever waits for it is woken.</summary>
    public void GiveUp(CancelRequest request)
    {
        if (ReferenceEquals(_cancel, request) && State == SessionState.Cancelling)
            _wire.Shutdown();
    }

    /// <summary>
    /// Completes when no statement of ours is under way in front of the command: a cancel request must not reach the server before that, or it would hit the reset that the
    /// session owes to its next renter.
    /// </summary>
    public Task AwaitDeferred()
    {
        if (!_deferred.IsDue)
            return Task.CompletedTask;
        var answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        answered = Interlocked.CompareExchange(ref _deferredAnswered, answered, null) ?? answered;
        if (!_deferred.IsDue)
            answered.TrySetResult();
        return answered.Task;
    }

    /// <summary>The last statement of ours has been answered.</summary>
    public void DeferredEnded() => Interlocked.Exchange(ref _deferredAnswered, null)?.TrySetResult();

    private bool CanCancel => SecretKey.Length > 0 && Context.CancelWait != TimeSpan.Zero;

    // Asynchronous waits end here; a blocking one that times out goes to PumpAfterTimeout.
    private void StopWait(StopReason reason)
    {
        // A cancel request that is under way has a limit of its own. A reset that takes too long must not be cancelled.
        var isReset = reason == StopReason.Timeout && _deferred.IsDue;
        if (!isReset && (State == SessionState.Cancelling || (CanCancel && TryCancel(CommandNumber, reason, out _))))
            return;
        if (_stopReason == StopReason.None)
            _stopReason = reason;
        _wire.Shutdown();
    }

    private bool TryCancel(long commandNumber, StopReason reason, [NotNullWhen(true)] out CancelRequest? request, bool start = true)
    {
        request = null;
        var busy = (commandNumber << 8) | (long)SessionState.Busy;
        var cancelling = (commandNumber << 8) | (long)SessionState.Cancelling;
        if (_cancel is not null || Interlocked.CompareExchange(ref _word, cancelling, busy) != busy)
            return false;
        _stopReason = reason;
        request = new CancelRequest(this);
        Volatile.Write(ref _cancel, request);
        if (start)
            request.Start();
        return true;
    }

    private Progress PumpAfterTimeout(Exchange exchange, StopReason reason)
    {
        // A reset that takes too long must not be cancelled.
        if (_deferred.IsDue)
            throw TimedOut();
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        if (CanCancel && TryCancel(CommandNumber, reason, out var request, start: false))
            request.Run(limit);
        // A cancel request that somebody else has sent is given its time too.
        if (State == SessionState.Cancelling && _wire.Pump(exchange, limit) is not Progress.NeedMore and var progress)
            return progress;
        throw TimedOut();
    }

    private Exception TimedOut()
    {
        if (_stopReason == StopReason.None)
            _stopReason = StopReason.Timeout;
        return Failed(new TimeoutException("The server did not answer in time."));
    }

    // The cancel connection has reached its end, so the signal has been sent; one Sync later it has been seen: a server that reads
    // a command ignores a cancel (ProcessInterrupts, postgres.c).
    private void Settle()
    {
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        var ended = EarlierCancel().Ended;
        if (!ended.Wait(limit.Left) || !ended.Result || _wire.Pump(new SyncExchange(this), limit) == Progress.NeedMore)
            throw Failed(SessionErrors.CancelNotSettled());
        _cancel = null;
    }

    private async ValueTask SettleAsync()
    {
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        if (!await EndsInTime(EarlierCancel().Ended, limit).ConfigureAwait(false))
            throw Failed(SessionErrors.CancelNotSettled());
        try
        {
            await _wire.PumpAsync(new SyncExchange(this), limit, CancellationToken.None).ConfigureAwait(false);
        }
        catch (PgException e) when (_stopReason == StopReason.Timeout && e is not PostgresException)
        {
            throw SessionErrors.CancelNotSettled();
        }
        _cancel = null;
    }

    private async ValueTask<bool> EndsInTime(Task<bool> ended, Deadline limit)
    {
        try
        {
            return await ended.WaitAsync(limit.Left, Context.Time).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // Whoever cancels changes the state first and shows the request an instant later. From here on the reason is that of a command which is over.
    private CancelRequest EarlierCancel()
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref _cancel) is null)
            spin.SpinOnce();
        _stopReason = StopReason.None;
        return _cancel!;
    }
}
