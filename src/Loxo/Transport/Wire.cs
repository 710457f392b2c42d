using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>
/// A session's two buffers and the only two loops of the driver that wait for the server: one that blocks and one that awaits.
/// Both keep reading while output is stuck, or client and server could each wait for the other to read.
/// </summary>
internal sealed class Wire(ByteChannel channel, IWireOwner owner, TransportSettings settings, TimeProvider time) : IDisposable
{
    // Only seen when a session is read blocking while the Socket class still sends for it: how often to look at that send.
    private const int SendingCheckMilliseconds = 10;

    private readonly Watchdog _watchdog = new(time, owner);
    private readonly Queue<Exchange> _flights = new(4);
    private TlsLayer? _tls;
    private Task? _sending;
    private MessageWriter? _sendingFrom;
    private int _sendingCount;
    private Task<int>? _receiving;
    private SocketException? _sendError;
    private int _isInUse;

    /// <summary>Somebody waits in one of the loops.</summary>
    public bool IsInUse => Volatile.Read(ref _isInUse) != 0;

    /// <summary>The bytes that have arrived.</summary>
    public MessageReader Input { get; } = new(settings.ReadBufferSize);

    /// <summary>The bytes to send; written only between or during exchanges by the session's one caller.</summary>
    public MessageWriter Output { get; } = new(settings.WriteBufferSize, settings.MostInMessage);

    /// <summary>The TLS layer, once there is one.</summary>
    public TlsLayer? Tls => _tls;

    /// <summary>The stream underneath.</summary>
    public ByteChannel Channel => channel;

    /// <summary>From here on everything goes through <paramref name="layer"/>, its handshake first.</summary>
    public void Upgrade(TlsLayer layer) => _tls = layer;

    /// <summary>
    /// Queues a flight that <paramref name="exchange"/> has written: the server answers it after the flights that were queued before.
    /// </summary>
    public void Enqueue(Exchange exchange) => _flights.Enqueue(exchange);

    /// <summary>
    /// Advances the queued flights over what has arrived, in order, up to the first stop of <paramref name="exchange"/>. It neither sends
    /// nor waits. An exchange that is not queued has the wire for itself.
    /// </summary>
    public Progress Advance(Exchange exchange)
    {
        while (_flights.TryPeek(out var first))
        {
            var progress = first.Advance(Input);
            if (progress is Progress.Done or Progress.FlightEnd)
                _flights.Dequeue();
            if (ReferenceEquals(first, exchange) ? progress != Progress.FlightEnd : progress == Progress.NeedMore)
                return progress;
        }
        return exchange.Advance(Input);
    }

    /// <summary>Blocks until the exchange stops. <see cref="Progress.NeedMore"/> means that the time is over.</summary>
    /// <exception cref="InvalidOperationException">Another thread is in one of the loops.</exception>
    public Progress Pump(Exchange exchange, Deadline deadline)
    {
        Enter();
        try
        {
            while (true)
            {
                var progress = Advance(exchange);
                if (Output.Unmeasured is StreamedBytes stream && progress == Progress.NeedMore)
                {
                    exchange.OnMeasured(stream.TryMeasure(Output));
                    continue;
                }
                var sent = TrySend();
                if (progress != Progress.NeedMore)
                    return progress;
                if (Output.IsStarved && !deadline.HasExpired)
                    Output.Pulled(Source.Pull(Output.SourceRoom.Span));
                else if (!(sent ? Fill(deadline.NextWait) : FillOrFlush(deadline.NextWait)))
                    return Progress.NeedMore;
            }
        }
        catch (Exception e)
        {
            throw owner.Failed(IsConnectionLoss(e) ? Lost(exchange, e) : e);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Awaits until the exchange stops. The end of a wait's time, or of <paramref name="token"/>, goes to <see cref="IWireOwner"/>,
    /// which asks the server to stop or shuts the channel down; this loop only sees what comes of it.
    /// </summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<Progress> PumpAsync(Exchange exchange, Deadline deadline, CancellationToken token)
    {
        var registration = default(CancellationTokenRegistration);
        Enter();
        try
        {
            while (true)
            {
                var progress = Advance(exchange);
                if (Output.Unmeasured is StreamedBytes stream && progress == Progress.NeedMore)
                {
                    exchange.OnMeasured(await stream.TryMeasureAsync(Output, token).ConfigureAwait(false));
                    continue;
                }
                var sent = TrySend();
                if (progress != Progress.NeedMore)
                    return progress;
                if (token.CanBeCanceled && registration == default)
                    registration = token.UnsafeRegister(static state => ((IWireOwner)state!).WaitCancelled(), owner);
                if (Output.IsStarved)
                {
                    await PullAsync(token).ConfigureAwait(false);
                    continue;
                }
                _watchdog.Begin(deadline.NextWait);
                if (!sent)
                    await FillOrFlushAsync().ConfigureAwait(false);
                else if (_receiving is null)
                    Arrived(await channel.ReceiveAsync(FreeSpace()).ConfigureAwait(false));
                else
                    await FinishReceivingAsync().ConfigureAwait(false);
                _watchdog.End();
            }
        }
        catch (Exception e)
        {
            throw WithToken(owner.Failed(IsConnectionLoss(e) ? Lost(exchange, e) : e), token);
        }
        finally
        {
            _watchdog.End();
            // Waits for a callback that is running: a later command must not be taken for this one.
            await registration.DisposeAsync().ConfigureAwait(false);
            Leave();
        }
    }

    /// <summary>Sends what fits without waiting; false while something is left.</summary>
    /// <remarks>A send that fails is not reported here: the server may have said why before it closed, and that is read first.</remarks>
    public bool TrySend()
    {
        if (_sending is not null && !FinishedSending())
            return false;
        if (_sendError is not null)
            return Drop();
        if (_tls is null)
            return TrySend(Output);
        do
        {
            if (!TrySend(_tls.Outgoing))
                return false;
        }
        while (_tls.Encrypt(Output));
        return true;
    }

    /// <summary>Takes what has arrived, without waiting; false when nothing has.</summary>
    /// <exception cref="EndOfStreamException">The server has closed the stream.</exception>
    public bool TryFill()
    {
        if (_receiving is null)
        {
            var received = channel.TryReceive(FreeSpace().Span);
            if (received != ByteChannel.Nothing)
                Arrived(received);
            return received != ByteChannel.Nothing;
        }
        return _receiving.IsCompleted && FinishReceiving(0);
    }

    /// <summary>Gives the memory of large messages back; call between exchanges.</summary>
    public void Shrink()
    {
        Input.Shrink();
        Output.Shrink();
    }

    /// <summary>Sends the pending output and TLS's close_notify, as far as they fit without waiting.</summary>
    public void SendClosing()
    {
        if (!TrySend() || _tls is null)
            return;
        _tls.WriteCloseNotify();
        TrySend();
    }

    /// <summary>Wakes the waiting thread or task; the session is over.</summary>
    public void Shutdown() => channel.Shutdown();

    /// <summary>
    /// Closes. The owner releases the memory of <see cref="Input"/>, because only the owner knows whether another thread is receiving into
    /// it.
    /// </summary>
    public void Dispose()
    {
        if (!IsInUse)
            Output.Clear();
        _watchdog.Dispose();
        _tls?.Dispose();
        channel.Dispose();
    }

    // Two in the loops would take each other's messages. Only a connection that is closed or used from two threads comes here.
    private void Enter()
    {
        if (Interlocked.Exchange(ref _isInUse, 1) != 0)
            throw TransportErrors.InUse();
    }

    private void Leave() => Volatile.Write(ref _isInUse, 0);

    private bool TrySend(MessageWriter source)
    {
        while (!source.IsEmpty)
        {
            try
            {
                var count = source.IsStarved ? 0 : channel.TrySend(source.Pending);
                if (count == 0)
                    return false;
                source.Consume(count);
            }
            catch (SocketException e)
            {
                _sendError = e;
                return Drop();
            }
        }
        return true;
    }

    // The other end is gone: nothing is sent, and no stream is read for it.
    private bool Drop()
    {
        Output.Clear();
        _tls?.Outgoing.Clear();
        return true;
    }

    private StreamedBytes Source => (StreamedBytes)Output.Source;

    // How long the stream takes is its own affair: the time for waits is the server's. The caller's token ends it, and the session with it.
    private async ValueTask PullAsync(CancellationToken token)
    {
        try
        {
            Output.Pulled(await Source.PullAsync(Output.SourceRoom, token).ConfigureAwait(false));
        }
        catch (PgException) when (token.IsCancellationRequested)
        {
            owner.WaitCancelled();
            throw;
        }
    }

    private bool Fill(int milliseconds)
    {
        if (_receiving is not null)
            return FinishReceiving(milliseconds);
        var received = channel.Receive(FreeSpace().Span, milliseconds);
        if (received == ByteChannel.Nothing)
            return false;
        Arrived(received);
        return true;
    }

    private bool FillOrFlush(int milliseconds)
    {
        if (_receiving is not null)
            return FinishReceiving(milliseconds);
        var ready = _sending is null ? channel.Wait(Readiness.Readable | Readiness.Writable, milliseconds) : WaitWhileSending(milliseconds);
        if ((ready & Readiness.Readable) != 0 && channel.TryReceive(FreeSpace().Span) is not ByteChannel.Nothing and var received)
            Arrived(received);
        return ready != Readiness.None;
    }

    private Readiness WaitWhileSending(int milliseconds)
    {
        for (var left = milliseconds; ;)
        {
            var wait = left == Timeout.Infinite ? SendingCheckMilliseconds : Math.Min(left, SendingCheckMilliseconds);
            if (channel.Wait(Readiness.Readable, wait) is not Readiness.None and var ready)
                return ready;
            if (_sending!.IsCompleted)
                return Readiness.Writable;
            if (left != Timeout.Infinite && (left -= wait) <= 0)
                return Readiness.None;
        }
    }

    // Output is stuck: send and receive are both awaited, and whichever comes first lets the loop go on.
    private async Task FillOrFlushAsync()
    {
        _sending ??= StartSending();
        _receiving ??= channel.ReceiveAsync(FreeSpace()).AsTask();
        await Task.WhenAny(_sending, _receiving).ConfigureAwait(false);
        if (_receiving.IsCompleted)
            await FinishReceivingAsync().ConfigureAwait(false);
    }

    private Task StartSending()
    {
        _sendingFrom = _tls is { Outgoing.IsEmpty: false } ? _tls.Outgoing : Output;
        var pending = _sendingFrom.PendingMemory;
        _sendingCount = pending.Length;
        return channel.SendAllAsync(pending);
    }

    private bool FinishedSending()
    {
        if (!_sending!.IsCompleted)
            return false;
        if (_sending.Exception?.InnerException is { } error)
            _sendError = error as SocketException ?? new SocketException((int)SocketError.ConnectionAborted);
        _sendingFrom!.Consume(_sendingCount);
        _sending = null;
        return true;
    }

    private async Task FinishReceivingAsync()
    {
        var receiving = _receiving!;
        var received = await receiving.ConfigureAwait(false);
        _receiving = null;
        Arrived(received);
    }

    // A receive that was begun asynchronously while output was stuck is finished by a blocking caller.
    private bool FinishReceiving(int milliseconds)
    {
        if (!((IAsyncResult)_receiving!).AsyncWaitHandle.WaitOne(milliseconds))
            return false;
        var received = _receiving.GetAwaiter().GetResult();
        _receiving = null;
        Arrived(received);
        return true;
    }

    private Memory<byte> FreeSpace() => _tls is null ? Input.FreeSpace() : _tls.FreeSpace();

    private void Arrived(int count)
    {
        if (count == 0)
            throw new EndOfStreamException();
        if (_tls is null)
            Input.Arrived(count);
        else
            _tls.Arrived(count, Input);
    }

    // The exception carries the token, so that the caller recognises its own cancellation.
    private static Exception WithToken(Exception error, CancellationToken token) => error is OperationCanceledException && token.IsCancellationRequested
        ? new OperationCanceledException(error.Message, error.InnerException, token)
        : error;

    private static bool IsConnectionLoss(Exception e) => e is SocketException or ObjectDisposedException or IOException;

    // The server reports why it closes in place of the reply to the first flight.
    private PgException Lost(Exchange exchange, Exception cause) =>
        (_flights.TryPeek(out var first) ? first : exchange).OnEndOfStream() ?? TransportErrors.Lost(_sendError ?? cause);
}
