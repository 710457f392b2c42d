namespace Loxo.Pooling.Tests;

/// <summary>Keeps every worker of the thread pool, and the pool from adding others, until it is disposed.</summary>
internal sealed class StarvedPool : IDisposable
{
    // Not disposed: those that have not had their turn by then still ask it.
    private readonly ManualResetEventSlim _end = new();
    private readonly int _mostWorkers;
    private readonly int _mostPorts;
    private int _kept;

    public StarvedPool()
    {
        ThreadPool.GetMaxThreads(out _mostWorkers, out _mostPorts);
        ThreadPool.GetMinThreads(out var least, out _);
        var most = Math.Max(least, ThreadPool.ThreadCount);
        ThreadPool.SetMaxThreads(most, _mostPorts);
        for (var i = 0; i < 500; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static starved =>
            {
                Interlocked.Increment(ref starved._kept);
                starved._end.Wait();
            }, this, preferLocal: false);
        }
        // Those of the test runner may be kept by others.
        SpinWait.SpinUntil(() => Volatile.Read(ref _kept) >= most, TimeSpan.FromSeconds(1));
    }

    public void Dispose()
    {
        _end.Set();
        ThreadPool.SetMaxThreads(_mostWorkers, _mostPorts);
    }
}
