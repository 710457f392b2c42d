using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>A socket that is kept non-blocking, for systems other than Linux. Blocking waits are polls.</summary>
internal class SocketChannel : ByteChannel
{
    // The Socket class holds on to the last memory that it was given; the buffers that a session keeps anyway do no harm.
    private const int MostHeld = 64 * 1024;

    private int _closed;

    public SocketChannel(Socket socket, EndPoint remote)
    {
        Socket = socket;
        Remote = remote;
        // A query is one small send that must leave at once.
        if (socket.ProtocolType == ProtocolType.Tcp)
            socket.NoDelay = true;
    }

    public override EndPoint Remote { get; }

    protected Socket Socket { get; }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        Socket.Blocking = false;
        var sent = Socket.Send(bytes, SocketFlags.None, out var error);
        return Result(sent, error, 0);
    }

    public override int TryReceive(Span<byte> buffer)
    {
        Socket.Blocking = false;
        var received = Socket.Receive(buffer, SocketFlags.None, out var error);
        return Result(received, error, Nothing);
    }

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        var received = TryReceive(buffer);
        return received != Nothing || Wait(Readiness.Readable, milliseconds) == Readiness.None ? received : TryReceive(buffer);
    }

    public override Readiness Wait(Readiness wanted, int milliseconds)
    {
        var read = (wanted & Readiness.Readable) != 0 ? new List<Socket> { Socket } : null;
        var write = (wanted & Readiness.Writable) != 0 ? new List<Socket> { Socket } : null;
        var limit = milliseconds == Timeout.Infinite ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(milliseconds);
        Socket.Select(read, write, null, limit);
        return (read is { Count: > 0 } ? Readiness.Readable : Readiness.None)
            | (write is { Count: > 0 } ? Readiness.Writable : Readiness.None);
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) =>
        IsLarge(buffer) ? ReceiveLargeAsync(buffer) : Socket.ReceiveAsync(buffer, SocketFlags.None);

    public override async Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        var isLarge = IsLarge(bytes);
        while (!bytes.IsEmpty)
            bytes = bytes[await Socket.SendAsync(bytes, SocketFlags.None).ConfigureAwait(false)..];
        if (isLarge)
            await Socket.SendAsync(ReadOnlyMemory<byte>.Empty, SocketFlags.None).ConfigureAwait(false);
    }

    public override void Shutdown()
    {
        if (Interlocked.Exchange(ref _closed, 1) != 0)
            return;
        try
        {
            Socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The other end was faster.
        }
    }

    public override void Dispose()
    {
        Interlocked.Exchange(ref _closed, 1);
        Socket.Dispose();
    }

    // Waits without memory, and receives without waiting.
    private async ValueTask<int> ReceiveLargeAsync(Memory<byte> buffer)
    {
        while (true)
        {
            await Socket.ReceiveAsync(Memory<byte>.Empty, SocketFlags.None).ConfigureAwait(false);
            if (TryReceive(buffer.Span) is not Nothing and var received)
                return received;
        }
    }

    private static int Result(int count, SocketError error, int nothing) => error switch
    {
        SocketError.Success => count,
        SocketError.WouldBlock => nothing,
        _ => throw new SocketException((int)error),
    };

    private static bool IsLarge(ReadOnlyMemory<byte> memory) =>
        MemoryMarshal.TryGetArray(memory, out var segment) && segment.Array!.Length > MostHeld;
}
