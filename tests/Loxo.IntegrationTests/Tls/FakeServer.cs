using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Loxo.IntegrationTests.Tls;

/// <summary>A server that plays one part for each connection: for what PostgreSQL does not do on demand.</summary>
internal sealed class FakeServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _end = new();
    private readonly ConcurrentQueue<byte[]> _received = new();
    private readonly ConcurrentBag<Task> _parts = [];
    private readonly Task _accepting;
    private int _connections;
    private bool _isDisposed;

    public FakeServer(Func<Stream, Task> part)
    {
        _listener.Start();
        _accepting = Accept(part);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>How many connections have come.</summary>
    public int Connections => Volatile.Read(ref _connections);

    /// <summary>What has come in clear, byte by byte as text.</summary>
    public string Received => string.Concat(_received.Select(Encoding.Latin1.GetString));

    public static async Task AnswerRequest(Stream stream, string answer)
    {
        await stream.ReadExactlyAsync(new byte[8]);
        await stream.WriteAsync(Encoding.Latin1.GetBytes(answer));
    }

    public static async Task ReadToEnd(Stream stream)
    {
        var buffer = new byte[4096];
        while (await stream.ReadAsync(buffer) > 0)
        {
            // Whatever comes.
        }
    }

    public PgDataSourceBuilder Builder(string settings) => new(string.Create(CultureInfo.InvariantCulture,
        $"Host=localhost;Host Address=127.0.0.1;Port={Port};Username=u;Pooling=false;{settings}"));

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        await _end.CancelAsync();
        _listener.Stop();
        await _accepting;
        await Task.WhenAll(_parts);
        _end.Dispose();
    }

    private async Task Accept(Func<Stream, Task> part)
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync(_end.Token);
                Interlocked.Increment(ref _connections);
                _parts.Add(Play(client, part));
            }
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or InvalidOperationException)
        {
            // The test has ended.
        }
    }

    private async Task Play(TcpClient client, Func<Stream, Task> part)
    {
        using (client)
        using (_end.Token.Register(client.Dispose))
        {
            try
            {
                await part(new Recording(client.GetStream(), _received));
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException or System.Security.Authentication.AuthenticationException)
            {
                // The driver has closed the connection, which is what such servers deserve.
            }
        }
    }

    private sealed class Recording(Stream inner, ConcurrentQueue<byte[]> received) : WrappedStream(inner)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var count = await base.ReadAsync(buffer, cancellationToken);
            received.Enqueue(buffer[..count].ToArray());
            return count;
        }
    }
}
