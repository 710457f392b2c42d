using System.Buffers.Binary;
using System.Net.Security;
using System.Text;
using Loxo.IntegrationTests.Tls;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>What a server does when it is asked for encryption.</summary>
public enum EncryptionAnswer
{
    /// <summary>TLS begins.</summary>
    Accepts,

    /// <summary>'N': the connection can be used without.</summary>
    Refuses,

    /// <summary>The error of a server that does not know the request, byte by byte.</summary>
    Error,

    /// <summary>The end of the stream.</summary>
    Closes,

    /// <summary>'N', and what looks like the beginning of a login in clear.</summary>
    RefusesWithMore,
}

/// <summary>A server that refuses encryption in one way or another, and remembers what it was asked.</summary>
internal sealed class RefusingServer : IAsyncDisposable
{
    private const int GssRequest = 80877104, TlsRequest = 80877103;

    private readonly EncryptionAnswer _gss;
    private readonly EncryptionAnswer _tls;
    private readonly bool _refusesClear;
    private readonly FakeServer _server;
    private readonly StringBuilder _talk = new();

    public RefusingServer(EncryptionAnswer gss, EncryptionAnswer tls, bool refusesClear)
    {
        (_gss, _tls, _refusesClear) = (gss, tls, refusesClear);
        _server = new FakeServer(Play);
    }

    /// <summary>The requests in their order; a bar begins a connection.</summary>
    public string Talk
    {
        get
        {
            lock (_talk)
                return _talk.ToString();
        }
    }

    public PgDataSourceBuilder Builder(string settings) => _server.Builder(settings);

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task Play(Stream stream)
    {
        Note("|");
        while (true)
        {
            var code = await ReadStartup(stream);
            if (code is not (GssRequest or TlsRequest))
            {
                await LogIn(stream, isEncrypted: false);
                return;
            }
            Note(code == GssRequest ? " gss" : " tls");
            var answer = code == GssRequest ? _gss : _tls;
            if (!await Answer(stream, answer))
                return;
            if (answer != EncryptionAnswer.Accepts)
                continue;
            using var tls = new SslStream(stream);
            await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
            {
                ServerCertificate = CertificateServer.Good, ApplicationProtocols = [new SslApplicationProtocol("postgresql")],
            });
            await ReadStartup(tls);
            await LogIn(tls, isEncrypted: true);
            return;
        }
    }

    // False if the connection is over.
    private static async Task<bool> Answer(Stream stream, EncryptionAnswer answer)
    {
        switch (answer)
        {
            case EncryptionAnswer.Accepts:
                await stream.WriteAsync("S"u8.ToArray());
                return true;
            case EncryptionAnswer.Refuses:
                await stream.WriteAsync("N"u8.ToArray());
                return true;
            case EncryptionAnswer.Error:
                foreach (var one in Message('E', "SFATAL\0VFATAL\0C0A000\0Munsupported frontend protocol\0\0"u8))
                {
                    await stream.WriteAsync(new[] { one });
                    await Task.Yield();
                }
                return false;
            case EncryptionAnswer.RefusesWithMore:
                await stream.WriteAsync(new[] { (byte)'N' }.Concat(Message('R', new byte[4])).ToArray());
                await FakeServer.ReadToEnd(stream);
                return false;
            default:
                return false;
        }
    }

    private async Task LogIn(Stream stream, bool isEncrypted)
    {
        Note(isEncrypted ? " encrypted login" : " login");
        await stream.WriteAsync(_refusesClear && !isEncrypted
            ? Message('E', "SFATAL\0VFATAL\0C28000\0Mno pg_hba.conf entry\0\0"u8)
            : [.. Message('R', new byte[4]), .. Message('S', "server_version\018.1\0"u8), .. Message('S', "standard_conforming_strings\0on\0"u8), .. Message('Z', "I"u8)]);
        if (!_refusesClear || isEncrypted)
            await FakeServer.ReadToEnd(stream);
    }

    private void Note(string what)
    {
        lock (_talk)
            _talk.Append(what);
    }

    private static async Task<int> ReadStartup(Stream stream)
    {
        var head = new byte[8];
        await stream.ReadExactlyAsync(head);
        await stream.ReadExactlyAsync(new byte[BinaryPrimitives.ReadInt32BigEndian(head) - head.Length]);
        return BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(4));
    }

    private static byte[] Message(char type, ReadOnlySpan<byte> body)
    {
        var message = new byte[5 + body.Length];
        message[0] = Encoding.ASCII.GetBytes([type])[0];
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), 4 + body.Length);
        body.CopyTo(message.AsSpan(5));
        return message;
    }
}
