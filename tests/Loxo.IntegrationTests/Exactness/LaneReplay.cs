using System.Net;
using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// Leads a data source with lanes to servers that say what they were told to say: one script for its first lane, one for the lanes behind it,
/// and one for the session that runs each text once.
/// </summary>
internal sealed class LaneReplayDialer(IReadOnlyList<ServerMessage> lane, IReadOnlyList<ServerMessage> fresh, IReadOnlyList<ServerMessage> own) : Dialer
{
    private int _owns;
    private volatile bool _refuses;

    /// <summary>
    /// Whether it refuses connections: what was recorded answers blindly, so a command that moves on from a broken lane must not get there.
    /// </summary>
    public bool Refuses { get => _refuses; set => _refuses = value; }

    /// <summary>The connections of the lanes.</summary>
    public List<LaneChannel> Lanes { get; } = [];

    // A session is a lane's if the thread that opens lanes has opened it.
    public override ByteChannel Dial(TransportSettings settings, Deadline deadline)
    {
        if (Refuses)
            throw TransportErrors.Lost(new SocketException((int)SocketError.ConnectionRefused));
        if (Thread.CurrentThread.Name != "Loxo lane opening")
            return new ReplayDialer.ReplayChannel(Interlocked.Increment(ref _owns) == 1 ? own : [], ReplayDialer.Address);
        var channel = new LaneChannel(new ReplayDialer.ReplayChannel(Lanes.Count == 0 ? lane : fresh, ReplayDialer.Address));
        Lanes.Add(channel);
        return channel;
    }

    public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) => new(Dial(settings, deadline));

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => new ReplayDialer.ReplayChannel([], ReplayDialer.Address);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        new(Redial(remote, settings, deadline));
}

/// <summary>
/// The connection of a lane, whose thread receives whether or not something is due. The stream ends when somebody waits for what never comes.
/// </summary>
internal sealed class LaneChannel(ByteChannel replay) : ByteChannel
{
    // An object and not a Lock, which cannot be waited on.
    private readonly object _lock = new();
    private Func<bool> _isStuck = static () => false;
    private long _sends;
    private bool _isHeld;
    private bool _isAwaited;

    public override EndPoint Remote => replay.Remote;

    /// <summary>Whether the connection was given up, by either side.</summary>
    public bool IsShut { get; private set; }

    /// <summary>Whether the server has closed it because a caller waited for what never came.</summary>
    public bool WasStuck { get; private set; }

    /// <summary>Whether somebody waits, and all that may come by now has come.</summary>
    public bool IsAwaited
    {
        get
        {
            lock (_lock)
                return _isAwaited;
        }
    }

    /// <summary>How often something was sent.</summary>
    public long Sends
    {
        get
        {
            lock (_lock)
                return _sends;
        }
    }

    /// <summary>Nothing arrives while it is true.</summary>
    public bool IsHeld
    {
        set
        {
            lock (_lock)
            {
                _isHeld = value;
                Monitor.PulseAll(_lock);
            }
        }
    }

    /// <summary>From here on the stream ends where <paramref name="isStuck"/> says that a caller waits although all has been said.</summary>
    public void EndWhere(Func<bool> isStuck)
    {
        lock (_lock)
        {
            _isStuck = isStuck;
            Monitor.PulseAll(_lock);
        }
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            _sends++;
            _isAwaited = false;
            Monitor.PulseAll(_lock);
            return replay.TrySend(bytes);
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        lock (_lock)
            return _isHeld ? Nothing : replay.TryReceive(buffer);
    }

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        while (true)
        {
            long sends;
            Func<bool> isStuck;
            lock (_lock)
            {
                if (IsShut)
                    return 0;
                if (!_isHeld && replay.Receive(buffer, milliseconds) is > 0 and var count)
                    return count;
                (sends, isStuck) = (_isHeld ? -1 : _sends, _isStuck);
            }
            // Not under the lock: it enters the gate of the wire, under which the lane sends.
            var ends = isStuck();
            lock (_lock)
            {
                if (IsShut || _sends != sends)
                {
                    if (_isHeld)
                        Monitor.Wait(_lock);
                    continue;
                }
                if (ends)
                {
                    WasStuck = true;
                    return 0;
                }
                _isAwaited = true;
                // What makes a caller wait for ever need not be something that was sent.
                Monitor.Wait(_lock, 5);
            }
        }
    }

    public override Readiness Wait(Readiness wanted, int milliseconds) => wanted;

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => new(Receive(buffer.Span, Timeout.Infinite));

    public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        TrySend(bytes.Span);
        return Task.CompletedTask;
    }

    public override void Shutdown()
    {
        lock (_lock)
        {
            IsShut = true;
            replay.Shutdown();
            Monitor.PulseAll(_lock);
        }
    }

    public override void Dispose() => Shutdown();
}
