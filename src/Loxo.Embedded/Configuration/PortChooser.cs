using System.Net;
using System.Net.Sockets;

namespace Loxo.Embedded.Configuration;

/// <summary>Finds TCP ports for servers on this machine's own addresses.</summary>
internal static class PortChooser
{
    // Below the range that systems give to outgoing connections (Linux from 32768, others from 49152): such a connection cannot take the
    // port between our look and the server's bind, nor while a server restarts.
    private const int First = 10240;
    private const int AfterLast = 32768;

    private const int Attempts = 500;

    /// <summary>The addresses to listen on: IPv6 too, where the machine has it.</summary>
    public static IReadOnlyList<IPAddress> LocalAddresses { get; } =
        CanBind(IPAddress.IPv6Loopback, 0) ? [IPAddress.Loopback, IPAddress.IPv6Loopback] : [IPAddress.Loopback];

    /// <summary>A port that is free on all of them at this moment.</summary>
    public static int Choose()
    {
        for (var i = 0; i < Attempts; i++)
        {
            var port = Random.Shared.Next(First, AfterLast);
            if (LocalAddresses.All(address => CanBind(address, port)))
                return port;
        }
        throw new PgEmbeddedServerException($"No free TCP port was found between {First} and {AfterLast - 1} in {Attempts} attempts. Set "
            + "PgEmbeddedServerOptions.Port to one that is free.");
    }

    private static bool CanBind(IPAddress address, int port)
    {
        try
        {
            using var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(address, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
