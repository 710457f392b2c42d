using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Peers;

/// <summary>
/// The cheapest program that does the same work: requests encoded beforehand, answers read where they are known to lie. Blocking it
/// calls send and recv on the socket's handle; awaited, the Socket class.
/// </summary>
internal sealed partial class FloorPeer : IPeer
{
    private readonly Socket _socket;
    private readonly int _handle;
    private readonly byte[] _buffer = new byte[256 * 1024];

    public FloorPeer(Target target)
    {
        _socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        _socket.Connect(target.Host, target.Port);
        _handle = (int)_socket.SafeHandle.DangerousGetHandle();
        RoundTrip(FloorMessages.Startup(target));
        RoundTrip(new FloorMessages().Parse("lookup", TestData.Lookup, keyed: true).Parse("rows", TestData.ReadRows, keyed: false).Sync().ToArray());
    }

    public Func<int, long> Blocking(Workload workload)
    {
        var request = Request(workload, out var keyPosition);
        return times => Run(times, workload, request, keyPosition);
    }

    public Func<int, Task<long>> Async(Workload workload)
    {
        var request = Request(workload, out var keyPosition);
        return times => RunAsync(times, workload, request, keyPosition);
    }

    public void Dispose() => _socket.Dispose();

    private static byte[] Request(Workload workload, out int keyPosition)
    {
        var messages = new FloorMessages();
        messages = workload switch
        {
            Workload.Lookup => messages.Bind("lookup", keyed: true),
            Workload.ReadRows => messages.Bind("rows", keyed: false),
            Workload.SelectOne => messages.Parse("", TestData.SelectOne, keyed: false).Bind("", keyed: false).Describe(),
            _ => messages.Parse("", TestData.Lookup, keyed: true).Bind("", keyed: true).Describe(),
        };
        keyPosition = workload is Workload.Lookup or Workload.NewCommand ? messages.KeyPosition : 0;
        return messages.Execute().Sync().ToArray();
    }

    private static void SetKey(byte[] request, int keyPosition, int n)
    {
        if (keyPosition > 0)
            BinaryPrimitives.WriteInt32BigEndian(request.AsSpan(keyPosition), TestData.Key(n));
    }

    private long Run(int times, Workload workload, byte[] request, int keyPosition)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            SetKey(request, keyPosition, i);
            sum += FloorAnswers.Sum(_buffer.AsSpan(0, RoundTrip(request)), workload);
        }
        return sum;
    }

    private async Task<long> RunAsync(int times, Workload workload, byte[] request, int keyPosition)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            SetKey(request, keyPosition, i);
            await _socket.SendAsync(request.AsMemory(), SocketFlags.None);
            var received = 0;
            do
                received += Received(await _socket.ReceiveAsync(_buffer.AsMemory(received), SocketFlags.None));
            while (!FloorAnswers.AreWhole(_buffer.AsSpan(0, received)));
            sum += FloorAnswers.Sum(_buffer.AsSpan(0, received), workload);
        }
        return sum;
    }

    private unsafe int RoundTrip(byte[] request)
    {
        fixed (byte* from = request, to = _buffer)
        {
            if (send(_handle, from, request.Length, 0) != request.Length)
                throw new IOException("The floor's request was not sent whole.");
            var received = 0;
            do
                received += Received((int)recv(_handle, to + received, _buffer.Length - received, 0));
            while (!FloorAnswers.AreWhole(_buffer.AsSpan(0, received)));
            return received;
        }
    }

    private static int Received(int count) => count > 0 ? count : throw new IOException("The server closed the floor's connection.");

    [LibraryImport("libc")]
    private static unsafe partial nint send(int socket, byte* buffer, nint length, int flags);

    [LibraryImport("libc")]
    private static unsafe partial nint recv(int socket, byte* buffer, nint length, int flags);
}
