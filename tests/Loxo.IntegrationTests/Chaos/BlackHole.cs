using System.Net;
using System.Net.Sockets;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>A port where connecting never ends: its queue of connections is full, so that the kernel drops every SYN.</summary>
internal sealed class BlackHole : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly List<Socket> _waiting = [];

    public BlackHole()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(0);
        // A queue of 0 takes one; all others stay in the middle of connecting, as will whoever comes next.
        for (var i = 0; i < 8; i++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            _waiting.Add(socket);
            _ = socket.ConnectAsync(_listener.LocalEndPoint!);
        }
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public void Dispose()
    {
        _listener.Dispose();
        foreach (var socket in _waiting)
            socket.Dispose();
    }
}
