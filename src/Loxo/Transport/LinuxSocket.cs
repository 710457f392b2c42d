using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>A blocking round trip costs 4.5 us; through the Socket class 6.0, or 14-25 once it was used asynchronously.</summary>
internal static unsafe partial class LinuxSocket
{
    private const int MsgDontWait = 0x40;
    private const int MsgNoSignal = 0x4000;
    private const int SolSocket = 1;
    private const int SoReceiveTimeout = 20;
    private const int GetFlags = 3;
    private const int SetFlags = 4;
    private const int NonBlocking = 0x800;
    private const short PollIn = 1;
    private const short PollOut = 4;
    private const int Interrupted = 4;
    private const int TryAgain = 11;
    private const int InProgress = 115;
    private const int SoError = 4;

    public static int TrySend(SafeSocketHandle socket, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* pointer = bytes)
        {
            while (true)
            {
                var sent = send(socket, pointer, bytes.Length, MsgDontWait | MsgNoSignal);
                if (sent >= 0)
                    return (int)sent;
                if (IsTryAgain())
                    return 0;
            }
        }
    }

    /// <summary>Receives what has arrived, without waiting.</summary>
    public static int TryReceive(SafeSocketHandle socket, Span<byte> buffer)
    {
        int received;
        while (!TryReceive(socket, buffer, MsgDontWait, out received)) { }
        return received;
    }

    /// <summary>Receives; waits if the socket blocks.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="buffer">Takes what has arrived.</param>
    /// <param name="milliseconds">For how long it waits at most, as <see cref="SetReceiveTimeout"/> has been told.</param>
    public static int Receive(SafeSocketHandle socket, Span<byte> buffer, int milliseconds)
    {
        var began = Environment.TickCount64;
        if (TryReceive(socket, buffer, 0, out var received))
            return received;
        // After a signal the kernel's time would begin anew.
        do
            received = Poll(socket, Readiness.Readable, Left(milliseconds, began)) == Readiness.None
                ? ByteChannel.Nothing
                : TryReceive(socket, buffer);
        while (received == ByteChannel.Nothing && Left(milliseconds, began) != 0);
        return received;
    }

    /// <summary>Waits for one of both directions. An error or hang-up counts as readable: the next receive reports it.</summary>
    public static Readiness Poll(SafeSocketHandle socket, Readiness wanted, int milliseconds)
    {
        var added = false;
        try
        {
            socket.DangerousAddRef(ref added);
            var request = new PollRequest { Socket = (int)socket.DangerousGetHandle(), Events = Events(wanted) };
            var began = Environment.TickCount64;
            int ready;
            for (var left = milliseconds; (ready = poll(&request, 1, left)) < 0 && !IsTryAgain();)
                left = Left(milliseconds, began);
            if (ready == 0)
                return Readiness.None;
            var readiness = (request.Result & PollOut) != 0 ? Readiness.Writable : Readiness.None;
            return (request.Result & ~PollOut) != 0 ? readiness | Readiness.Readable : readiness;
        }
        finally
        {
            if (added)
                socket.DangerousRelease();
        }
    }

    /// <summary>Waits for nothing.</summary>
    public static void Sleep(int milliseconds) => _ = poll(null, 0, milliseconds);

    /// <summary>Bounds blocking receives in the kernel; <see cref="Timeout.Infinite"/> for no limit.</summary>
    public static void SetReceiveTimeout(SafeSocketHandle socket, int milliseconds)
    {
        // Zero means "for ever" to the kernel, so the shortest wait is one microsecond.
        var value = milliseconds == Timeout.Infinite
            ? default
            : new TimeValue { Seconds = milliseconds / 1000, Microseconds = Math.Max(1, milliseconds % 1000 * 1000) };
        if (setsockopt(socket, SolSocket, SoReceiveTimeout, &value, (uint)sizeof(TimeValue)) != 0)
            throw LastError();
    }

    public static void SetBlocking(SafeSocketHandle socket, bool blocking)
    {
        var flags = fcntl(socket, GetFlags, 0);
        if (flags < 0 || fcntl(socket, SetFlags, blocking ? flags & ~NonBlocking : flags | NonBlocking) < 0)
            throw LastError();
    }

    /// <summary>Begins to connect a socket that does not block.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="remote">The other end.</param>
    /// <param name="isPending">Whether it becomes writable when the attempt has ended. If not, nothing has begun.</param>
    /// <returns>Whether it is connected.</returns>
    public static bool Connect(SafeSocketHandle socket, EndPoint remote, out bool isPending)
    {
        var address = remote.Serialize();
        fixed (byte* pointer = address.Buffer.Span)
        {
            isPending = false;
            if (connect(socket, pointer, (uint)address.Size) == 0)
                return true;
        }
        // Also after a signal the attempt goes on by itself (connect(2)).
        isPending = Marshal.GetLastPInvokeError() is InProgress or Interrupted;
        return !isPending && !IsTryAgain();
    }

    /// <summary>Throws the error of an attempt to connect that has ended.</summary>
    public static void ThrowIfFailed(SafeSocketHandle socket)
    {
        int error;
        var length = (uint)sizeof(int);
        if (getsockopt(socket, SolSocket, SoError, &error, &length) != 0)
            error = Marshal.GetLastPInvokeError();
        if (error != 0)
            throw new SocketException((int)ToSocketError(error));
    }

    // False: a signal came in between.
    private static bool TryReceive(SafeSocketHandle socket, Span<byte> buffer, int flags, out int received)
    {
        fixed (byte* pointer = buffer)
            received = (int)recv(socket, pointer, buffer.Length, flags);
        if (received >= 0)
            return true;
        received = ByteChannel.Nothing;
        return IsTryAgain();
    }

    private static int Left(int milliseconds, long began) => milliseconds == Timeout.Infinite
        ? Timeout.Infinite
        : (int)Math.Max(0, milliseconds - (Environment.TickCount64 - began));

    // True: nothing to be had now. False: a signal came in between, call again. Anything else is thrown.
    private static bool IsTryAgain() => Marshal.GetLastPInvokeError() switch
    {
        TryAgain => true,
        Interrupted => false,
        _ => throw LastError(),
    };

    /// <summary>What the last call of the system has failed with.</summary>
    public static SocketException LastError() => new((int)ToSocketError(Marshal.GetLastPInvokeError()));

    // SocketException takes Winsock's numbers; its own table of errno values is not public.
    internal static SocketError ToSocketError(int errno) => errno switch
    {
        1 or 13 => SocketError.AccessDenied,
        2 or 99 => SocketError.AddressNotAvailable,
        6 => SocketError.HostNotFound,
        9 or 108 => SocketError.Shutdown,
        12 or 28 or 105 => SocketError.NoBufferSpaceAvailable,
        14 => SocketError.Fault,
        22 => SocketError.InvalidArgument,
        23 or 24 => SocketError.TooManyOpenSockets,
        32 or 104 => SocketError.ConnectionReset,
        61 => SocketError.NoData,
        88 => SocketError.NotSocket,
        89 => SocketError.DestinationAddressRequired,
        90 => SocketError.MessageSize,
        91 => SocketError.ProtocolType,
        92 => SocketError.ProtocolOption,
        93 => SocketError.ProtocolNotSupported,
        94 => SocketError.SocketNotSupported,
        95 => SocketError.OperationNotSupported,
        96 => SocketError.ProtocolFamilyNotSupported,
        97 => SocketError.AddressFamilyNotSupported,
        98 => SocketError.AddressAlreadyInUse,
        100 => SocketError.NetworkDown,
        101 => SocketError.NetworkUnreachable,
        102 => SocketError.NetworkReset,
        103 => SocketError.ConnectionAborted,
        106 => SocketError.IsConnected,
        107 => SocketError.NotConnected,
        110 => SocketError.TimedOut,
        111 => SocketError.ConnectionRefused,
        112 => SocketError.HostDown,
        113 => SocketError.HostUnreachable,
        114 => SocketError.AlreadyInProgress,
        115 => SocketError.InProgress,
        125 => SocketError.OperationAborted,
        _ => SocketError.SocketError,
    };

    private static short Events(Readiness wanted) =>
        (short)(((wanted & Readiness.Readable) != 0 ? PollIn : 0) | ((wanted & Readiness.Writable) != 0 ? PollOut : 0));

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint send(SafeSocketHandle socket, byte* buffer, nint length, int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint recv(SafeSocketHandle socket, byte* buffer, nint length, int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int poll(PollRequest* requests, nuint count, int milliseconds);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int setsockopt(SafeSocketHandle socket, int level, int option, void* value, uint length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int getsockopt(SafeSocketHandle socket, int level, int option, void* value, uint* length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int connect(SafeSocketHandle socket, byte* address, uint length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int fcntl(SafeSocketHandle socket, int command, int argument);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollRequest
    {
        public int Socket;
        public short Events;
        public short Result;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeValue
    {
        public nint Seconds;
        public nint Microseconds;
    }
}
