using System.Buffers.Binary;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>Twenty prepared updates in a transaction: BEGIN and the updates in one send, COMMIT in another.</summary>
internal sealed class FloorUpdates : IPeer
{
    private readonly FloorConnection _connection;
    private readonly byte[] _updates;
    private readonly byte[] _commit;
    private readonly int[] _keyPositions = new int[TestData.Updates];

    public FloorUpdates(Target target, FloorWait wait = FloorWait.Socket)
    {
        _connection = new FloorConnection(target, wait);
        _connection.RoundTrip(new FloorMessages().Parse("begin", "BEGIN", 0).Parse("update", TestData.Update, 1).Parse("commit", "COMMIT", 0).Sync().ToArray());
        var messages = new FloorMessages().Bind("begin", 0).Execute();
        for (var n = 0; n < TestData.Updates; n++)
        {
            messages.Bind("update", 1).Execute();
            _keyPositions[n] = messages.KeyPosition;
        }
        _updates = messages.Sync().ToArray();
        _commit = new FloorMessages().Bind("commit", 0).Execute().Sync().ToArray();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            sum += Count(_connection.RoundTrip(Updates(i)));
            Count(_connection.RoundTrip(_commit));
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await _connection.SendAsync(Updates(i));
            var received = 0;
            do
            {
                await _connection.WaitAsync();
                received += await _connection.ReceiveAsync(received);
            }
            while (!IsWhole(received));
            sum += Count(received);
            await _connection.SendAsync(_commit);
            received = 0;
            do
            {
                await _connection.WaitAsync();
                received += await _connection.ReceiveAsync(received);
            }
            while (!IsWhole(received));
            Count(received);
        }
        return sum;
    }

    public void Dispose() => _connection.Dispose();

    private byte[] Updates(int execution)
    {
        for (var n = 0; n < TestData.Updates; n++)
            BinaryPrimitives.WriteInt32BigEndian(_updates.AsSpan(_keyPositions[n]), TestData.Account(execution, n));
        return _updates;
    }

    private bool IsWhole(int received) => FloorAnswers.AreWhole(_connection.Buffer.AsSpan(0, received));

    private long Count(int received) => FloorAnswers.CountUpdates(_connection.Buffer.AsSpan(0, received));
}
