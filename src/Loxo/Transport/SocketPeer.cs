using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>
/// The operating-system user whose process listens at a Unix socket. Anybody who may write to the directory can listen there, so libpq's
/// requirepeer asks for a user.
/// </summary>
internal static unsafe partial class SocketPeer
{
    private const int SolSocket = 1;
    private const int SoPeerCredentials = 17;
    private const int TooSmall = 34; // ERANGE, the same on all systems
    private const int LongestEntry = 1024 * 1024;

    /// <summary>The channel, if the server's user is the one that was asked for; else it is closed.</summary>
    /// <param name="channel">A channel that was just opened.</param>
    /// <param name="socket">Its socket.</param>
    /// <param name="settings">With the user. A connection by TCP has none, and is not checked.</param>
    /// <exception cref="PgException">It is another user, or cannot be told.</exception>
    public static ByteChannel Checked(ByteChannel channel, Socket socket, TransportSettings settings)
    {
        if (settings.ServerUser is not { } asked || socket.AddressFamily != AddressFamily.Unix)
            return channel;
        try
        {
            var user = UserOf(socket, settings.Host);
            return NameOf(user) is var name && name == asked
                ? channel
                : throw TransportErrors.ForeignServer(settings.Host, asked, name ?? user.ToString(CultureInfo.InvariantCulture));
        }
        catch
        {
            channel.Dispose();
            throw;
        }
    }

    private static uint UserOf(Socket socket, HostAddress host)
    {
        if (OperatingSystem.IsLinux())
        {
            Span<uint> credentials = stackalloc uint[3]; // process, user, group
            socket.GetRawSocketOption(SolSocket, SoPeerCredentials, MemoryMarshal.AsBytes(credentials));
            return credentials[1];
        }
        if (!OperatingSystem.IsMacOS() && !OperatingSystem.IsFreeBSD())
            throw TransportErrors.ServerUserUnknown(host);
        uint user, group;
        return getpeereid(socket.SafeHandle, &user, &group) == 0 ? user : throw new SocketException(Marshal.GetLastPInvokeError());
    }

    // Null for a user without a name. The name is the first field of struct passwd everywhere.
    private static string? NameOf(uint user)
    {
        const int mostFields = 32;
        var fields = stackalloc nint[mostFields];
        for (var size = 1024; size <= LongestEntry; size *= 4)
        {
            var texts = new byte[size];
            fixed (byte* room = texts)
            {
                nint* found = null;
                var error = getpwuid_r(user, fields, room, size, &found);
                if (error != TooSmall)
                    return error == 0 && found is not null ? Marshal.PtrToStringUTF8(found[0]) : null;
            }
        }
        return null;
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int getpeereid(SafeSocketHandle socket, uint* user, uint* group);

    [LibraryImport("libc")]
    private static partial int getpwuid_r(uint user, nint* entry, byte* texts, nint size, nint** found);
}
