using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>
/// A session's two buffers and the only two loops of the driver that wait for the server: one that blocks and one that awaits.
/// Both keep reading while output is stuck, or client and server could each wait for the other to read.
/// </summary>
/// <remarks>
/// Several callers may pump at once, each with a <see cref="Turn"/> of its own. One of them leads: it receives and advances the flights of
/// all. When its own exchange stops, another one takes over. Whatever touches the buffers or the flights meanwhile does so under the gate.
/// </remarks>
internal sealed class Wire : BufferedChannel
{
    private readonly IWireOwner _owner;
    private readonly Watchdog _watchdog;
    // 1 while a caller is in one of the loops.
    private int _isInUse;
    private Exception? _failure;

    public Wire(ByteChannel channel, IWireOwner owner, TransportSettings settings, TimeProvider time)
        : base(channel, settings)
    {
        _owner = owner;
        _watchdog = new Watchdog(time, owner);
        Flights = new FlightQueue(Input);
    }

    /// <summary>How a caller goes on.</summary>
    private enum Next : byte
    {
        /// <summary>Its exchange has stopped.</summary>
        Stop,

        /// <summary>It measures a stream before anything is sent.</summary>
        Measure,

        /// <summary>It reads a stream whose bytes are to be sent next.</summary>
        Pull,

        /// <summary>It receives.</summary>
        Receive,

        /// <summary>It receives and sends, whichever is possible first.</summary>
        ReceiveOrSend,

        /// <summary>It waits for its turn.</summary>
        Wait,
    }

    /// <summary>A caller waits in one of the loops.</summary>
    public override bool IsInUse => Volatile.Read(ref _isInUse) != 0;

    /// <summary>The flights that have not been answered whole.</summary>
    public FlightQueue Flights { get; }

    /// <summary>Queues a flight that <paramref name="exchange"/> has written: it is answered after those queued before.</summary>
    /// <param name="exchange">The exchange.</param>
    /// <param name="start">The position of the flight's first byte in the output; 0 if nobody asks whether it was sent.</param>
    public void Enqueue(Exchange exchange, long start = 0) => Flights.Enqueue(exchange, start);

    /// <summary>
    /// Advances the queued flights over what has arrived, in order, up to the first stop of <paramref name="exchange"/>. It neither sends
    /// nor waits.
    /// </summary>
    public Progress Advance(Exchange exchange)
    {
        if (!IsShared)
            return Flights.Advance(exchange);
        lock (Gate)
        {
            var progress = Flights.Advance(exchange);
            if (!IsInUse)
                Flights.WakeNext();
            return progress;
        }
    }

    /// <summary>An exchange that has stopped is read no more, so those behind it can go on. Call under the gate.</summary>
    public void Leave(Exchange exchange)
    {
        Flights.Leave(exchange);
        if (!IsInUse)
            Flights.WakeNext();
    }

    /// <summary>Blocks until the exchange stops. <see cref="Progress.NeedMore"/> means that the time is over.</summary>
    /// <param name="exchange">Written already.</param>
    /// <param name="deadline">How long each wait may last, and all together.</param>
    /// <param name="turn">Lets the call wait while another one receives; null for an exchange that shares the wire with no other.</param>
    /// <exception cref="InvalidOperationException">Another thread is in one of the loops, and there is no turn to wait for.</exception>
    public Progress Pump(Exchange exchange, Deadline deadline, Turn? turn = null)
    {
        var leads = turn is null && Enter();
        try
        {
            while (true)
            {
                var next = Step(exchange, turn, ref leads, out var progress);
                switch (next)
                {
                    case Next.Stop:
                        return progress;
                    case Next.Measure:
                        exchange.OnMeasured(Unmeasured.TryMeasure(Output));
                        break;
                    case Next.Pull when !deadline.HasExpired:
                        Output.Pulled(Source.Pull(Output.SourceRoom.Span));
                        break;
                    case Next.Wait:
                        if (!turn!.Wait(deadline.NextWait))
                        {
                            EndWait(exchange, turn);
                            return Progress.NeedMore;
                        }
                        break;
                    default:
                        if (!(next == Next.Receive ? Fill(deadline.NextWait) : FillOrFlush(deadline.NextWait)))
                            return Progress.NeedMore;
                        break;
                }
            }
        }
        catch (Exception e)
        {
            throw Failed(exchange, e);
        }
        finally
        {
            if (leads)
                EndLead();
        }
    }

    /// <summary>
    /// Awaits until the exchange stops. The end of a wait's time, or of <paramref name="token"/>, goes to <see cref="IWireOwner"/>,
    /// which asks the server to stop or shuts the channel down; this loop only sees what comes of it.
    /// </summary>
    /// <inheritdoc cref="Pump"/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<Progress> PumpAsync(Exchange exchange, Deadline deadline, CancellationToken token, Turn? turn = null)
    {
        var registration = default(CancellationTokenRegistration);
        // There is one watchdog: callers that share the wire limit their waits by other means.
        var isWatched = turn is null || deadline.PerWait != Timeout.Infinite;
        var leads = turn is null && Enter();
        try
        {
            while (true)
            {
                var next = Step(exchange, turn, ref leads, out var progress);
                if (next == Next.Stop)
                    return progress;
                if (next == Next.Measure)
                {
                    exchange.OnMeasured(await Unmeasured.TryMeasureAsync(Output, token).ConfigureAwait(false));
                    continue;
                }
                if (token.CanBeCanceled && registration == default)
                    registration = token.UnsafeRegister(static state => ((IWireOwner)state!).WaitCancelled(), _owner);
                if (next == Next.Pull)
                {
                    await PullAsync(token).ConfigureAwait(false);
                    continue;
                }
                if (isWatched)
                    _watchdog.Begin(deadline.NextWait);
                if (next == Next.Wait)
                    await turn!.WaitAsync().ConfigureAwait(false);
                else if (next == Next.ReceiveOrSend)
                    await FillOrFlushAsync(turn).ConfigureAwait(false);
                else if (turn is not null)
                    await FillOrYieldAsync(turn).ConfigureAwait(false);
                else if (IsReceiving)
                    await FinishReceivingAsync().ConfigureAwait(false);
                else
                    Arrived(await Channel.ReceiveAsync(FreeSpace()).ConfigureAwait(false));
                if (isWatched)
                    _watchdog.End();
            }
        }
        catch (Exception e)
        {
            throw WithToken(Failed(exchange, e), token);
        }
        finally
        {
            if (isWatched)
                _watchdog.End();
            // Waits for a callback that is running: a later command must not be taken for this one.
            await registration.DisposeAsync().ConfigureAwait(false);
            if (leads)
                EndLead();
        }
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _watchdog.Dispose();
        base.Dispose();
    }

    // Two in the loops would take each other's messages. Only a connection that is closed or used from two threads comes here.
    private bool Enter() => TryLead() ? true : throw TransportErrors.InUse();

    private bool TryLead() => Interlocked.Exchange(ref _isInUse, 1) == 0;

    // The turn may have been given to it meanwhile.
    private void EndWait(Exchange exchange, Turn turn)
    {
        lock (Gate)
        {
            Flights.EndWait(exchange, turn);
            if (!IsInUse)
                Flights.WakeNext();
        }
    }

    private void EndLead()
    {
        if (!IsShared)
        {
            Volatile.Write(ref _isInUse, 0);
            return;
        }
        lock (Gate)
        {
            Volatile.Write(ref _isInUse, 0);
            Flights.WakeNext();
        }
    }

    private Next Step(Exchange exchange, Turn? turn, ref bool leads, out Progress progress)
    {
        if (!IsShared)
            return StepUnderGate(exchange, turn, ref leads, out progress);
        lock (Gate)
            return StepUnderGate(exchange, turn, ref leads, out progress);
    }

    private Next StepUnderGate(Exchange exchange, Turn? turn, ref bool leads, out Progress progress)
    {
        if (turn is not null)
            Flights.EndWait(exchange, turn);
        progress = Flights.Advance(exchange);
        if (Output.Unmeasured is not null && progress == Progress.NeedMore)
            return Next.Measure;
        if (_failure is not null && progress == Progress.NeedMore)
            throw _failure;
        var sent = TrySend();
        if (progress == Progress.NeedMore && exchange.StopsWhenSent && sent && SendError is null)
        {
            progress = AdvanceWithoutWaiting(exchange);
            sent = TrySend();
        }
        if (progress == Progress.NeedMore && exchange.StopsWhenIdle)
            progress = Progress.Sent;
        if (progress != Progress.NeedMore || turn is { HasEnded: true })
        {
            // It may have advanced the flights of others without leading.
            if (!IsInUse)
                Flights.WakeNext();
            return Next.Stop;
        }
        if (Output.IsStarved)
            return Next.Pull;
        if (turn is not null && !MayLead(ref leads))
        {
            Flights.Wait(exchange, turn);
            return Next.Wait;
        }
        if (turn is null && Flights.IsBlocked)
            throw new InvalidOperationException("Another exchange has stopped, and its caller has not read on.");
        return sent ? Next.Receive : Next.ReceiveOrSend;
    }

    // A caller that writes much learns of an error without waiting for it, and does not leave its replies to the buffers of the kernel.
    private Progress AdvanceWithoutWaiting(Exchange exchange)
    {
        var progress = Progress.NeedMore;
        while (progress == Progress.NeedMore && !IsShared && TryFill())
            progress = Flights.Advance(exchange);
        return progress == Progress.NeedMore && exchange.StopsWhenSent ? Progress.Sent : progress;
    }

    // A leader that is blocked waits like the others, so that the caller of the first exchange can receive.
    private bool MayLead(ref bool leads)
    {
        if (!Flights.IsBlocked)
            return leads = leads || TryLead();
        if (leads)
            Volatile.Write(ref _isInUse, 0);
        return leads = false;
    }

    private Exception Failed(Exchange exchange, Exception cause)
    {
        lock (Gate)
        {
            var sent = SentPosition;
            var error = _owner.Failed(IsConnectionLoss(cause) ? Lost(exchange, cause) : cause);
            if (_failure is null)
                Flights.Lost(sent);
            _failure ??= error;
            // A defect shows where it is.
            if (ReferenceEquals(error, cause) && cause is not (PgException or OperationCanceledException))
                ExceptionDispatchInfo.Throw(cause);
            return error;
        }
    }

    private StreamedBytes Source => (StreamedBytes)Output.Source;

    private StreamedBytes Unmeasured => (StreamedBytes)Output.Unmeasured!;

    // How long the stream takes is its own affair: the time for waits is the server's. The caller's token ends it, and the session with it.
    private async ValueTask PullAsync(CancellationToken token)
    {
        try
        {
            Output.Pulled(await Source.PullAsync(Output.SourceRoom, token).ConfigureAwait(false));
        }
        catch (PgException) when (token.IsCancellationRequested)
        {
            _owner.WaitCancelled();
            throw;
        }
    }

    // The exception carries the token, so that the caller recognises its own cancellation.
    private static Exception WithToken(Exception error, CancellationToken token) =>
        error is OperationCanceledException && token.IsCancellationRequested
            ? new OperationCanceledException(error.Message, error.InnerException, token)
            : error;

    private static bool IsConnectionLoss(Exception e) => e is SocketException or ObjectDisposedException or IOException;

    // The server reports why it closes in place of the reply to the first flight.
    private PgException Lost(Exchange exchange, Exception cause) =>
        (Flights.First ?? exchange).OnEndOfStream() ?? TransportErrors.Lost(SendError ?? cause);
}
