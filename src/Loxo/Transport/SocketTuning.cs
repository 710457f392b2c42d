using System.Net;
using System.Net.Sockets;

namespace Loxo.Transport;

internal static class SocketTuning
{
    public static Socket Create(EndPoint remote, TransportSettings settings)
    {
        try
        {
            var isUnix = remote.AddressFamily == AddressFamily.Unix;
            var socket = new Socket(remote.AddressFamily, SocketType.Stream, isUnix ? ProtocolType.Unspecified : ProtocolType.Tcp);
            if (!isUnix && (settings.TcpKeepAlive || settings.TcpKeepAliveTime is not null))
                KeepAlive(socket, settings);
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

    public static ByteChannel ToChannel(Socket socket, EndPoint remote, bool connectedAsynchronously) => OperatingSystem.IsLinux()
        ? new LinuxSocketChannel(socket, remote, connectedAsynchronously)
        : new SocketChannel(socket, remote);

    private static void KeepAlive(Socket socket, TransportSettings settings)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        if (settings.TcpKeepAliveTime is not { } idle)
            return;
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, (int)idle.TotalSeconds);
        var interval = settings.TcpKeepAliveInterval ?? idle;
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, (int)interval.TotalSeconds);
    }
}
