using System.Net;
using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Tests.Wire;

/// <summary>
/// Two queues of bytes in memory. The driver's end is a <see cref="ByteChannel"/>; the script has the other. A blocking wait blocks
/// on a monitor and looks at the simulated clock; an asynchronous one is completed on another thread.
/// </summary>
internal sealed class ScriptedChannel : ByteChannel
{
    // Real time. A script that waits in vain fails, and with it what the client waits for.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly object _gate = new();
    private readonly SimulatedTime _time;
    private readonly ByteQueue _toServer = new();
    private readonly ByteQueue _toClient = new();
    private int _blockedInReceive;
    private PendingReceive? _receive;
    private PendingSend? _send;
    private bool _serverEnded;
    private bool _wasReset;
    private string? _aborted;

    public ScriptedChannel(SimulatedTime time, EndPoint remote)
    {
        _time = time;
        Remote = remote;
        time.Moved += OnTimeMoved;
    }

    public override EndPoint Remote { get; }

    /// <summary>
    /// How many bytes from the client fit before its sends stick. Unlimited unless set; later than the login, the client may have sent more.
    /// </summary>
    public int Window { get; set; } = int.MaxValue;

    /// <summary>How many bytes may wait for the client before the script's own writes stick. Unlimited unless set.</summary>
    public int ClientWindow { get; set; } = int.MaxValue;

    /// <summary>Each receive of the client gets one byte.</summary>
    public bool OneByteAtATime { get; set; }

    /// <summary>Runs once, when the next bytes have arrived and the client has not been told.</summary>
    public Action? Arriving { get; set; }

    /// <summary>Bytes that the client has sent and the script has not read.</summary>
    public int Unread
    {
        get
        {
            lock (_gate)
                return _toServer.Count;
        }
    }

    /// <summary>Whether the client has shut the channel down.</summary>
    public bool IsShutDown { get; private set; }

    /// <summary>Whether the client has disposed of the channel.</summary>
    public bool IsDisposed { get; private set; }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            CheckSend();
            var count = Math.Min(bytes.Length, Room);
            _toServer.Add(bytes[..count]);
            if (count > 0)
                Changed();
            return count;
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        lock (_gate)
            return Take(buffer);
    }

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        lock (_gate)
        {
            var due = Due(milliseconds);
            int count;
            while ((count = Take(buffer)) == Nothing && _time.Now < due)
                WaitAsReceiver();
            return count;
        }
    }

    public override Readiness Wait(Readiness wanted, int milliseconds)
    {
        lock (_gate)
        {
            var due = Due(milliseconds);
            Readiness ready;
            while ((ready = Ready() & wanted) == Readiness.None && _time.Now < due)
                WaitAsReceiver();
            return ready;
        }
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        lock (_gate)
        {
            if (_receive is not null)
                throw new InvalidOperationException("Two receives at once.");
            var count = Take(buffer.Span);
            if (count != Nothing)
                return new(count);
            _receive = new PendingReceive(buffer);
            Changed();
            return new(_receive.Completion.Task);
        }
    }

    public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        lock (_gate)
        {
            if (_send is not null)
                throw new InvalidOperationException("Two sends at once.");
            CheckSend();
            var send = _send = new PendingSend { Left = bytes };
            Changed();
            return send.Completion.Task;
        }
    }

    public override void Shutdown()
    {
        lock (_gate)
        {
            IsShutDown = true;
            Changed();
        }
    }

    public override void Dispose()
    {
        _time.Moved -= OnTimeMoved;
        lock (_gate)
        {
            IsShutDown = IsDisposed = true;
            Changed();
        }
    }

    /// <summary>The script's end: blocks for exactly that many bytes.</summary>
    public byte[] Read(int count, string whatFor)
    {
        var bytes = new byte[count];
        lock (_gate)
        {
            for (var read = 0; read < count;)
            {
                while (_toServer.Count == 0 && !IsShutDown)
                    WaitForChange();
                if (_toServer.Count == 0)
                    throw new AssertionException($"The script expected {whatFor}, but the client closed the connection.");
                read += _toServer.Take(bytes.AsSpan(read));
                Changed();
            }
        }
        return bytes;
    }

    /// <summary>Blocks until the client has sent something, or has closed the connection: then false.</summary>
    public bool HasMore()
    {
        lock (_gate)
        {
            while (_toServer.Count == 0 && !IsShutDown)
                WaitForChange();
            return _toServer.Count > 0;
        }
    }

    /// <summary>The script's end: the client gets these bytes.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            while (!bytes.IsEmpty)
            {
                while (_toClient.Count >= ClientWindow && !IsShutDown)
                    WaitForChange();
                var count = Math.Min(bytes.Length, ClientWindow - _toClient.Count);
                _toClient.Add(bytes[..count]);
                bytes = bytes[count..];
                var arriving = Arriving;
                Arriving = null;
                arriving?.Invoke();
                Changed();
            }
        }
    }

    /// <summary>The server closes the connection in good order: what was written still arrives.</summary>
    public void End()
    {
        lock (_gate)
        {
            _serverEnded = true;
            Changed();
        }
    }

    /// <summary>The connection breaks: what was written still arrives, then receives and sends fail.</summary>
    public void Reset()
    {
        lock (_gate)
        {
            _serverEnded = _wasReset = true;
            Changed();
        }
    }

    /// <summary>Everything that waits fails with this reason: the test has gone wrong.</summary>
    public void Abort(string reason)
    {
        lock (_gate)
        {
            _aborted ??= reason;
            Changed();
        }
    }

    /// <summary>Blocks until the client has taken everything that was written and waits for more.</summary>
    public void AwaitClientWaiting() => Await(() => _toClient.Count == 0 && (_blockedInReceive > 0 || _receive is not null), "the client to wait");

    /// <summary>Blocks until the window is full and a send of the client sticks.</summary>
    public void AwaitClientSending() => Await(() => Room == 0 && (_blockedInReceive > 0 || _send is not null), "the client's sends to stick");

    /// <summary>Blocks until the client has shut the channel down.</summary>
    public void AwaitShutdown() => Await(() => IsShutDown, "the client to close the connection");

    private void Await(Func<bool> condition, string what)
    {
        lock (_gate)
        {
            while (!condition())
            {
                if (IsDisposed)
                    throw new AssertionException($"The script expected {what}, but the client has disposed of the connection.");
                WaitForChange();
            }
        }
    }

    private int Room => Math.Max(0, Window - _toServer.Count);

    private void CheckSend()
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        if (IsShutDown)
            throw new SocketException((int)SocketError.Shutdown);
        if (_wasReset)
            throw new SocketException((int)SocketError.ConnectionReset);
    }

    private TimeSpan Due(int milliseconds) =>
        milliseconds == Timeout.Infinite ? TimeSpan.MaxValue : _time.Now + TimeSpan.FromMilliseconds(milliseconds);

    private int Take(Span<byte> buffer)
    {
        if (buffer.IsEmpty)
            throw new InvalidOperationException("A receive without room.");
        if (_aborted is not null)
            throw new AssertionException(_aborted);
        if (_toClient.Count > 0)
        {
            Monitor.PulseAll(_gate);
            return _toClient.Take(OneByteAtATime ? buffer[..1] : buffer);
        }
        if (_wasReset && !IsShutDown)
            throw new SocketException((int)SocketError.ConnectionReset);
        return _serverEnded || IsShutDown ? 0 : Nothing;
    }

    private Readiness Ready()
    {
        if (_aborted is not null)
            throw new AssertionException(_aborted);
        var readable = _toClient.Count > 0 || _serverEnded || IsShutDown;
        return (readable ? Readiness.Readable : Readiness.None) | (Room > 0 ? Readiness.Writable : Readiness.None);
    }

    private void WaitAsReceiver()
    {
        _blockedInReceive++;
        Monitor.PulseAll(_gate);
        Monitor.Wait(_gate);
        _blockedInReceive--;
    }

    private void WaitForChange()
    {
        if (_aborted is not null)
            throw new AssertionException(_aborted);
        if (!Monitor.Wait(_gate, Patience))
            throw new AssertionException($"Nothing has happened for {Patience}: {_toServer.Count} bytes wait for the script, {_toClient.Count} for the client.");
    }

    private void OnTimeMoved()
    {
        lock (_gate)
            Monitor.PulseAll(_gate);
    }

    private void Changed()
    {
        ContinueSending();
        ContinueReceiving();
        Monitor.PulseAll(_gate);
    }

    private void ContinueSending()
    {
        if (_send is not { } send)
            return;
        if (IsShutDown || _wasReset || _aborted is not null)
        {
            _send = null;
            send.Completion.SetException(new SocketException((int)SocketError.ConnectionReset));
            return;
        }
        var count = Math.Min(Room, send.Left.Length);
        _toServer.Add(send.Left.Span[..count]);
        send.Left = send.Left[count..];
        if (!send.Left.IsEmpty)
            return;
        _send = null;
        send.Completion.SetResult();
    }

    private void ContinueReceiving()
    {
        if (_receive is not { } receive)
            return;
        try
        {
            var count = Take(receive.Buffer.Span);
            if (count == Nothing)
                return;
            _receive = null;
            receive.Completion.SetResult(count);
        }
        catch (Exception e) when (e is SocketException or AssertionException)
        {
            _receive = null;
            receive.Completion.SetException(e);
        }
    }

    private sealed class PendingReceive(Memory<byte> buffer)
    {
        public Memory<byte> Buffer { get; } = buffer;

        public TaskCompletionSource<int> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    private sealed class PendingSend
    {
        public ReadOnlyMemory<byte> Left { get; set; }

        public TaskCompletionSource Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
