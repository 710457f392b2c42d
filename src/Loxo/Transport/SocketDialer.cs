using System.Net;
using System.Net.Sockets;
using System.Runtime.ExceptionServices;

namespace Loxo.Transport;

/// <summary>All addresses of a name are tried in order, each with an equal share of the time that is left.</summary>
internal sealed class SocketDialer(TimeProvider time) : Dialer
{
    /// <summary>The dialer of a data source: within the wrapper, if a test has set one.</summary>
    public static Dialer Create(TimeProvider time)
    {
        var dialer = new SocketDialer(time);
        return Wrapper?.Invoke(dialer) ?? dialer;
    }

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline)
    {
        var addresses = Resolve(settings.Host, deadline);
        for (var i = 0; ; i++)
        {
            try
            {
                return Connect(addresses[i], settings, deadline.Share(addresses.Length - i, time));
            }
            catch (PgException) when (i < addresses.Length - 1 && !deadline.HasExpired)
            {
                // The next address may answer.
            }
        }
    }

    public override async ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        var addresses = await ResolveAsync(settings.Host, deadline, token).ConfigureAwait(false);
        for (var i = 0; ; i++)
        {
            try
            {
                return await ConnectAsync(addresses[i], settings, deadline.Share(addresses.Length - i, time), token).ConfigureAwait(false);
            }
            catch (PgException) when (i < addresses.Length - 1 && !deadline.HasExpired)
            {
                // The next address may answer.
            }
        }
    }

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) =>
        Connect(remote, settings, deadline);

    public override ValueTask<ByteChannel> RedialAsync(
        EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        ConnectAsync(remote, settings, deadline, token);

    private static ByteChannel Connect(EndPoint remote, TransportSettings settings, Deadline deadline)
    {
        var socket = SocketTuning.Create(remote, settings);
        try
        {
            // Bounds the connect itself on Linux and leaves the socket blocking, which ConnectAsync with a token would not.
            socket.SendTimeout = deadline.NextWait is var wait and not Timeout.Infinite ? Math.Max(1, wait) : 0;
            socket.Connect(remote);
            socket.SendTimeout = 0;
            return SocketTuning.ToChannel(socket, remote, settings, connectedAsynchronously: false);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            socket.Dispose();
            throw e is SocketException { SocketErrorCode: SocketError.TimedOut or SocketError.WouldBlock }
                ? TransportErrors.OpenTimedOut(settings.Host, $"connecting to {remote}")
                : TransportErrors.CannotConnect(settings.Host, e);
        }
    }

    private async ValueTask<ByteChannel> ConnectAsync(
        EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        var socket = SocketTuning.Create(remote, settings);
        using var limit = new CancellationTokenSource(deadline.Left, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, token);
        try
        {
            // Through the Socket class the runtime would watch the handle as well, for good.
            if (Reactor.LoopFor(settings.Reactor) is { } loop)
                return await ReactorChannel.ConnectAsync(socket, remote, loop, settings.ReceiveSpin, both.Token).ConfigureAwait(false);
            await socket.ConnectAsync(remote, both.Token).ConfigureAwait(false);
            return SocketTuning.ToChannel(socket, remote, settings, connectedAsynchronously: true);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            socket.Dispose();
            token.ThrowIfCancellationRequested();
            throw e is OperationCanceledException
                ? TransportErrors.OpenTimedOut(settings.Host, $"connecting to {remote}")
                : TransportErrors.CannotConnect(settings.Host, e);
        }
    }

    private static EndPoint[] Resolve(HostAddress host, Deadline deadline)
    {
        if (KnownEndPoint(host) is { } known)
            return [known];
        try
        {
            return EndPoints(host, LookUp(host, deadline.NextWait));
        }
        catch (SocketException e)
        {
            throw TransportErrors.CannotResolve(host.Host, e);
        }
    }

    // The system's blocking lookup takes no time limit: it runs on a thread of its own, which is abandoned when the time is over.
    private static IPAddress[] LookUp(HostAddress host, int milliseconds)
    {
        if (milliseconds == Timeout.Infinite)
            return Dns.GetHostAddresses(host.Host);
        IPAddress[]? found = null;
        ExceptionDispatchInfo? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                found = Dns.GetHostAddresses(host.Host);
            }
            catch (Exception e)
            {
                error = ExceptionDispatchInfo.Capture(e);
            }
        }) { IsBackground = true, Name = "Loxo name lookup" };
        thread.Start();
        if (!thread.Join(milliseconds))
            throw TransportErrors.OpenTimedOut(host, $"resolving the host name '{host.Host}'");
        error?.Throw();
        return found!;
    }

    private async ValueTask<EndPoint[]> ResolveAsync(HostAddress host, Deadline deadline, CancellationToken token)
    {
        if (KnownEndPoint(host) is { } known)
            return [known];
        using var limit = new CancellationTokenSource(deadline.Left, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, token);
        try
        {
            // The lookup itself may ignore the token (getaddrinfo does): it is abandoned then.
            var found = await Dns.GetHostAddressesAsync(host.Host, both.Token).WaitAsync(both.Token).ConfigureAwait(false);
            return EndPoints(host, found);
        }
        catch (OperationCanceledException)
        {
            token.ThrowIfCancellationRequested();
            throw TransportErrors.OpenTimedOut(host, $"resolving the host name '{host.Host}'");
        }
        catch (SocketException e)
        {
            throw TransportErrors.CannotResolve(host.Host, e);
        }
    }

    private static EndPoint? KnownEndPoint(HostAddress host)
    {
        if (host.IsUnixSocket)
            return new UnixDomainSocketEndPoint(host.SocketPath is ['@', .. var name] ? "\0" + name : host.SocketPath);
        return IPAddress.TryParse(host.Address ?? host.Host, out var address) ? new IPEndPoint(address, host.Port) : null;
    }

    private static EndPoint[] EndPoints(HostAddress host, IPAddress[] addresses) => addresses.Length > 0
        ? Array.ConvertAll(addresses, EndPoint (address) => new IPEndPoint(address, host.Port))
        : throw new SocketException((int)SocketError.NoData);
}
