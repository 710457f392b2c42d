using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>
/// A proxy in front of a server that can hold, split, cut and reset what passes. Each connection through it is a <see cref="ChaosLink"/>,
/// numbered in the order of their arrival: the session's own is 0, a cancel request is a further one.
/// </summary>
internal sealed class ChaosProxy : IAsyncDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly ConcurrentDictionary<int, TaskCompletionSource<ChaosLink>> _links = new();
    private readonly Task _accepting;
    private volatile EndPoint _server;
    private int _count;

    /// <param name="host">The server's address.</param>
    /// <param name="port">The server's port.</param>
    /// <param name="listenOn">Where clients connect.</param>
    public ChaosProxy(string host, int port, string listenOn = "127.0.0.1")
    {
        _server = new IPEndPoint(IPAddress.Parse(host), port);
        _listener.Bind(new IPEndPoint(IPAddress.Parse(listenOn), 0));
        _listener.Listen();
        _accepting = Task.Run(Accept);
    }

    /// <summary>The port where clients connect.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>How many connections have been made.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Called with each connection before a byte of it passes: the place for gates. Null to let everything pass.</summary>
    public Action<ChaosLink>? Plan { get; set; }

    /// <summary>Further connections lead to that port of this machine.</summary>
    public void Redirect(int port) => _server = new IPEndPoint(IPAddress.Loopback, port);

    /// <summary>The connection of that number, once it has been made.</summary>
    public Task<ChaosLink> Link(int number) => Slot(number).Task;

    /// <summary>The same connection string, through the proxy.</summary>
    public string ConnectionString(string direct) => new PgConnectionStringBuilder(direct) { Host = "127.0.0.1", Port = Port }.ConnectionString;

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        foreach (var link in _links.Values.Where(slot => slot.Task.IsCompletedSuccessfully))
            await link.Task.Result.DisposeAsync();
    }

    private TaskCompletionSource<ChaosLink> Slot(int number) =>
        _links.GetOrAdd(number, static _ => new TaskCompletionSource<ChaosLink>(TaskCreationOptions.RunContinuationsAsynchronously));

    private async Task Accept()
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await _listener.AcceptAsync();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return;
            }
            var link = new ChaosLink(client, Volatile.Read(ref _count));
            Plan?.Invoke(link);
            link.Start(_server);
            Interlocked.Increment(ref _count);
            Slot(link.Number).SetResult(link);
        }
    }
}
