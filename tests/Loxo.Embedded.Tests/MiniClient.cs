using System.Buffers.Binary;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Loxo.Embedded.Tests;

/// <summary>Just enough of the protocol to ask a server a question, so that these tests need no driver: startup, cleartext password, simple query.</summary>
internal sealed class MiniClient : IDisposable
{
    private const int ProtocolVersion = 196608;
    private const int SslRequest = 80877103;

    private readonly Socket _socket;
    private Stream _stream;

    private MiniClient(Socket socket) => (_socket, _stream) = (socket, new NetworkStream(socket, ownsSocket: true));

    /// <summary>The code of the first authentication request: 0 Ok, 3 cleartext, 5 MD5, 10 SASL.</summary>
    public int AuthenticationAsked { get; private set; } = -1;

    /// <summary>Connects over TCP and logs in as a user, without TLS.</summary>
    public static MiniClient Connect(PgEmbeddedServer server, string user = "postgres", string? password = null) =>
        Open(new IPEndPoint(IPAddress.Parse(server.Host), server.Port)).LogIn(user, password);

    public static MiniClient Open(EndPoint endPoint)
    {
        var socket = endPoint is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(endPoint);
        return new MiniClient(socket);
    }

    public static string Ask(PgEmbeddedServer server, string sql)
    {
        using var client = Connect(server);
        return client.Ask(sql);
    }

    public MiniClient UpgradeToTls(SslClientAuthenticationOptions options)
    {
        Span<byte> request = stackalloc byte[8];
        BinaryPrimitives.WriteInt32BigEndian(request, request.Length);
        BinaryPrimitives.WriteInt32BigEndian(request[4..], SslRequest);
        _stream.Write(request);
        if (_stream.ReadByte() is not 'S' and var answer)
            throw new InvalidOperationException($"The server refused TLS with {answer}.");
        var tls = new SslStream(_stream);
        tls.AuthenticateAsClient(options);
        _stream = tls;
        return this;
    }

    public MiniClient LogIn(string user, string? password = null)
    {
        var body = Encoding.UTF8.GetBytes($"user\0{user}\0database\0postgres\0\0");
        Span<byte> head = stackalloc byte[8];
        BinaryPrimitives.WriteInt32BigEndian(head, head.Length + body.Length);
        BinaryPrimitives.WriteInt32BigEndian(head[4..], ProtocolVersion);
        _stream.Write([.. head, .. body]);
        while (true)
        {
            var (type, content) = Receive();
            if (type == 'Z')
                return this;
            if (type != 'R')
                continue;
            var code = BinaryPrimitives.ReadInt32BigEndian(content);
            AuthenticationAsked = AuthenticationAsked < 0 ? code : AuthenticationAsked;
            if (code != 0 && password is null)
                return this; // the test only wanted to know what is asked for
            if (code == 3)
                Send('p', password + "\0");
        }
    }

    /// <summary>The first column of the first row of a query's last result.</summary>
    public string Ask(string sql)
    {
        Send('Q', sql + "\0");
        var answer = "";
        while (true)
        {
            var (type, content) = Receive();
            if (type == 'D')
                answer = Encoding.UTF8.GetString(content.AsSpan(6, BinaryPrimitives.ReadInt32BigEndian(content.AsSpan(2))));
            if (type == 'Z')
                return answer;
        }
    }

    public void Dispose() => _stream.Dispose();

    private void Send(char type, string body)
    {
        var bytes = Encoding.UTF8.GetBytes(body);
        Span<byte> head = stackalloc byte[5];
        head[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(head[1..], bytes.Length + 4);
        _stream.Write([.. head, .. bytes]);
    }

    private (char Type, byte[] Body) Receive()
    {
        var head = new byte[5];
        _stream.ReadExactly(head);
        var body = new byte[BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(1)) - 4];
        _stream.ReadExactly(body);
        return head[0] == 'E'
            ? throw new InvalidOperationException(Encoding.UTF8.GetString(body).Replace('\0', ' '))
            : ((char)head[0], body);
    }
}
