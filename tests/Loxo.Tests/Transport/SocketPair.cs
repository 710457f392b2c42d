using System.Net;
using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>A channel over a real socket of this machine, and the other end of it.</summary>
internal sealed class SocketPair : IDisposable
{
    private SocketPair(ByteChannel channel, Socket peer)
    {
        Channel = channel;
        Peer = peer;
    }

    public ByteChannel Channel { get; }

    /// <summary>The server's end; blocking, and never waiting for more than a minute.</summary>
    public Socket Peer { get; }

    /// <param name="linux">The channel for Linux, or the one for other systems.</param>
    /// <param name="connectedAsynchronously">How the client's socket was connected.</param>
    public static async Task<SocketPair> Open(bool linux, bool connectedAsynchronously = false)
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        var remote = listener.LocalEndPoint!;
        if (connectedAsynchronously)
            await client.ConnectAsync(remote);
        else
            client.Connect(remote);
        var peer = listener.Accept();
        peer.ReceiveTimeout = peer.SendTimeout = 60_000;
        return new SocketPair(linux ? new LinuxSocketChannel(client, remote, connectedAsynchronously) : new SocketChannel(client, remote), peer);
    }

    public byte[] ReadFromPeer(int count)
    {
        var bytes = new byte[count];
        for (var read = 0; read < count;)
            read += Peer.Receive(bytes.AsSpan(read)) is > 0 and var got ? got : throw new AssertionException("The channel was closed.");
        return bytes;
    }

    public void Dispose()
    {
        Channel.Dispose();
        Peer.Dispose();
    }
}
