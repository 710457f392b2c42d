using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Quickstart.Story;

/// <summary>
/// A long line to a server, on this machine: a TCP proxy that delivers everything later, in both directions, and counts round trips.
/// </summary>
internal sealed class SlowedLink : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly EndPoint _server;
    private readonly TimeSpan _delay;
    private int _roundTrips;

    /// <summary>Starts to listen.</summary>
    /// <param name="host">The server's host; a path if it listens on a Unix socket in that folder.</param>
    /// <param name="port">Its port.</param>
    /// <param name="delay">How much later bytes arrive, in each direction.</param>
    public SlowedLink(string host, int port, TimeSpan delay)
    {
        _server = host.StartsWith('/') ? new UnixDomainSocketEndPoint($"{host}/.s.PGSQL.{port}") : new DnsEndPoint(host, port);
        _delay = delay;
        _listener.Start();
        _ = Accept();
    }

    /// <summary>Where a client connects to.</summary>
    public string Host => "127.0.0.1";

    /// <summary>Its port.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>
    /// How often the direction has turned, as seen from the client: it sent, and then something arrived. What it sent without waiting
    /// for the answer counts once the answer arrives, and together with all that it has sent by then.
    /// </summary>
    public int RoundTrips => Volatile.Read(ref _roundTrips);

    public void Dispose() => _listener.Dispose();

    private async Task Accept()
    {
        try
        {
            while (true)
                _ = Serve(await _listener.AcceptSocketAsync());
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Disposed.
        }
    }

    private async Task Serve(Socket client)
    {
        using var _ = client;
        client.NoDelay = true;
        using var server = _server is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        var awaitsAnswer = false;
        try
        {
            await server.ConnectAsync(_server);
            await Task.WhenAny(
                Carry(client, server, onRead: () => Volatile.Write(ref awaitsAnswer, true), onDelivery: () => { }),
                Carry(server, client, onRead: () => { }, onDelivery: () =>
                {
                    if (Interlocked.Exchange(ref awaitsAnswer, false))
                        Interlocked.Increment(ref _roundTrips);
                }));
        }
        catch (SocketException)
        {
            // The server cannot be reached: the client sees its connection closed.
        }
    }

    // Reading goes on while earlier bytes are on their way, as on a real line.
    private async Task Carry(Socket from, Socket to, Action onRead, Action onDelivery)
    {
        var line = Channel.CreateUnbounded<(long Due, byte[] Bytes)>();
        var delivery = Deliver(line.Reader, to, onDelivery);
        var buffer = new byte[64 * 1024];
        try
        {
            for (int count; (count = await from.ReceiveAsync(buffer)) > 0;)
            {
                onRead();
                line.Writer.TryWrite((Environment.TickCount64 + (long)_delay.TotalMilliseconds, buffer.AsSpan(0, count).ToArray()));
            }
        }
        catch (SocketException)
        {
            // Ended by the other side.
        }
        line.Writer.Complete();
        await delivery;
    }

    private static async Task Deliver(ChannelReader<(long Due, byte[] Bytes)> line, Socket to, Action onDelivery)
    {
        await foreach (var (due, bytes) in line.ReadAllAsync())
        {
            var wait = due - Environment.TickCount64;
            if (wait > 0)
                await Task.Delay((int)wait);
            onDelivery();
            for (var sent = 0; sent < bytes.Length;)
                sent += await to.SendAsync(bytes.AsMemory(sent));
        }
    }
}
