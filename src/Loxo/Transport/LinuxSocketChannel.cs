using System.Net;
using System.Net.Sockets;

namespace Loxo.Transport;

/// <summary>
/// Blocking calls go straight to the handle, asynchronous ones through the Socket class, which makes its handle non-blocking at the first
/// one and believes it to stay so: a session that goes back to blocking calls has that undone first.
/// </summary>
internal class LinuxSocketChannel : SocketChannel
{
    private readonly SafeSocketHandle _handle;
    private readonly ReceiveSpin _spin;
    private bool _blocks;
    private bool _usedAsynchronously;
    private int _receiveTimeout = Timeout.Infinite;
    private Task? _sending;

    public LinuxSocketChannel(Socket socket, EndPoint remote, bool connectedAsynchronously, int receiveSpin = 0)
        : base(socket, remote)
    {
        _spin = new ReceiveSpin(receiveSpin, WaitingThreads.OfProcess);
        _handle = socket.SafeHandle;
        _blocks = !connectedAsynchronously;
        _usedAsynchronously = connectedAsynchronously;
    }

    // The Socket class registers a handle with its epoll instance at the first asynchronous call, for good.
    public override bool IsWatched => _usedAsynchronously;

    public override int TrySend(ReadOnlySpan<byte> bytes) => LinuxSocket.TrySend(_handle, bytes);

    public override int TryReceive(Span<byte> buffer) => LinuxSocket.TryReceive(_handle, buffer);

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        WaitingThreads.OfProcess.Enter();
        try
        {
            return TakeNext(buffer, milliseconds);
        }
        finally
        {
            WaitingThreads.OfProcess.Leave();
        }
    }

    public override Readiness Wait(Readiness wanted, int milliseconds) => LinuxSocket.Poll(_handle, wanted, milliseconds);

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        EnsureDoesNotBlock();
        return base.ReceiveAsync(buffer);
    }

    public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        EnsureDoesNotBlock();
        return _sending = base.SendAllAsync(bytes);
    }

    private int TakeNext(Span<byte> buffer, int milliseconds)
    {
        if (_spin.TryBegin() && _spin.TryReceive(this, buffer) is not Nothing and var received)
            return received;
        if (!EnsureBlocks())
            return Wait(Readiness.Readable, milliseconds) == Readiness.None ? Nothing : TryReceive(buffer);
        if (_receiveTimeout != milliseconds)
        {
            LinuxSocket.SetReceiveTimeout(_handle, milliseconds);
            _receiveTimeout = milliseconds;
        }
        return LinuxSocket.Receive(_handle, buffer, milliseconds);
    }

    // A send that is still on its way through the Socket class must not find the handle blocking.
    private bool EnsureBlocks()
    {
        if (_blocks)
            return true;
        if (_sending is { IsCompleted: false })
            return false;
        LinuxSocket.SetBlocking(_handle, blocking: true);
        return _blocks = true;
    }

    private void EnsureDoesNotBlock()
    {
        if (!_blocks)
            return;
        if (_usedAsynchronously)
            LinuxSocket.SetBlocking(_handle, blocking: false);
        _usedAsynchronously = true;
        _blocks = false;
    }
}
