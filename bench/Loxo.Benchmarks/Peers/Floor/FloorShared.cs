using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>The cheapest program in which many callers share a few connections: each caller stays with one of them.</summary>
internal sealed class FloorShared : IPeer
{
    private readonly FloorPipeline[] _pipelines;
    private readonly bool _hops;
    private uint _callers;

    // With the reactor, its thread receives: only the caller hops, not the receiver.
    public FloorShared(Target target, FloorWait wait, int connections)
    {
        _hops = wait != FloorWait.ReactorInline;
        var receiver = wait == FloorWait.Socket ? FloorWait.Socket : FloorWait.ReactorInline;
        _pipelines = [.. Enumerable.Range(0, connections).Select(_ => new FloorPipeline(target, receiver))];
    }

    public SocketCalls? Calls => _pipelines.Select(pipeline => pipeline.Calls).Aggregate((all, calls) => all + calls);

    public long Run(int times) => throw new NotSupportedException("Callers that share connections are awaited.");

    /// <summary>One caller's queries.</summary>
    public async Task<long> RunAsync(int times)
    {
        var pipeline = _pipelines[Interlocked.Increment(ref _callers) % _pipelines.Length];
        var operation = new FloorOperation(_hops);
        long sum = 0;
        for (var i = 0; i < times; i++)
            sum += await pipeline.ExecuteAsync(operation, TestData.Key(i, Workload.Lookup));
        return sum;
    }

    public void Dispose()
    {
        foreach (var pipeline in _pipelines)
            pipeline.Dispose();
    }
}
