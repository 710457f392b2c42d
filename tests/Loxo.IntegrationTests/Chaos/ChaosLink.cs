using System.Net;
using System.Net.Sockets;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>One connection through a <see cref="ChaosProxy"/>.</summary>
internal sealed class ChaosLink : IAsyncDisposable
{
    private readonly Socket _client;
    private readonly Socket _server = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ChaosLink(Socket client, int number)
    {
        _client = client;
        _client.NoDelay = _server.NoDelay = true;
        Number = number;
        var framing = new Framing();
        ToServer = new ChaosFlow(framing, fromClient: true);
        ToClient = new ChaosFlow(framing, fromClient: false);
    }

    public int Number { get; }

    /// <summary>The port from which it leads to the server.</summary>
    public int ServerPort { get; private set; }

    public ChaosFlow ToServer { get; }

    public ChaosFlow ToClient { get; }

    /// <summary>Completed when both directions have ended, each with the end of its stream or an error.</summary>
    public Task Ended => _ended.Task;

    /// <summary>An orderly end (FIN) for both sides, wherever the streams are.</summary>
    public void Cut()
    {
        ToClient.Abandon();
        ToServer.Abandon();
        Quietly(() => _client.Shutdown(SocketShutdown.Send));
        Quietly(() => _server.Shutdown(SocketShutdown.Send));
    }

    /// <summary>An abrupt end (RST) for both sides.</summary>
    public void Reset()
    {
        ToClient.Abandon();
        ToServer.Abandon();
        Quietly(() => _client.LingerState = _server.LingerState = new LingerOption(true, 0));
        _client.Close();
        _server.Close();
    }

    public async ValueTask DisposeAsync()
    {
        ToClient.Abandon();
        ToServer.Abandon();
        _client.Dispose();
        _server.Dispose();
        await Ended;
    }

    internal void Start(EndPoint server) => _ = Task.Run(async () =>
    {
        try
        {
            await _server.ConnectAsync(server);
            ServerPort = ((IPEndPoint)_server.LocalEndPoint!).Port;
            await Task.WhenAll(ToServer.Run(_client, _server), ToClient.Run(_server, _client));
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // A connection that broke is what many tests want.
        }
        finally
        {
            _client.Dispose();
            _server.Dispose();
            _ended.TrySetResult();
        }
    });

    private static void Quietly(Action action)
    {
        try
        {
            action();
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
        }
    }
}
