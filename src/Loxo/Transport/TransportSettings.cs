namespace Loxo.Transport;

internal sealed record TransportSettings
{
    public required HostAddress Host { get; init; }

    public required TlsSettings Tls { get; init; }

    /// <summary>Whether the connection is encrypted with GSSAPI instead of TLS.</summary>
    public required GssEncryptionMode GssEncryption { get; init; }

    /// <summary>Whether the addresses of a name are tried in a random order.</summary>
    public bool ShufflesAddresses { get; init; }

    /// <summary>The operating-system user that must run the server at a Unix socket; null for any.</summary>
    public string? ServerUser { get; init; }

    /// <summary>SO_KEEPALIVE; null for none.</summary>
    public required TcpKeepAlive? TcpKeepAlive { get; init; }

    /// <summary>Milliseconds that the system waits for the acknowledgement of what was sent; 0 leaves it to the system.</summary>
    public required int TcpUserTimeout { get; init; }

    /// <summary>SO_RCVBUF in bytes; 0 leaves it to the system.</summary>
    public required int SocketReceiveBufferSize { get; init; }

    /// <summary>SO_SNDBUF in bytes; 0 leaves it to the system.</summary>
    public required int SocketSendBufferSize { get; init; }

    public required int ReadBufferSize { get; init; }

    public required int WriteBufferSize { get; init; }

    /// <summary>Microseconds that a blocking receive looks for input before it sleeps; 0 for none.</summary>
    public required int ReceiveSpin { get; init; }

    /// <summary>The loops that asynchronous calls wait in; null for the sockets of .NET.</summary>
    public required ReactorSettings? Reactor { get; init; }

    /// <summary>Whether the settings name the engine of asynchronous calls. Runs of the tests replace the default alone.</summary>
    public bool IsEngineGiven { get; init; }

    /// <summary>The longest message that is sent, in bytes; the server's own limit unless a test sets another.</summary>
    public int MostInMessage { get; init; } = MessageWriter.MostInMessage;
}

/// <summary>How TCP probes a connection. 0 leaves a value to the system.</summary>
/// <param name="Time">Seconds that the connection is idle before the first probe.</param>
/// <param name="Interval">Seconds between probes.</param>
/// <param name="Count">How many probes may stay without an answer.</param>
internal sealed record TcpKeepAlive(int Time, int Interval, int Count);

/// <summary>Where a server listens: a host and port, or a Unix socket directory and the port in its file name.</summary>
/// <param name="Host">The host or the directory: the name in certificates and in the password file.</param>
/// <param name="Port">The port.</param>
/// <param name="Address">The IP address to connect to, whatever the host; null to look the host up.</param>
internal readonly record struct HostAddress(string Host, int Port, string? Address = null)
{
    public bool IsUnixSocket => Address is null && IsSocketDirectory(Host);

    /// <summary>The socket's file; an abstract one starts with <c>@</c>, which the system call wants as a NUL (libpq's rule).</summary>
    public string SocketPath => string.Create(CultureInfo.InvariantCulture, $"{Host.TrimEnd('/')}/.s.PGSQL.{Port}");

    public override string ToString() =>
        IsUnixSocket ? SocketPath
        : Host.Contains(':', StringComparison.Ordinal) ? string.Create(CultureInfo.InvariantCulture, $"[{Host}]:{Port}")
        : string.Create(CultureInfo.InvariantCulture, $"{Host}:{Port}");

    public static bool IsSocketDirectory(string host) => host.StartsWith('/') || host.StartsWith('@') || HasDrive(host);

    // Windows has Unix sockets too; no host name looks like "C:\".
    private static bool HasDrive(string host) =>
        host.Length >= 3 && char.IsAsciiLetter(host[0]) && host[1] == ':' && host[2] is '\\' or '/';
}
