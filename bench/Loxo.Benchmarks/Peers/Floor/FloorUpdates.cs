using System.Buffers.Binary;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>Twenty prepared updates as a group; or in a transaction, BEGIN and the updates in one send, COMMIT in another.</summary>
internal sealed class FloorUpdates : IPeer
{
    private readonly FloorConnection _connection;
    private readonly byte[] _updates;
    private readonly byte[]? _commit;
    private readonly int[] _keyPositions = new int[TestData.Updates];

    public FloorUpdates(Target target, UpdatesForm form, FloorWait wait = FloorWait.Socket)
    {
        var isTransaction = form switch
        {
            UpdatesForm.Transaction => true,
            UpdatesForm.Group => false,
            _ => throw new ArgumentOutOfRangeException(nameof(form), form, "The floor has no updates of this form."),
        };
        _connection = new FloorConnection(target, wait);
        _connection.RoundTrip(new FloorMessages().Parse("begin", "BEGIN", 0).Parse("update", TestData.Update, 1).Parse("commit", "COMMIT", 0).Sync().ToArray());
        var messages = new FloorMessages();
        if (isTransaction)
            messages.Bind("begin", 0).Execute();
        for (var n = 0; n < TestData.Updates; n++)
        {
            messages.Bind("update", 1).Execute();
            _keyPositions[n] = messages.KeyPosition;
        }
        _updates = messages.Sync().ToArray();
        if (isTransaction)
            _commit = new FloorMessages().Bind("commit", 0).Execute().Sync().ToArray();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            sum += Count(_connection.RoundTrip(Updates(i)));
            if (_commit is not null)
                Count(_connection.RoundTrip(_commit));
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            sum += Count(await _connection.RoundTripAsync(Updates(i)));
            if (_commit is not null)
                Count(await _connection.RoundTripAsync(_commit));
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

    private long Count(int received) => FloorAnswers.CountUpdates(_connection.Buffer.AsSpan(0, received));
}
