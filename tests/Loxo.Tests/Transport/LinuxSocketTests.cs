using System.Net.Sockets;
using System.Reflection;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

[Platform("Linux")]
public sealed class LinuxSocketTests
{
    // Errors of a socket that is in use, of which .NET's own calls make others, and those that no call here gets or lets out.
    private static readonly Dictionary<int, SocketError> _differences = new()
    {
        [4] = SocketError.SocketError, // EINTR
        [9] = SocketError.Shutdown, // EBADF
        [11] = SocketError.SocketError, // EAGAIN
        [12] = SocketError.NoBufferSpaceAvailable, // ENOMEM
        [28] = SocketError.NoBufferSpaceAvailable, // ENOSPC
        [32] = SocketError.ConnectionReset, // EPIPE
        [108] = SocketError.Shutdown, // ESHUTDOWN
    };

    [Test]
    public void An_error_of_the_system_has_the_code_that_it_has_in_NET()
    {
        var differences = Enumerable.Range(1, 133).Where(static errno => LinuxSocket.ToSocketError(errno) != Expected(errno))
            .Select(static errno => $"{errno} is {LinuxSocket.ToSocketError(errno)} and not {Expected(errno)}");
        Assert.That(differences, Is.Empty);
    }

    private static SocketError Expected(int errno) => _differences.TryGetValue(errno, out var ours) ? ours : OfNet(errno);

    // Its table is not public.
    private static SocketError OfNet(int errno)
    {
        const BindingFlags Any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        var error = typeof(Socket).Assembly.GetType("Interop+Sys", throwOnError: true)!.GetMethod("ConvertErrorPlatformToPal", Any)!.Invoke(null, [errno]);
        return (SocketError)typeof(Socket).Assembly.GetType("System.Net.Sockets.SocketErrorPal", throwOnError: true)!
            .GetMethod("GetSocketErrorForNativeError", Any)!.Invoke(null, [error])!;
    }
}
