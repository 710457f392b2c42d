using System.Net.Sockets;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>One direction of a <see cref="ChaosLink"/>: bytes pass until they meet a closed <see cref="Gate"/>.</summary>
internal sealed class ChaosFlow(Framing framing, bool fromClient)
{
    private readonly Lock _lock = new();
    private readonly List<Gate> _gates = [];
    private readonly CancellationTokenSource _abandoned = new();
    private long _passed;

    /// <summary>At most so many bytes in one send; all that has come if 0.</summary>
    public int Chunk { get; set; }

    /// <summary>What is sent in place of the first bytes; null for nothing.</summary>
    public byte[]? Forge { get; set; }

    /// <summary>Whether TLS has been agreed on.</summary>
    public bool IsEncrypted => framing.IsEncrypted;

    /// <summary>Whether the sender has broken the stream off instead of ending it.</summary>
    public bool WasReset { get; private set; }

    /// <summary>Whether the receiver was gone before all bytes had reached it.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>How many bytes have passed.</summary>
    public long Passed => Volatile.Read(ref _passed);

    /// <summary>A gate <paramref name="count"/> bytes from here: 0 lets nothing more pass.</summary>
    public Gate GateAfterBytes(long count)
    {
        lock (_lock)
        {
            var gate = Add(new Gate { At = _passed + count });
            if (count == 0)
                gate.Reach();
            return gate;
        }
    }

    /// <summary>A gate behind the <paramref name="count"/>th message of a type from here, and <paramref name="more"/> bytes into what follows it.</summary>
    public Gate GateAfterMessage(char type, int count = 1, int more = 0)
    {
        lock (_lock)
            return Add(new Gate { Type = (byte)type, Count = count, More = more });
    }

    /// <summary>Completed when the <paramref name="count"/>th message of a type from here has passed; nothing is held.</summary>
    public Task Saw(char type, int count = 1)
    {
        var gate = GateAfterMessage(type, count);
        gate.Open();
        return gate.Reached;
    }

    internal void Abandon() => _abandoned.Cancel();

    internal async Task Run(Socket from, Socket to)
    {
        var buffer = new byte[64 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer, SocketFlags.None, _abandoned.Token) is > 0 and var received)
            {
                Forge?.AsSpan(0, Math.Min(received, Forge.Length)).CopyTo(buffer);
                Forge = null;
                lock (_lock)
                    framing.Scan(fromClient, buffer.AsSpan(0, received), OnMessage);
                await Pass(to, buffer.AsMemory(0, received));
            }
            await WaitAtGate();
            to.Shutdown(SocketShutdown.Send);
        }
        catch (OperationCanceledException)
        {
            await DrainUntilClosed(from, buffer);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            WasReset = e is SocketException { SocketErrorCode: SocketError.ConnectionReset };
            // What breaks one side breaks the other.
            from.Dispose();
            to.Dispose();
        }
    }

    private async Task Pass(Socket to, Memory<byte> bytes)
    {
        while (true)
        {
            await WaitAtGate();
            if (bytes.IsEmpty)
                return;
            var count = (int)Math.Min(bytes.Length, NextGate() - _passed);
            if (Chunk > 0)
                count = Math.Min(count, Chunk);
            // Counted first: whoever has got the answer to these bytes may ask how many there were.
            lock (_lock)
                _passed += count;
            await Send(to, bytes[..count]);
            bytes = bytes[count..];
        }
    }

    private async Task Send(Socket to, Memory<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
                bytes = bytes[await to.SendAsync(bytes, SocketFlags.None, _abandoned.Token)..];
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown)
        {
            IsRefused = true;
            throw;
        }
    }

    private long NextGate()
    {
        lock (_lock)
            return _gates.Where(gate => gate.At >= _passed).Select(gate => gate.At).DefaultIfEmpty(long.MaxValue).Min();
    }

    private async Task WaitAtGate()
    {
        while (Take() is { } gate)
        {
            gate.Reach();
            await gate.Opened.WaitAsync(_abandoned.Token);
        }
    }

    private Gate? Take()
    {
        lock (_lock)
        {
            var gate = _gates.Find(gate => gate.At <= _passed);
            if (gate is not null)
                _gates.Remove(gate);
            return gate;
        }
    }

    private Gate Add(Gate gate)
    {
        _gates.Add(gate);
        return gate;
    }

    // A gate that counted its last message knows where it stands from then on.
    private void OnMessage(byte type, long end)
    {
        foreach (var gate in _gates)
        {
            if (gate.Type == type && gate.At == long.MaxValue && --gate.Count == 0)
                gate.At = end + gate.More;
        }
    }

    // After a cut the other side may still send; reading it keeps the FIN from becoming an RST.
    private static async Task DrainUntilClosed(Socket from, byte[] buffer)
    {
        try
        {
            while (await from.ReceiveAsync(buffer) > 0)
            {
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
        }
    }
}

/// <summary>A place in a stream where it stops until the test lets it go on.</summary>
internal sealed class Gate
{
    private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completed when everything in front of the gate has been sent on.</summary>
    public Task Reached => _reached.Task;

    internal Task Opened => _opened.Task;

    internal long At { get; set; } = long.MaxValue;

    internal byte Type { get; init; }

    internal int Count { get; set; }

    internal int More { get; init; }

    public void Open() => _opened.TrySetResult();

    internal void Reach() => _reached.TrySetResult();
}
