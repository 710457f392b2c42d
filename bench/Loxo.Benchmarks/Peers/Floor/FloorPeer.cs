using System.Buffers.Binary;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>The cheapest program that does the same work on an open connection: answers are read where they are known to lie.</summary>
internal sealed class FloorPeer : IPeer
{
    private const string Statement = "statement";
    private readonly FloorConnection _connection;
    private readonly Workload _workload;
    private readonly byte[] _request;
    private readonly int _keyPosition;

    public FloorPeer(Target target, Workload workload, FloorWait wait = FloorWait.Socket)
    {
        _connection = new FloorConnection(target, wait);
        _workload = workload;
        var parameters = TestData.Parameters(workload);
        var messages = new FloorMessages();
        if (workload is Workload.SelectOne or Workload.NewCommand)
        {
            messages.Parse("", TestData.Sql(workload), parameters).Bind("", parameters).Describe();
        }
        else
        {
            _connection.RoundTrip(new FloorMessages().Parse(Statement, TestData.Sql(workload), parameters).Sync().ToArray());
            messages.Bind(Statement, parameters);
        }
        _keyPosition = parameters > 0 ? messages.KeyPosition : 0;
        _request = messages.Execute().Sync().ToArray();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
            sum += Sum(_connection.RoundTrip(Request(i)));
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
            sum += Sum(await _connection.RoundTripAsync(Request(i)));
        return sum;
    }

    public void Dispose() => _connection.Dispose();

    // With the n-th key.
    private byte[] Request(int n)
    {
        if (_keyPosition > 0)
            BinaryPrimitives.WriteInt32BigEndian(_request.AsSpan(_keyPosition), TestData.Key(n, _workload));
        return _request;
    }

    private long Sum(int received) => FloorAnswers.Sum(_connection.Buffer.AsSpan(0, received), _workload);
}
