using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>How the floor awaits an answer.</summary>
internal enum FloorWait
{
    /// <summary>By the Socket class.</summary>
    Socket,

    /// <summary>By <see cref="Reactor"/>; the caller goes on in the thread pool.</summary>
    ReactorHop,

    /// <summary>By <see cref="Reactor"/>; the caller goes on on the reactor's thread.</summary>
    ReactorInline,
}

/// <summary>
/// A socket with a session behind it: requests encoded beforehand, whole answers. Blocking it calls send and recv on the socket's handle;
/// awaited, the Socket class, or send and recv with a reactor between them.
/// </summary>
internal sealed partial class FloorConnection : IDisposable
{
    private const int DoNotWait = 0x40;
    private const int TryAgain = 11;
    private readonly Socket _socket;
    private readonly int _handle;
    private readonly ReadableSignal? _readable;

    public FloorConnection(Target target, FloorWait wait = FloorWait.Socket)
    {
        _socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        _socket.Connect(target.Host, target.Port);
        _handle = (int)_socket.SafeHandle.DangerousGetHandle();
        RoundTrip(FloorMessages.Startup(target));
        if (wait == FloorWait.Socket)
            return;
        _readable = new ReadableSignal(hops: wait == FloorWait.ReactorHop);
        Reactor.Watch(_handle, _readable);
    }

    public byte[] Buffer { get; } = new byte[256 * 1024];

    /// <summary>Sends, blocks for the answer, and returns its length in <see cref="Buffer"/>.</summary>
    public unsafe int RoundTrip(byte[] request)
    {
        fixed (byte* from = request, to = Buffer)
        {
            if (send(_handle, from, request.Length, 0) != request.Length)
                throw new IOException("The floor's request was not sent whole.");
            var received = 0;
            do
                received += Received((int)recv(_handle, to + received, Buffer.Length - received, 0));
            while (!FloorAnswers.AreWhole(Buffer.AsSpan(0, received)));
            return received;
        }
    }

    /// <summary>Sends, awaits the answer without an allocation, and returns its length in <see cref="Buffer"/>.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> RoundTripAsync(byte[] request)
    {
        await SendAsync(request);
        var received = 0;
        do
        {
            await WaitAsync();
            received += await ReceiveAsync(received);
        }
        while (!FloorAnswers.AreWhole(Buffer.AsSpan(0, received)));
        return received;
    }

    public ValueTask<int> SendAsync(byte[] request) =>
        _readable is null ? _socket.SendAsync(request.AsMemory(), SocketFlags.None) : new ValueTask<int>(SendAtOnce(request));

    /// <summary>Sends without waiting; a small request always finds room.</summary>
    public unsafe int SendAtOnce(ReadOnlySpan<byte> request)
    {
        fixed (byte* from = request)
        {
            var sent = (int)send(_handle, from, request.Length, DoNotWait);
            return sent == request.Length ? sent : throw new IOException("The floor's request was not sent whole.");
        }
    }

    /// <summary>Waits until there is something to receive, where <see cref="ReceiveAsync"/> would not.</summary>
    public ValueTask WaitAsync() => _readable?.WaitAsync() ?? default;

    /// <summary>Receives behind what was received before. After a wait there may be nothing: 0.</summary>
    public ValueTask<int> ReceiveAsync(int received) =>
        _readable is null ? _socket.ReceiveAsync(Buffer.AsMemory(received), SocketFlags.None) : new ValueTask<int>(ReceiveWhatIsThere(received));

    public void Dispose()
    {
        if (_readable is not null)
            Reactor.Forget(_handle);
        _socket.Dispose();
    }

    private unsafe int ReceiveWhatIsThere(int received)
    {
        fixed (byte* to = Buffer)
        {
            var count = (int)recv(_handle, to + received, Buffer.Length - received, DoNotWait);
            return count < 0 && Marshal.GetLastSystemError() == TryAgain ? 0 : Received(count);
        }
    }

    private static int Received(int count) => count > 0 ? count : throw new IOException("The server closed the floor's connection.");

    [LibraryImport("libc")]
    private static unsafe partial nint send(int socket, byte* buffer, nint length, int flags);

    [LibraryImport("libc")]
    private static unsafe partial nint recv(int socket, byte* buffer, nint length, int flags);
}
