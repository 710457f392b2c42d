using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Loxo.Transport;

internal static class TransportErrors
{
    private const string PartlySent = "A message cannot be sent in part, so the connection has been closed.";

    public static InvalidOperationException InUse() => new(
        "Another thread is reading from this connection, or has closed it. A connection serves one thread at a time.");

    public static PgException Lost(Exception cause) => cause is EndOfStreamException
        ? new("The server closed the connection without saying why. The connection has been closed.", PgErrorCode.ConnectionClosed, cause)
        : new($"The connection to the server was lost: {cause.Message} The connection has been closed.", PgErrorCode.ConnectionClosed,
            cause as IOException ?? new IOException(cause.Message, cause));

    public static PgException SourceFailed(string name, Exception cause) => new(
        $"{name} cannot be sent: its stream could not be read: {cause.Message} Nothing was sent, and the connection can be used.",
        PgErrorCode.ParameterInvalid, cause);

    public static PgException SourceBroken(string name, long sent, long length, Exception cause) => new(
        string.Create(CultureInfo.InvariantCulture,
            $"{name} could not be sent: its stream failed after {sent} of {length} bytes: {cause.Message} {PartlySent}"),
        PgErrorCode.ParameterInvalid, cause);

    public static PgException SourceEnded(string name, long sent, long length) => new(
        string.Create(CultureInfo.InvariantCulture,
            $"{name} could not be sent: its stream ended after {sent} of {length} bytes. {PartlySent}"),
        PgErrorCode.ParameterInvalid);

    public static EndOfStreamException PartEnded(long left, long length) => new(string.Create(CultureInfo.InvariantCulture,
        $"The stream of one of the elements ended after {length - left} of {length} bytes."));

    public static PgException CannotConnect(HostAddress host, Exception cause)
    {
        // Without memory or a thread for it the server was never asked.
        if (host.IsUnixSocket && cause is not OutOfMemoryException)
            return new($"Could not connect to the Unix socket {host.SocketPath}: {cause.Message}. "
                + "Is a server running there, with that directory in 'unix_socket_directories' and that port?",
                PgErrorCode.ConnectionRefused, cause);
        var error = cause as SocketException;
        var refused = error is { SocketErrorCode: SocketError.ConnectionRefused or SocketError.AddressNotAvailable };
        var advice = refused ? " Is a server running there, and does it accept TCP connections on that port?" : "";
        return new($"Could not connect to {host}: {cause.Message}.{advice}".Replace("..", ".", StringComparison.Ordinal),
            refused ? PgErrorCode.ConnectionRefused : PgErrorCode.ConnectionClosed, cause);
    }

    public static PgException SocketPathTooLong(HostAddress host, Exception cause) => new(string.Create(CultureInfo.InvariantCulture,
        $"Could not connect to the Unix socket {host.SocketPath}: its path has {Encoding.UTF8.GetByteCount(host.SocketPath)} bytes, ")
        + "which is more than the system allows. Name a shorter directory in 'Host'.", PgErrorCode.ConnectionRefused, cause);

    public static PgException ForeignServer(HostAddress host, string asked, string user) => new(
        $"'requirepeer' asks for a server of the user '{asked}', but the process that listens at {host.SocketPath} runs as '{user}'. "
        + "Check 'Host' and 'Port', or name the user that runs the server.", PgErrorCode.AuthenticationFailed);

    public static PgException ServerUserUnknown(HostAddress host) => new(
        $"'requirepeer' asks who runs the server at {host.SocketPath}, which this operating system does not tell. "
        + "Leave 'requirepeer' out, or connect by TCP with 'SSL Mode=VerifyFull'.", PgErrorCode.AuthenticationNotSupported);

    public static PgException CannotResolve(string host, Exception cause) => new(
        $"The host name '{host}' could not be resolved: {cause.Message}. Check 'Host' in the connection string.",
        PgErrorCode.HostNotFound, cause);

    public static PgException OpenTimedOut(HostAddress host, string doing) => new(
        $"Opening a connection to {host} took longer than 'Timeout' allows; it was {doing}.", PgErrorCode.Timeout,
        new TimeoutException("The time for opening a connection is over."));

    public static PgException ImpossiblePacket(int length) => new(string.Create(CultureInfo.InvariantCulture,
        $"The server sent a packet of GSSAPI encryption with a length of {length} bytes. The connection has been closed."),
        PgErrorCode.ProtocolViolation);

    public static PgException NotDecrypted(NegotiateAuthenticationStatusCode status) => new(
        $"A packet of the server could not be decrypted with GSSAPI ({status}): it was changed on the way, or the ticket has expired. "
        + "The connection has been closed.", PgErrorCode.ProtocolViolation);

    public static PgException NotEncrypted(NegotiateAuthenticationStatusCode status) => new(
        $"The messages could not be encrypted with GSSAPI ({status}). The connection has been closed.", PgErrorCode.ConnectionClosed);
}
