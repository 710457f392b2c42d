using System.Buffers.Binary;
using System.Net;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Keeps what is sent, which is one call at a time, and receives nothing until the end.</summary>
internal sealed class SendingChannel : ByteChannel
{
    private readonly object _gate = new();
    private readonly List<byte> _sent = [];
    private readonly Random _random = new(1);
    private readonly byte[] _last = new Answer().ReadyForQuery().Bytes;
    private TaskCompletionSource? _receiving;
    private int _sending;
    private bool _hasEnded;

    public override EndPoint Remote => ScriptedDialer.Address;

    /// <summary>Runs once, within the next call that sends.</summary>
    public Action? Sending { get; set; }

    /// <summary>Runs within each call that sends.</summary>
    public Action? EachSending { get; set; }

    /// <summary>Runs whenever somebody begins to await what arrives.</summary>
    public Action? Receiving { get; set; }

    /// <summary>In how many of four calls nothing fits. In others a part does, unless it is 0.</summary>
    public int IsTight { get; set; }

    /// <summary>The sends that are awaited end after it.</summary>
    public Task Stuck { get; set; } = Task.CompletedTask;

    /// <summary>Whether two calls have sent at once.</summary>
    public bool HasMixed { get; private set; }

    /// <summary>How many bytes were sent.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _sent.Count;
        }
    }

    /// <summary>The numbers that were sent.</summary>
    public int[] Sent(bool inverted = false)
    {
        lock (_gate)
        {
            var bytes = _sent.Select(one => inverted ? (byte)~one : one);
            return [.. bytes.Chunk(sizeof(int)).Select(static one => BinaryPrimitives.ReadInt32BigEndian(one))];
        }
    }

    /// <summary>The server answers, and those who wait go on.</summary>
    public void End()
    {
        lock (_gate)
        {
            _hasEnded = true;
            _receiving?.TrySetResult();
            Monitor.PulseAll(_gate);
        }
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        Enter();
        try
        {
            var sending = Sending;
            Sending = null;
            sending?.Invoke();
            EachSending?.Invoke();
            lock (_gate)
            {
                var count = IsTight == 0 ? bytes.Length : _random.Next(4) < IsTight ? 0 : _random.Next(1, bytes.Length + 1);
                _sent.AddRange(bytes[..count]);
                return count;
            }
        }
        finally
        {
            Interlocked.Decrement(ref _sending);
        }
    }

    public override async Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        Enter();
        await Task.Yield();
        await Stuck;
        lock (_gate)
            _sent.AddRange(bytes.Span);
        Interlocked.Decrement(ref _sending);
    }

    public override int TryReceive(Span<byte> buffer)
    {
        lock (_gate)
            return Last(buffer);
    }

    public override int Receive(Span<byte> buffer, int milliseconds)
    {
        lock (_gate)
        {
            while (!_hasEnded)
                Monitor.Wait(_gate);
            return Last(buffer);
        }
    }

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        Receiving?.Invoke();
        lock (_gate)
            _receiving ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!_hasEnded)
            await _receiving.Task;
        return TryReceive(buffer.Span);
    }

    public override Readiness Wait(Readiness wanted, int milliseconds)
    {
        lock (_gate)
        {
            if ((wanted & Readiness.Writable) != 0)
                return _hasEnded ? wanted : Readiness.Writable;
            while (!_hasEnded)
                Monitor.Wait(_gate);
            return Readiness.Readable;
        }
    }

    public override void Shutdown() => End();

    public override void Dispose() => End();

    private int Last(Span<byte> buffer)
    {
        if (!_hasEnded)
            return Nothing;
        _last.CopyTo(buffer);
        return _last.Length;
    }

    private void Enter()
    {
        if (Interlocked.Increment(ref _sending) != 1)
            HasMixed = true;
    }
}
