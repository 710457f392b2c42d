using System.Net;
using System.Net.Sockets;

namespace Loxo.Transport;

/// <summary>
/// Connects to a host. Of a name with several addresses the next one is tried when the one before refuses or has not answered after 250 ms,
/// and the first that answers is taken (RFC 8305): see <see cref="Staggered"/>.
/// </summary>
internal sealed class SocketDialer(TimeProvider time) : Dialer
{
    /// <summary>The system's name lookup. Tests set one that never ends.</summary>
    internal Func<string, IPAddress[]> Names { get; init; } = Dns.GetHostAddresses;

    /// <inheritdoc cref="Names"/>
    internal Func<string, CancellationToken, Task<IPAddress[]>> NamesAsync { get; init; } = Dns.GetHostAddressesAsync;

    /// <summary>The dialer of a data source: within the wrapper, if a test has set one.</summary>
    public static Dialer Create(TimeProvider time)
    {
        var dialer = new SocketDialer(time);
        return Wrapper?.Invoke(dialer) ?? dialer;
    }

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline) =>
        DialAny(Resolve(settings, deadline), settings, deadline);

    public override async ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        var addresses = await ResolveAsync(settings, deadline, token).ConfigureAwait(false);
        return await DialAnyAsync(addresses, settings, deadline, token).ConfigureAwait(false);
    }

    /// <summary>Connects to one of the addresses, blocking.</summary>
    internal ByteChannel DialAny(EndPoint[] addresses, TransportSettings settings, Deadline deadline)
    {
        if (addresses.Length == 1)
            return Connect(addresses[0], settings, deadline);
        var attempts = new Addresses(this, addresses, settings, deadline);
        return attempts.TryFirst() ?? Staggered.Run(attempts, time) ?? throw attempts.Error;
    }

    /// <inheritdoc cref="DialAny"/>
    internal async ValueTask<ByteChannel> DialAnyAsync(
        EndPoint[] addresses, TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        if (addresses.Length == 1)
            return await ConnectAsync(addresses[0], settings, deadline, token).ConfigureAwait(false);
        var attempts = new Addresses(this, addresses, settings, deadline);
        return await Staggered.RunAsync(attempts, time, token).ConfigureAwait(false) ?? throw attempts.Error;
    }

    private TimeProvider Time => time;

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
            // Leaves the socket blocking, which ConnectAsync with a token would not.
            if (!OperatingSystem.IsLinux())
                socket.Connect(remote);
            else if (!TryConnectOnLinux(socket, remote, deadline))
            {
                socket.Dispose();
                throw TransportErrors.OpenTimedOut(settings.Host, $"connecting to {remote}");
            }
            return SocketPeer.Checked(
                SocketTuning.ToChannel(socket, remote, settings, connectedAsynchronously: false), socket, settings);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OutOfMemoryException)
        {
            socket.Dispose();
            throw TransportErrors.CannotConnect(settings.Host, e);
        }
    }

    // The kernel bounds the call like a send. A signal ends it: a TCP socket goes on connecting and is waited for, a Unix socket has to try
    // again. The Socket class would start the whole time anew. False if the time is over; the kernel may give up before, which is an error.
    private static bool TryConnectOnLinux(Socket socket, EndPoint remote, Deadline deadline)
    {
        bool isConnected, isPending;
        do
        {
            socket.SendTimeout = deadline.NextWait is var wait and not Timeout.Infinite ? Math.Max(1, wait) : 0;
            isConnected = LinuxSocket.Connect(socket.SafeHandle, remote, out isPending);
        }
        while (!isConnected && remote is UnixDomainSocketEndPoint && !deadline.HasExpired);
        if (!isConnected)
        {
            var goesOn = isPending && remote is not UnixDomainSocketEndPoint;
            if (!goesOn || LinuxSocket.Poll(socket.SafeHandle, Readiness.Writable, deadline.NextWait) == Readiness.None)
                return false;
            LinuxSocket.ThrowIfFailed(socket.SafeHandle);
        }
        socket.SendTimeout = 0;
        return true;
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
            {
                var spin = settings.ReceiveSpin;
                var channel = await ReactorChannel.ConnectAsync(socket, remote, loop, spin, both.Token).ConfigureAwait(false);
                return SocketPeer.Checked(channel, socket, settings);
            }
            while (!await TryConnectAsync(socket, remote, both.Token).ConfigureAwait(false))
                await Task.Delay(1, both.Token).ConfigureAwait(false);
            return SocketPeer.Checked(
                SocketTuning.ToChannel(socket, remote, settings, connectedAsynchronously: true), socket, settings);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException or OutOfMemoryException)
        {
            socket.Dispose();
            token.ThrowIfCancellationRequested();
            throw e is OperationCanceledException
                ? TransportErrors.OpenTimedOut(settings.Host, $"connecting to {remote}")
                : TransportErrors.CannotConnect(settings.Host, e);
        }
    }

    // False if the server's queue is full, and a Unix socket does not tell when it has room again.
    private static async ValueTask<bool> TryConnectAsync(Socket socket, EndPoint remote, CancellationToken token)
    {
        try
        {
            await socket.ConnectAsync(remote, token).ConfigureAwait(false);
            return true;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.WouldBlock && remote is UnixDomainSocketEndPoint)
        {
            return false;
        }
    }

    private EndPoint[] Resolve(TransportSettings settings, Deadline deadline)
    {
        var host = settings.Host;
        if (KnownEndPoint(host) is { } known)
            return [known];
        try
        {
            return EndPoints(settings, LookUp(host, deadline.NextWait));
        }
        catch (SocketException e)
        {
            throw TransportErrors.CannotResolve(host.Host, e);
        }
    }

    private IPAddress[] LookUp(HostAddress host, int milliseconds) =>
        AbandonableCall.TryRun(() => Names(host.Host), "Loxo name lookup", milliseconds, out var found)
            ? found
            : throw TransportErrors.OpenTimedOut(host, $"resolving the host name '{host.Host}'");

    private async ValueTask<EndPoint[]> ResolveAsync(TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        var host = settings.Host;
        if (KnownEndPoint(host) is { } known)
            return [known];
        using var limit = new CancellationTokenSource(deadline.Left, time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, token);
        try
        {
            // The lookup itself may ignore the token (getaddrinfo does): it is abandoned then.
            var found = await NamesAsync(host.Host, both.Token).WaitAsync(both.Token).ConfigureAwait(false);
            return EndPoints(settings, found);
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
            return UnixEndPoint(host);
        return IPAddress.TryParse(host.Address ?? host.Host, out var address) ? new IPEndPoint(address, host.Port) : null;
    }

    private static UnixDomainSocketEndPoint UnixEndPoint(HostAddress host)
    {
        try
        {
            return new UnixDomainSocketEndPoint(host.SocketPath is ['@', .. var name] ? "\0" + name : host.SocketPath);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw TransportErrors.SocketPathTooLong(host, e);
        }
    }

    // Families take turns, beginning with that of the first address: if one of them leads nowhere, the other is next.
    private static EndPoint[] EndPoints(TransportSettings settings, IPAddress[] addresses)
    {
        if (addresses.Length == 0)
            throw new SocketException((int)SocketError.NoData);
        if (settings.ShufflesAddresses)
            Random.Shared.Shuffle(addresses);
        return [.. addresses
            .GroupBy(static address => address.AddressFamily)
            .SelectMany(static (family, place) => family.Select((address, turn) => (Address: address, Turn: turn, Place: place)))
            .OrderBy(static one => one.Turn).ThenBy(static one => one.Place)
            .Select(EndPoint (one) => new IPEndPoint(one.Address, settings.Host.Port))];
    }

    /// <summary>The addresses of a name, and why they were not taken.</summary>
    private sealed class Addresses(SocketDialer dialer, EndPoint[] addresses, TransportSettings settings, Deadline deadline)
        : IAttempts<ByteChannel>
    {
        private readonly PgException?[] _errors = new PgException?[addresses.Length];
        private int _refused;

        public int Count => addresses.Length - _refused;

        /// <summary>That of the first address: the others are only instead of it.</summary>
        public PgException Error => _errors.OfType<PgException>().First();

        // Mostly the first address answers at once, or refuses; only if it does neither, the attempts need threads of their own.
        public ByteChannel? TryFirst()
        {
            if (!OperatingSystem.IsLinux())
                return null; // elsewhere nothing bounds a connect that blocks
            for (; _refused < addresses.Length; _refused++)
            {
                try
                {
                    return Connect(addresses[_refused], settings, deadline.AtMost(Staggered.Pause, dialer.Time));
                }
                catch (PgException e) when (e.Code == PgErrorCode.Timeout && !deadline.HasExpired)
                {
                    // It is tried again, behind the next one.
                    if (Count > 1)
                        Array.Reverse(addresses, _refused, 2);
                    return null;
                }
                catch (PgException e)
                {
                    _errors[_refused] = e;
                }
            }
            throw Error;
        }

        public ByteChannel? Try(int index)
        {
            try
            {
                return Connect(addresses[_refused + index], settings, deadline);
            }
            catch (PgException e)
            {
                _errors[_refused + index] = e;
                return null;
            }
        }

        public async ValueTask<ByteChannel?> TryAsync(int index, CancellationToken token)
        {
            try
            {
                return await dialer.ConnectAsync(addresses[_refused + index], settings, deadline, token).ConfigureAwait(false);
            }
            catch (PgException e)
            {
                _errors[_refused + index] = e;
                return null;
            }
        }

        public void IsSlow(int index)
        {
        }

        public void Lose(ByteChannel late) => late.Dispose();
    }
}
