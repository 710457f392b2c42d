using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>
/// An epoll instance of Linux: waits for many sockets at once, edge-triggered (epoll(7)).
/// </summary>
internal sealed unsafe partial class Epoll : IDisposable
{
    private const int CloseOnExec = 0x80000;
    private const int Add = 1;
    private const int Delete = 2;
    private const int Modify = 3;
    private const int Interrupted = 4;
    private const int NotFound = 2;
    private const int Exists = 17;
    private const int MostEvents = 256;

    // struct epoll_event is packed on x64 alone.
    private static readonly int _dataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;
    private static readonly int _eventSize = _dataOffset + sizeof(ulong);

    private readonly int _instance = epoll_create1(CloseOnExec);
    private readonly byte[] _events = GC.AllocateUninitializedArray<byte>(MostEvents * _eventSize, pinned: true);

    /// <exception cref="SocketException">The system has no more handles.</exception>
    public Epoll()
    {
        if (_instance < 0)
            throw LinuxSocket.LastError();
    }

    /// <summary>What a socket is waited for, and what has come.</summary>
    [Flags]
    public enum Events : uint
    {
        None = 0,
        Readable = 0x1,
        Writable = 0x4,
        Error = 0x8,
        HangUp = 0x10,
        PeerClosed = 0x2000,
        EdgeTriggered = 0x80000000,
    }

    /// <summary>Waits for a socket from here on. What has come already is reported once more.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="wanted">What to wait for; <see cref="Events.Error"/> and <see cref="Events.HangUp"/> always are.</param>
    /// <param name="data">Comes back with each report.</param>
    public void Watch(SafeSocketHandle socket, Events wanted, long data)
    {
        if (Control(Add, socket, wanted | Events.EdgeTriggered, data) == 0)
            return;
        if (Marshal.GetLastPInvokeError() != Exists || Control(Modify, socket, wanted | Events.EdgeTriggered, data) != 0)
            throw LinuxSocket.LastError();
    }

    /// <summary>Waits for it no more. A report that is on its way may still come.</summary>
    public void Unwatch(SafeSocketHandle socket)
    {
        if (Control(Delete, socket, Events.None, 0) != 0 && Marshal.GetLastPInvokeError() != NotFound)
            throw LinuxSocket.LastError();
    }

    /// <summary>Blocks until something has come.</summary>
    /// <returns>The number of reports, for <see cref="Report"/>.</returns>
    public int Wait()
    {
        fixed (byte* events = _events)
        {
            while (true)
            {
                var count = epoll_wait(_instance, events, MostEvents, -1);
                if (count >= 0)
                    return count;
                if (Marshal.GetLastPInvokeError() != Interrupted)
                    throw LinuxSocket.LastError();
            }
        }
    }

    /// <summary>Closes it. Nobody waits, or will.</summary>
    public void Dispose() => close(_instance);

    /// <summary>What has come, and the data of the socket.</summary>
    public (Events Events, long Data) Report(int index)
    {
        var report = _events.AsSpan(index * _eventSize, _eventSize);
        return (MemoryMarshal.Read<Events>(report), MemoryMarshal.Read<long>(report[_dataOffset..]));
    }

    private int Control(int operation, SafeSocketHandle socket, Events wanted, long data)
    {
        var request = stackalloc byte[_eventSize];
        *(Events*)request = wanted;
        *(long*)(request + _dataOffset) = data;
        return epoll_ctl(_instance, operation, socket, request);
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_create1(int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_ctl(int instance, int operation, SafeSocketHandle socket, byte* request);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int close(int handle);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int epoll_wait(int instance, byte* events, int count, int milliseconds);
}
