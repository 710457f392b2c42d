using System.Net.Sockets;
using Loxo.Protocol.Backend;

namespace Loxo.Transport;

/// <summary>A channel with its input and output buffers and its encryption: sends and receives.</summary>
internal abstract partial class BufferedChannel : IDisposable
{
    // How often a blocking read checks a send that is still in progress in the Socket class.
    private const int SendingCheckMilliseconds = 10;

    private readonly IDisposable? _guard;
    private SecurityLayer? _security;
    private Task<int>? _receiving;
    private int _sharers;
    private bool _isShutDown;

    protected BufferedChannel(ByteChannel channel, TransportSettings settings)
    {
        Channel = channel;
        _guard = channel.MakeGuard();
        Input = new MessageReader(settings.ReadBufferSize);
        Output = new MessageWriter(settings.WriteBufferSize, settings.MostInMessage);
    }

    /// <summary>A caller waits for the server.</summary>
    public abstract bool IsInUse { get; }

    /// <summary>Held during each access to the buffers while several callers share them.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Whether there are several callers. A single one takes no lock: five of them would be 4 % of a lookup.</summary>
    public bool IsShared => Volatile.Read(ref _sharers) > 0;

    /// <summary>The bytes that have arrived.</summary>
    public MessageReader Input { get; }

    /// <summary>The bytes to send; written by the session's one caller, or under <see cref="Gate"/>.</summary>
    public MessageWriter Output { get; }

    /// <summary>The TLS layer, once there is one.</summary>
    public TlsLayer? Tls => _security as TlsLayer;

    /// <summary>The layer that encrypts with GSSAPI, once there is one.</summary>
    public GssLayer? Gss => _security as GssLayer;

    /// <summary>The bytes that have been sent and received.</summary>
    public Traffic Traffic { get; } = new();

    /// <summary>The stream underneath.</summary>
    public ByteChannel Channel { get; }

    /// <summary>Whether another caller has begun a receive and not awaited it.</summary>
    protected bool IsReceiving => _receiving is not null;

    /// <summary>Another caller may use the channel from here on.</summary>
    public void BeginSharing() => Interlocked.Increment(ref _sharers);

    /// <summary>It no longer does.</summary>
    public void EndSharing()
    {
        // Not while another one is at work. The last one waits for a send, too, after which its caller looks for more.
        for (var spin = new SpinWait(); ; spin.SpinOnce())
        {
            lock (Gate)
            {
                if (_isFlushing && Volatile.Read(ref _sharers) == 1)
                    continue;
                Interlocked.Decrement(ref _sharers);
                return;
            }
        }
    }

    /// <summary>From here on everything goes through <paramref name="layer"/>, its handshake first.</summary>
    public void Upgrade(SecurityLayer layer) => _security = layer;

    /// <summary>Takes what has arrived, without waiting; false when nothing has.</summary>
    /// <exception cref="EndOfStreamException">The server has closed the stream.</exception>
    public bool TryFill()
    {
        if (_receiving is null)
        {
            var received = Channel.TryReceive(FreeSpace().Span);
            if (received != ByteChannel.Nothing)
                Arrived(received);
            return received != ByteChannel.Nothing;
        }
        return _receiving.IsCompleted && FinishReceiving(0);
    }

    /// <summary>Releases the memory of large messages; called between exchanges.</summary>
    public void Shrink()
    {
        // A receive that nobody awaits any more goes on into its memory.
        if (_receiving is null)
            Input.Shrink();
        Output.Shrink();
    }

    /// <summary>Releases the memory of what has arrived; the owner knows that no other thread is receiving into it.</summary>
    public void ReleaseInput()
    {
        if (_receiving is null)
            Input.Dispose();
    }

    /// <summary>Whether the session is over, although its last wait may have ended well: the answer may have been there already.</summary>
    public bool IsShutDown => Volatile.Read(ref _isShutDown);

    /// <summary>Wakes the waiting thread or task; the session is over.</summary>
    public void Shutdown()
    {
        Volatile.Write(ref _isShutDown, true);
        Channel.Shutdown();
    }

    /// <summary>
    /// Closes. The owner releases the memory of <see cref="Input"/>, because only the owner knows whether another thread is receiving into
    /// it.
    /// </summary>
    public virtual void Dispose()
    {
        lock (Gate)
        {
            if (!IsInUse)
                Output.Clear();
            // Nobody awaits it, so its error would count as unobserved.
            _ = _sending?.ContinueWith(static sending => sending.Exception, TaskScheduler.Default);
        }
        // As well.
        _ = _receiving?.ContinueWith(static receiving => receiving.Exception, TaskScheduler.Default);
        _security?.Dispose();
        _guard?.Dispose();
        Channel.Dispose();
    }

    /// <summary>Blocks until something has arrived. False when the time is over.</summary>
    protected bool Fill(int milliseconds)
    {
        if (_receiving is not null)
            return FinishReceiving(milliseconds);
        var received = Channel.Receive(FreeSpace().Span, milliseconds);
        if (received == ByteChannel.Nothing)
            return false;
        Arrived(received);
        return true;
    }

    /// <summary>Blocks until something has arrived, or more can be sent. False when the time is over.</summary>
    protected bool FillOrFlush(int milliseconds)
    {
        if (_receiving is not null)
            return FinishReceivingOrSend(milliseconds);
        var ready = _sending is { } sending
            ? WaitWhile(sending, milliseconds)
            : Channel.Wait(Readiness.Readable | Readiness.Writable, milliseconds);
        if ((ready & Readiness.Readable) != 0 && Channel.TryReceive(FreeSpace().Span) is not ByteChannel.Nothing and var received)
            Arrived(received);
        return ready != Readiness.None;
    }

    // A receive that was begun asynchronously is completed by the kernel meanwhile, which is checked from time to time.
    private bool FinishReceivingOrSend(int milliseconds)
    {
        for (var left = milliseconds; !_receiving!.IsCompleted;)
        {
            if (_sending is { IsCompleted: true })
                return true;
            var wait = left == Timeout.Infinite ? SendingCheckMilliseconds : Math.Min(left, SendingCheckMilliseconds);
            if (_sending is not null)
                ((IAsyncResult)_receiving).AsyncWaitHandle.WaitOne(wait);
            else if (Channel.Wait(Readiness.Writable, wait) != Readiness.None)
                return true;
            if (left != Timeout.Infinite && (left -= wait) <= 0)
                return false;
        }
        return FinishReceiving(0);
    }

    private Readiness WaitWhile(Task sending, int milliseconds)
    {
        for (var left = milliseconds; ;)
        {
            var wait = left == Timeout.Infinite ? SendingCheckMilliseconds : Math.Min(left, SendingCheckMilliseconds);
            if (Channel.Wait(Readiness.Readable, wait) is not Readiness.None and var ready)
                return ready;
            if (sending.IsCompleted)
                return Readiness.Writable;
            if (left != Timeout.Infinite && (left -= wait) <= 0)
                return Readiness.None;
        }
    }

    /// <summary>
    /// Awaits what arrives while output is stuck: send and receive are both awaited, and whichever comes first ends the wait. So does the
    /// turn of a caller that shares the channel; the next caller goes on with both.
    /// </summary>
    protected async Task FillOrFlushAsync(Turn? turn)
    {
        Task sending;
        lock (Gate)
            sending = _isFlushing ? Task.CompletedTask : _sending ??= StartSending();
        _receiving ??= Channel.ReceiveAsync(FreeSpace()).AsTask();
        var first = turn is null ? Task.WhenAny(sending, _receiving) : Task.WhenAny(sending, _receiving, turn.WaitAsync());
        await first.ConfigureAwait(false);
        turn?.EndWait();
        if (_receiving.IsCompleted)
            await FinishReceivingAsync().ConfigureAwait(false);
    }

    /// <summary>
    /// Awaits what arrives, or the turn of a caller that shares the channel. The next caller that receives finishes the receive.
    /// </summary>
    protected async Task FillOrYieldAsync(Turn turn)
    {
        _receiving ??= Channel.ReceiveAsync(FreeSpace()).AsTask();
        if (!_receiving.IsCompleted)
        {
            await Task.WhenAny(_receiving, turn.WaitAsync()).ConfigureAwait(false);
            turn.EndWait();
        }
        if (_receiving.IsCompleted)
            await FinishReceivingAsync().ConfigureAwait(false);
    }

    /// <summary>Awaits what arrives for a receive that another caller has begun.</summary>
    protected async Task FinishReceivingAsync()
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

    /// <summary>Room for what arrives.</summary>
    protected Memory<byte> FreeSpace()
    {
        if (!IsShared)
            return _security is null ? Input.FreeSpace() : _security.FreeSpace();
        lock (Gate)
            return _security is null ? Input.FreeSpace() : _security.FreeSpace();
    }

    /// <summary>How often bytes have arrived.</summary>
    public long Receives { get; private set; }

    /// <summary>That many bytes were received into <see cref="FreeSpace"/>.</summary>
    /// <exception cref="EndOfStreamException">The server has closed the stream.</exception>
    protected void Arrived(int count)
    {
        if (count == 0)
            throw new EndOfStreamException();
        if (!IsShared)
        {
            Take(count);
            return;
        }
        lock (Gate)
            Take(count);
    }

    private void Take(int count)
    {
        Receives++;
        Traffic.Received += count;
        if (_security is null)
            Input.Arrived(count);
        else
            _security.Arrived(count, Input);
    }
}
