using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Commands.Interleaved;

/// <summary>
/// The code of <see cref="ReactorChannel"/> and <see cref="InputSignal"/>, compiled a second time with names that are bound to
/// <see cref="LaneScheduler"/>, on a simulated socket that reports each arrival once. Whatever the order of the steps: every byte is received once,
/// and no receive waits for ever, not even one whose channel is closed.
/// </summary>
[Category("Slow")]
public sealed class ReactorInterleavingTests
{
    private static readonly TestCaseData[] Scenarios =
    [
        Case("one byte at a time", run => [run.Peer(1, 1, 1), run.Awaiting(3)]),
        Case("more than fits", run => [run.Peer(5, 3), run.Awaiting(2)]),
        Case("just as much as fits", run => [run.Peer(2, 2), run.Awaiting(2)]),
        Case("the end comes right behind", run => [run.Peer(2, 0), run.Awaiting(3)]),
        Case("the end comes at once", run => [run.Peer(0), run.Awaiting(3)]),
        Case("blocking receives in between", run => [run.Peer(2, 2, 2, 0), run.Alternating(3)]),
        Case("looks in between", run => [run.Peer(2, 2, 0), run.Looking(2)]),
        Case("the channel is closed", run => [run.Peer(1, 1), run.Awaiting(2), run.Close]),
        Case("the channel is closed after a blocking receive", run => [run.Peer(1, 1), run.Alternating(2), run.Close]),
    ];

    [TestCaseSource(nameof(Scenarios))]
    public void Every_byte_is_received_once_and_nobody_waits_for_ever(Func<Run, Action[]> programs)
    {
        var scheduler = new LaneScheduler(preemptions: 3);
        scheduler.Explore(() => new Run().Begin(programs), most: 6_000);
        TestContext.Out.WriteLine($"{scheduler.Runs} orders");
        Assert.That(scheduler.Failure, Is.Null);
        Assert.That(scheduler.Runs, Is.GreaterThan(20));
    }

    private static TestCaseData Case(string name, Func<Run, Action[]> programs) => new TestCaseData(programs).SetArgDisplayNames(name);

    /// <summary>One order of the threads.</summary>
    public sealed class Run
    {
        private readonly Lock _gate = new();
        private readonly SimulatedSocket _kernel = new();
        private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        private readonly ReactorChannel _channel;
        private int _sent;
        private int _received;
        private bool _isClosed;
        private bool _hasEnded;
        private bool _isOver;

        public Run()
        {
            _channel = new ReactorChannel(_socket, new IPEndPoint(IPAddress.Loopback, 1), new ReactorLoop(_kernel)) { Kernel = _kernel };
        }

        public (Lock Gate, Func<string?> Check, Action End) Begin(Func<Run, Action[]> programs)
        {
            LaneScheduler.Begin(Loop, isLane: true);
            foreach (var program in programs(this))
                LaneScheduler.Begin(program, isLane: false);
            return (_gate, Check, End);
        }

        /// <summary>The other end sends so many bytes, one time after the other; 0 for the end of the stream.</summary>
        public Action Peer(params int[] counts)
        {
            _sent = counts.Sum();
            _kernel.Ends = counts.Contains(0);
            return () =>
            {
                foreach (var count in counts)
                    _kernel.Arrive(count);
            };
        }

        public Action Awaiting(int size) => () => Receive(size, static _ => 0);

        public Action Alternating(int size) => () => Receive(size, static i => i % 2);

        public Action Looking(int size) => () => Receive(size, static i => i % 3 == 1 ? 2 : 0);

        public void Close()
        {
            LaneScheduler.Point();
            _isClosed = true;
            _channel.Dispose();
        }

        // Waits, tries and blocks; until all has come, or the end.
        private void Receive(int size, Func<int, int> how)
        {
            try
            {
                for (var i = 0; !_hasEnded && (_kernel.Ends || _received < _sent); i++)
                {
                    var buffer = new byte[size];
                    var count = how(i) switch
                    {
                        0 => Await(buffer),
                        1 => _channel.Receive(buffer, Timeout.Infinite),
                        _ => _channel.TryReceive(buffer),
                    };
                    _hasEnded = count == 0;
                    _received += Math.Max(0, count);
                }
            }
            catch (ObjectDisposedException) when (_isClosed)
            {
                _hasEnded = true;
            }
        }

        [SuppressMessage("Reliability", "CA2012", Justification = "Its result is taken once, when it is complete.")]
        private int Await(byte[] buffer)
        {
            var receiving = _channel.ReceiveAsync(buffer);
            LaneScheduler.WaitUntil(() => receiving.IsCompleted);
            return receiving.GetAwaiter().GetResult();
        }

        private void End()
        {
            _isOver = true;
            _socket.Dispose();
        }

        private void Loop()
        {
            while (true)
            {
                LaneScheduler.WaitUntil(() => _kernel.IsReported || _isOver);
                if (_isOver)
                    return;
                var events = _kernel.TakeReport();
                LaneScheduler.Point();
                if (events != Epoll.Events.None && _channel.HasBecomeReady(events))
                    _channel.Resume();
            }
        }

        private string? Check() =>
            _isClosed ? null
            : _received != _sent ? $"{_received} of {_sent} bytes were received"
            : _kernel.Ends && !_hasEnded ? "the end was not seen" : null;
    }
}

/// <summary>A socket with an epoll instance that reports each arrival once, and only what holds when it is asked.</summary>
public sealed class SimulatedSocket
{
    private int _unread;
    private bool _hasEnded;
    private bool _isClosed;
    private bool _isWatched;

    /// <summary>Whether its end will come.</summary>
    public bool Ends { get; set; }

    /// <summary>Whether a report is to be taken.</summary>
    public bool IsReported { get; private set; }

    public bool HasInput => _unread > 0 || _hasEnded || _isClosed;

    public void Arrive(int count)
    {
        LaneScheduler.Point();
        _unread += count;
        _hasEnded |= count == 0;
        IsReported |= _isWatched;
    }

    internal Epoll.Events TakeReport()
    {
        IsReported = false;
        var events = _unread > 0 ? Epoll.Events.Readable : Epoll.Events.None;
        return _hasEnded ? events | Epoll.Events.Readable | Epoll.Events.PeerClosed : events;
    }

    public void Watch(bool isWatched)
    {
        _isWatched = isWatched;
        IsReported = isWatched && HasInput;
    }

    public int TryReceive(int size)
    {
        LaneScheduler.Point();
        ObjectDisposedException.ThrowIf(_isClosed, this);
        var count = Math.Min(_unread, size);
        _unread -= count;
        return count > 0 ? count : _hasEnded ? 0 : ByteChannel.Nothing;
    }

    public void Close()
    {
        LaneScheduler.Point();
        _isClosed = true;
    }
}

/// <summary>Stands for the class of the same name: calls go to a simulated socket.</summary>
internal abstract class LinuxSocketChannel : ByteChannel
{
    protected LinuxSocketChannel(Socket socket, EndPoint remote, bool connectedAsynchronously, int receiveSpin) => Remote = remote;

    public SimulatedSocket Kernel { get; init; } = new();

    public override EndPoint Remote { get; }

    public override int TrySend(ReadOnlySpan<byte> bytes) => bytes.Length;

    public override int TryReceive(Span<byte> buffer) => Kernel.TryReceive(buffer.Length);

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        LaneScheduler.WaitUntil(() => Kernel.HasInput);
        return Kernel.TryReceive(buffer.Length);
    }

    public override Readiness Wait(Readiness wanted, int milliseconds) => Readiness.None;

    public override void Shutdown()
    {
    }

    public override void Dispose() => Kernel.Close();
}

/// <summary>Stands for the class of the same name.</summary>
internal sealed class ReactorLoop(SimulatedSocket kernel)
{
    public long Add(ReactorChannel channel) => 1;

    public void Remove(long id)
    {
    }

    public void Watch(SafeSocketHandle socket, Epoll.Events wanted, long id) => kernel.Watch(isWatched: true);

    public void Unwatch(SafeSocketHandle socket) => kernel.Watch(isWatched: false);

    public void Awaited() => LaneScheduler.Point();

    public void ResumeInPool(ReactorChannel channel) => LaneScheduler.Begin(channel.Resume, isLane: false);
}
