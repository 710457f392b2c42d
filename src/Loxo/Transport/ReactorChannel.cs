using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks.Sources;

namespace Loxo.Transport;

/// <summary>
/// A socket whose asynchronous calls wait in a <see cref="ReactorLoop"/>. The handle blocks, as blocking calls want it; those that must not
/// wait say so to the kernel each time.
/// </summary>
/// <remarks>
/// A socket is registered with the loop when it is first awaited. A blocking receive takes the registration back, unless a send waits:
/// otherwise each of its answers would wake the loop. The next asynchronous receive registers the socket again. The kernel reports what
/// arrives once (edge-triggered), so a report is kept until a receive leaves room in its buffer.
/// </remarks>
internal sealed class ReactorChannel : LinuxSocketChannel, IValueTaskSource<int>, ILoopCaller
{
    private readonly ReactorLoop _loop;
    private readonly SafeSocketHandle _socket;
    private readonly long _id;
    private readonly Lock _watching = new();
    private readonly InputSignal _input = new();
    private ManualResetValueTaskSourceCore<int> _received;
    private Memory<byte> _buffer;
    private TaskCompletionSource? _writable;
    private long _keepsUntil;
    private int _isDisposed;
    private volatile bool _isWatched;
    private volatile bool _isClosed;
    // The other end has closed, or the connection is broken: no further report comes.
    private volatile bool _hasEnded;

    public ReactorChannel(Socket socket, EndPoint remote, ReactorLoop loop, int receiveSpin = 0)
        : base(socket, remote, connectedAsynchronously: false, receiveSpin)
    {
        (_loop, _socket) = (loop, socket.SafeHandle);
        _id = loop.Add(this);
    }

    // See Receive.
    public override bool IsWatched => false;

    /// <inheritdoc/>
    public long KeepsUntil { get => Volatile.Read(ref _keepsUntil); set => Volatile.Write(ref _keepsUntil, value); }

    /// <summary>Connects a socket.</summary>
    /// <exception cref="SocketException">The server cannot be reached.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled meanwhile.</exception>
    public static async ValueTask<ByteChannel> ConnectAsync(
        Socket socket, EndPoint remote, ReactorLoop loop, int receiveSpin, CancellationToken token)
    {
        var channel = new ReactorChannel(socket, remote, loop, receiveSpin);
        try
        {
            await channel.ConnectAsync(remote, token).ConfigureAwait(false);
            return channel;
        }
        catch
        {
            channel.Dispose();
            token.ThrowIfCancellationRequested();
            throw;
        }
    }

    // The loop keeps it alive. While nobody waits, it does not lead to its session, which may be forgotten.
    public override IDisposable MakeGuard() => new Guard(this);

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        if (_isWatched)
            Unwatch();
        return base.Receive(buffer, milliseconds);
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        if (!_isWatched)
            Watch();
        if (TryTake(buffer.Span) is not Nothing and var received)
            return new(received);
        _received.Reset();
        _buffer = buffer;
        var version = _received.Version;
        if (TryWait())
            _loop.Awaited();
        else
            Resume();
        return new(this, version);
    }

    public override async Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        while (true)
        {
            bytes = bytes[TrySend(bytes.Span)..];
            if (bytes.IsEmpty)
                return;
            await WaitUntilWritableAsync().ConfigureAwait(false);
        }
    }

    public override void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        _loop.Remove(_id);
        Unwatch();
        base.Dispose();
        _isClosed = true;
        // Who waits finds the socket closed.
        if (_input.TryEndWait())
            ResumeInPool();
        Interlocked.Exchange(ref _writable, null)?.TrySetResult();
    }

    /// <summary>Something has come, says the loop.</summary>
    /// <returns>Whether a caller waits for it, who is to be resumed.</returns>
    public bool HasBecomeReady(Epoll.Events events)
    {
        const Epoll.Events over = Epoll.Events.Error | Epoll.Events.HangUp | Epoll.Events.PeerClosed;
        if ((events & over) != 0)
            _hasEnded = true;
        if ((events & (over | Epoll.Events.Writable)) != 0)
            Interlocked.Exchange(ref _writable, null)?.TrySetResult();
        return (events & (over | Epoll.Events.Readable)) != 0 && _input.Report();
    }

    /// <inheritdoc/>
    public void Resume()
    {
        try
        {
            int received;
            while ((received = Take(_buffer.Span)) == Nothing)
            {
                // A report for what another call has taken.
                if (TryWait())
                    return;
            }
            _buffer = default;
            _received.SetResult(received);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            _buffer = default;
            _received.SetException(e);
        }
    }

    /// <inheritdoc/>
    public void ResumeInPool() => _loop.ResumeInPool(this);

    int IValueTaskSource<int>.GetResult(short token) => _received.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _received.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _received.OnCompleted(continuation, state, token, flags);

    private async ValueTask ConnectAsync(EndPoint remote, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        LinuxSocket.SetBlocking(_socket, blocking: false);
        using (token.UnsafeRegister(static channel => ((ReactorChannel)channel!).Dispose(), this))
        {
            while (!LinuxSocket.Connect(_socket, remote, out var isPending))
            {
                if (isPending)
                {
                    await WaitUntilWritableAsync().ConfigureAwait(false);
                    LinuxSocket.ThrowIfFailed(_socket);
                    break;
                }
                // The server's queue is full, and a Unix socket does not tell when it has room again.
                await Task.Delay(1, token).ConfigureAwait(false);
            }
        }
        LinuxSocket.SetBlocking(_socket, blocking: true);
    }

    // Nothing unless something is known to have come, so that no receive is made in vain.
    private int TryTake(Span<byte> buffer) => _hasEnded || _input.IsReady ? Take(buffer) : Nothing;

    private int Take(Span<byte> buffer)
    {
        _input.Reset();
        var received = TryReceive(buffer);
        if (received == buffer.Length)
            _input.Keep();
        else if (received == 0)
            _hasEnded = true;
        return received;
    }

    // False if something has come meanwhile, or the channel was closed.
    private bool TryWait() => _input.TryWait() && (!_isClosed || !_input.TryEndWait());

    private async Task WaitUntilWritableAsync()
    {
        var writable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _writable, writable);
        Watch();
        await writable.Task.ConfigureAwait(false);
        Watch();
    }

    // A receive that begins while a send waits keeps the send's registration.
    private void Watch()
    {
        lock (_watching)
        {
            var further = Volatile.Read(ref _writable) is null ? Epoll.Events.None : Epoll.Events.Writable;
            _loop.Watch(_socket, Epoll.Events.Readable | Epoll.Events.PeerClosed | further, _id);
            _isWatched = true;
        }
    }

    // A send that waits needs its report.
    private void Unwatch()
    {
        lock (_watching)
        {
            if (!_isWatched || (Volatile.Read(ref _writable) is not null && Volatile.Read(ref _isDisposed) == 0))
                return;
            _loop.Unwatch(_socket);
            _isWatched = false;
        }
    }

    private sealed class Guard(ReactorChannel channel) : IDisposable
    {
        ~Guard()
        {
            try
            {
                channel.Dispose();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                // The loop and the socket are being collected, too.
            }
        }

        public void Dispose() => GC.SuppressFinalize(this);
    }
}
