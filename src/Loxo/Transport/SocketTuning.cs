using System.Net;
using System.Net.Sockets;

namespace Loxo.Transport;

internal static class SocketTuning
{
    private const int Tcp = 6;
    private const int LinuxTcpUserTimeout = 18;

    public static Socket Create(EndPoint remote, TransportSettings settings)
    {
        try
        {
            var isUnix = remote.AddressFamily == AddressFamily.Unix;
            var socket = new Socket(remote.AddressFamily, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
            if (!isUnix)
                TuneTcp(socket, settings);
            if (settings.SocketReceiveBufferSize > 0)
                socket.ReceiveBufferSize = settings.SocketReceiveBufferSize;
            if (settings.SocketSendBufferSize > 0)
                socket.SendBufferSize = settings.SocketSendBufferSize;
            return socket;
        }
        catch (SocketException e)
        {
            throw TransportErrors.CannotConnect(settings.Host, e);
        }
    }

    public static ByteChannel ToChannel(Socket socket, EndPoint remote, TransportSettings settings, bool connectedAsynchronously) =>
        Reactor.LoopFor(settings.Reactor) is { } loop ? new ReactorChannel(socket, remote, loop, settings.ReceiveSpin)
        : OperatingSystem.IsLinux() ? new LinuxSocketChannel(socket, remote, connectedAsynchronously, settings.ReceiveSpin)
        : new SocketChannel(socket, remote);

    private static void TuneTcp(Socket socket, TransportSettings settings)
    {
        if (settings.TcpKeepAlive is { } probes)
        {
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
            Set(SocketOptionName.TcpKeepAliveTime, probes.Time);
            Set(SocketOptionName.TcpKeepAliveInterval, probes.Interval);
            Set(SocketOptionName.TcpKeepAliveRetryCount, probes.Count);
        }
        // Other systems have no such option; libpq ignores the parameter there, too.
        if (settings.TcpUserTimeout > 0 && OperatingSystem.IsLinux())
            socket.SetRawSocketOption(Tcp, LinuxTcpUserTimeout, BitConverter.GetBytes(settings.TcpUserTimeout));

        void Set(SocketOptionName name, int value)
        {
            if (value > 0)
                socket.SetSocketOption(SocketOptionLevel.Tcp, name, value);
        }
    }
}
