using System.Net;
using System.Net.Sockets;
using Loxo.Tests.ConnectionStrings;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>The options of real sockets, read back from the system.</summary>
public sealed class SocketTuningTests
{
    [TestCase("", false, -1, -1, -1)]
    [TestCase("TCP Keepalive=true", true, -1, -1, -1)]
    [TestCase("TCP Keepalive Time=60", true, 60, 60, -1)]
    [TestCase("TCP Keepalive Time=60;TCP Keepalive Interval=7;TCP Keepalive Count=3", true, 60, 7, 3)]
    [TestCase("TCP Keepalive Interval=7", true, -1, 7, -1)]
    [TestCase("TCP Keepalive=false;TCP Keepalive Time=60;TCP Keepalive Count=3", false, -1, -1, -1)]
    public void Probes_are_those_of_the_connection_string(string text, bool isOn, int time, int interval, int count)
    {
        using var untouched = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        using var socket = SocketTuning.Create(new IPEndPoint(IPAddress.Loopback, 5432), Given.Settings("Host=h;" + text).Transport);

        Assert.That(Read(socket, SocketOptionLevel.Socket, SocketOptionName.KeepAlive) != 0, Is.EqualTo(isOn));
        AssertOption(SocketOptionName.TcpKeepAliveTime, time);
        AssertOption(SocketOptionName.TcpKeepAliveInterval, interval);
        AssertOption(SocketOptionName.TcpKeepAliveRetryCount, count);

        void AssertOption(SocketOptionName name, int expected) => Assert.That(Read(socket, SocketOptionLevel.Tcp, name),
            Is.EqualTo(expected >= 0 ? expected : Read(untouched, SocketOptionLevel.Tcp, name)));
    }

    [Test, Platform("Linux")]
    public void The_limit_for_acknowledgements_is_that_of_the_connection_string()
    {
        using var socket = SocketTuning.Create(new IPEndPoint(IPAddress.Loopback, 5432), Given.Settings("Host=h;TCP User Timeout=4321").Transport);
        var value = new byte[4];
        socket.GetRawSocketOption(6, 18, value);

        Assert.That(BitConverter.ToInt32(value), Is.EqualTo(4321));
    }

    [Test]
    public void A_Unix_socket_has_no_probes()
    {
        using var socket = SocketTuning.Create(new UnixDomainSocketEndPoint("/tmp/x"), Given.Settings("Host=/tmp;TCP Keepalive=true;TCP User Timeout=1").Transport);

        Assert.That(Read(socket, SocketOptionLevel.Socket, SocketOptionName.KeepAlive), Is.Zero);
    }

    private static int Read(Socket socket, SocketOptionLevel level, SocketOptionName name) => (int)socket.GetSocketOption(level, name)!;
}
