using System.Globalization;

namespace Loxo.Transport;

/// <summary>Where a server listens: a host and port, or a Unix socket directory and the port in its file name.</summary>
internal readonly record struct HostAddress(string Host, int Port)
{
    public bool IsUnixSocket => IsSocketDirectory(Host);

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
