using System.Buffers.Binary;
using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>
/// A connection that many callers use at once. Queries that are added before the next send share it, each with its own Sync; answers
/// come in the same order, and each completes its caller's operation.
/// </summary>
internal sealed class FloorPipeline : IThreadPoolWorkItem, IDisposable
{
    private const string Statement = "statement";
    private readonly FloorConnection _connection;
    private readonly Lock _lock = new();
    private readonly Queue<FloorOperation> _unanswered = new();
    private readonly byte[] _query;
    private readonly int _keyPosition;
    private readonly Task _receiving;
    private byte[] _added = new byte[64 * 1024];
    private byte[] _sending = new byte[64 * 1024];
    private int _length;
    private bool _willSend;
    private long _sends;
    private long _receives;

    public FloorPipeline(Target target, FloorWait wait)
    {
        _connection = new FloorConnection(target, wait);
        _connection.RoundTrip(new FloorMessages().Parse(Statement, TestData.Sql(Workload.Lookup), 1).Sync().ToArray());
        var messages = new FloorMessages().Bind(Statement, 1);
        _keyPosition = messages.KeyPosition;
        _query = messages.Execute().Sync().ToArray();
        _receiving = ReceiveAsync();
    }

    public SocketCalls Calls => new(_sends, _receives);

    /// <summary>Adds a query. A work item sends it, with the queries of the callers that run before it.</summary>
    public ValueTask<long> ExecuteAsync(FloorOperation operation, int key)
    {
        var result = operation.Start();
        bool sends;
        lock (_lock)
        {
            _query.CopyTo(_added, _length);
            BinaryPrimitives.WriteInt32BigEndian(_added.AsSpan(_length + _keyPosition), key);
            _length += _query.Length;
            _unanswered.Enqueue(operation);
            sends = BecomeSender();
        }
        if (sends)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return result;
    }

    void IThreadPoolWorkItem.Execute() => Send();

    public void Dispose() => _connection.Dispose();

    // Under the lock. There is one sender at a time, until it finds nothing to send.
    private bool BecomeSender()
    {
        var becomes = !_willSend;
        _willSend = true;
        return becomes;
    }

    private void Send()
    {
        while (true)
        {
            int length;
            lock (_lock)
            {
                if (_length == 0)
                {
                    _willSend = false;
                    return;
                }
                (_added, _sending) = (_sending, _added);
                (length, _length) = (_length, 0);
            }
            _connection.SendAtOnce(_sending.AsSpan(0, length));
            _sends++;
        }
    }

    private async Task ReceiveAsync()
    {
        try
        {
            for (var received = 0; ;)
            {
                await _connection.WaitAsync();
                var count = await _connection.ReceiveAsync(received);
                if (count == 0)
                    continue;
                _receives++;
                received = Deliver(received + count);
            }
        }
        catch (Exception e)
        {
            // Also after Dispose, when nobody waits any more.
            lock (_lock)
            {
                while (_unanswered.TryDequeue(out var operation))
                    operation.Fail(e);
            }
        }
    }

    // Returns the length of the answer that is not whole; it moves to the front of the buffer.
    private int Deliver(int received)
    {
        ReadOnlySpan<byte> bytes = _connection.Buffer.AsSpan(0, received);
        bool sends;
        lock (_lock)
            sends = BecomeSender(); // So callers that continue in here only add their queries, for one send at the end.
        while (FloorAnswers.TryTake(ref bytes, Workload.Lookup, out var sum))
        {
            FloorOperation operation;
            lock (_lock)
                operation = _unanswered.Dequeue();
            operation.Complete(sum);
        }
        bytes.CopyTo(_connection.Buffer);
        if (sends)
            Send();
        return bytes.Length;
    }
}
