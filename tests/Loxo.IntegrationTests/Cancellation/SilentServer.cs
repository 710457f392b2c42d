using System.Buffers.Binary;
using System.Text;
using Loxo.IntegrationTests.Tls;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>A server that lets everybody in, and answers neither commands nor cancel requests: as many of them as a real one would not take.</summary>
internal sealed class SilentServer : IAsyncDisposable
{
    private const int CancelRequestCode = 80877102;

    private readonly FakeServer _server;
    private int _commands;
    private int _cancels;

    public SilentServer() => _server = new FakeServer(Play);

    /// <summary>How many sessions have sent a command.</summary>
    public int Commands => Volatile.Read(ref _commands);

    /// <summary>How many cancel requests have come; each of them waits for the end of its connection.</summary>
    public int Cancels => Volatile.Read(ref _cancels);

    public string ConnectionString => $"Host=127.0.0.1;Port={_server.Port};Username=u;SSL Mode=Disable;Pooling=false;Timeout=120;Command Timeout=0";

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task Play(Stream stream)
    {
        var head = new byte[8];
        await stream.ReadExactlyAsync(head);
        await stream.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(head) - head.Length]);
        if (BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(4)) == CancelRequestCode)
        {
            Interlocked.Increment(ref _cancels);
        }
        else
        {
            await stream.WriteAsync(Welcome());
            await stream.ReadExactlyAsync(new byte[1]);
            Interlocked.Increment(ref _commands);
        }
        await FakeServer.ReadToEnd(stream);
    }

    private static byte[] Welcome() =>
    [
        .. Message('R', new byte[4]), .. Message('S', "server_version\018.1\0"u8), .. Message('S', "standard_conforming_strings\0on\0"u8),
        .. Message('S', "client_encoding\0UTF8\0"u8), .. Message('K', [0, 0, 0, 1, 0, 0, 0, 2]), .. Message('Z', "I"u8),
    ];

    private static byte[] Message(char type, ReadOnlySpan<byte> body)
    {
        var message = new byte[5 + body.Length];
        message[0] = Encoding.ASCII.GetBytes([type])[0];
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), 4 + body.Length);
        body.CopyTo(message.AsSpan(5));
        return message;
    }
}
