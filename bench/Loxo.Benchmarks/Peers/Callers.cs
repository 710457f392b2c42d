using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Peers;

/// <summary>
/// Many callers at once, each with the same share of the work: threads of their own when blocking, tasks when awaited. They share one
/// peer (and its pool), or each has its own.
/// </summary>
internal sealed class Callers : IPeer
{
    private readonly IPeer[] _peers;
    private readonly Barrier _start;
    private readonly Barrier _end;
    private bool _threadsRun;
    private volatile bool _isDisposed;
    private int _share;
    private long _sum;
    private Exception? _failure;

    private Callers(IPeer[] peers)
    {
        _peers = peers;
        _start = new Barrier(peers.Length + 1);
        _end = new Barrier(peers.Length + 1);
    }

    public SocketCalls? Calls => _peers.Distinct().Select(peer => peer.Calls).Aggregate((all, calls) => all + calls);

    public static Callers Sharing(int count, IPeer peer) => new([.. Enumerable.Repeat(peer, count)]);

    public static Callers Each(int count, Func<IPeer> open) => new([.. Enumerable.Range(0, count).Select(_ => open())]);

    public long Run(int times)
    {
        StartThreads();
        _share = Share(times);
        _sum = 0;
        _start.SignalAndWait();
        _end.SignalAndWait();
        return _failure is null ? _sum : throw new InvalidOperationException($"A caller failed: {_failure.Message}", _failure);
    }

    public async Task<long> RunAsync(int times)
    {
        var share = Share(times);
        return (await Task.WhenAll(_peers.Select(peer => Task.Run(() => peer.RunAsync(share))))).Sum();
    }

    public void Dispose()
    {
        _isDisposed = true;
        if (_threadsRun)
            _start.SignalAndWait();
        foreach (var peer in _peers.Distinct())
            peer.Dispose();
    }

    private int Share(int times) => times % _peers.Length == 0
        ? times / _peers.Length
        : throw new ArgumentException($"{times} executions cannot be shared out among {_peers.Length} callers.");

    // The same threads for all turns: starting one costs more than what it is measured for.
    private void StartThreads()
    {
        if (_threadsRun)
            return;
        _threadsRun = true;
        foreach (var peer in _peers)
            new Thread(() => Serve(peer), 256 * 1024) { IsBackground = true }.Start();
    }

    private void Serve(IPeer peer)
    {
        while (true)
        {
            _start.SignalAndWait();
            if (_isDisposed)
                return;
            try
            {
                Interlocked.Add(ref _sum, peer.Run(_share));
            }
            catch (Exception e)
            {
                _failure = e;
            }
            _end.SignalAndWait();
        }
    }
}
