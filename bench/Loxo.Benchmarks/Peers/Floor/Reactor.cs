using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>
/// A loop of our own around epoll_wait, on one thread for the whole process: it wakes whoever waits for a socket to become readable.
/// It shows what a transport with such a loop would cost, beside the Socket class.
/// </summary>
internal static unsafe partial class Reactor
{
    private const int Add = 1;
    private const int Remove = 2;
    private const uint Readable = 1;
    private const uint Edges = 1u << 31;
    private const int Most = 64;

    // struct epoll_event is packed on x86-64 only (epoll_ctl(2)).
    private static readonly int Size = IsPacked ? 12 : 16;
    private static readonly int DataOffset = IsPacked ? 4 : 8;
    private static readonly Lock Changes = new();
    private static ReadableSignal?[] _signals = new ReadableSignal?[64];
    private static readonly int Handle = Start();

    private static bool IsPacked => RuntimeInformation.ProcessArchitecture == Architecture.X64;

    /// <summary>Sets the signal each time more has come in on the socket.</summary>
    public static void Watch(int socket, ReadableSignal signal)
    {
        lock (Changes)
        {
            if (socket >= _signals.Length)
                Array.Resize(ref _signals, socket * 2);
            _signals[socket] = signal;
        }
        Control(Add, socket);
    }

    public static void Forget(int socket)
    {
        Control(Remove, socket);
        lock (Changes)
            _signals[socket] = null;
    }

    private static void Control(int operation, int socket)
    {
        var entry = stackalloc byte[16];
        *(uint*)entry = Readable | Edges;
        *(int*)(entry + DataOffset) = socket;
        if (epoll_ctl(Handle, operation, socket, entry) != 0)
            throw new IOException($"epoll_ctl failed: {Marshal.GetLastPInvokeErrorMessage()}.");
    }

    private static int Start()
    {
        var handle = epoll_create1(0);
        new Thread(() => Loop(handle)) { IsBackground = true, Name = "reactor" }.Start();
        return handle;
    }

    private static void Loop(int handle)
    {
        var entries = stackalloc byte[Most * 16];
        while (true)
        {
            var count = epoll_wait(handle, entries, Most, -1);
            for (var i = 0; i < count; i++)
                Volatile.Read(ref _signals)[*(int*)(entries + i * Size + DataOffset)]?.Set();
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_create1(int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_ctl(int epoll, int operation, int handle, byte* entry);

    [LibraryImport("libc")]
    private static partial int epoll_wait(int epoll, byte* entries, int most, int timeout);
}
