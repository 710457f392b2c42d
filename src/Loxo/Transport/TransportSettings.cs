namespace Loxo.Transport;

internal sealed record TransportSettings
{
    public required HostAddress Host { get; init; }

    public required TlsSettings Tls { get; init; }

    /// <summary>SO_KEEPALIVE; also true when <see cref="TcpKeepAliveTime"/> is set.</summary>
    public required bool TcpKeepAlive { get; init; }

    /// <summary>How long a connection is idle before the first probe; null leaves it to the system.</summary>
    public required TimeSpan? TcpKeepAliveTime { get; init; }

    /// <summary>The time between probes; null leaves it to the system. Never set without <see cref="TcpKeepAliveTime"/>.</summary>
    public required TimeSpan? TcpKeepAliveInterval { get; init; }

    /// <summary>SO_RCVBUF in bytes; 0 leaves it to the system.</summary>
    public required int SocketReceiveBufferSize { get; init; }

    /// <summary>SO_SNDBUF in bytes; 0 leaves it to the system.</summary>
    public required int SocketSendBufferSize { get; init; }

    public required int ReadBufferSize { get; init; }

    public required int WriteBufferSize { get; init; }

    /// <summary>The longest message that is sent, in bytes; the server's own limit unless a test sets another.</summary>
    public int MostInMessage { get; init; } = MessageWriter.MostInMessage;
}
