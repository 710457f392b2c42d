using Loxo.Benchmarks.Peers;

namespace Loxo.Benchmarks;

/// <summary>One peer at one row, on an open connection; blocking and awaited work look the same from outside.</summary>
internal sealed class Work : IDisposable
{
    private readonly IPeer _peer;
    private readonly Func<int, long> _run;

    private Work(string peerName, IPeer peer, Func<int, long> run)
    {
        PeerName = peerName;
        _peer = peer;
        _run = run;
    }

    public string PeerName { get; }

    /// <summary>Opens the peer; null when it cannot do this row.</summary>
    public static Work? Open(PeerKind kind, Target target, Row row)
    {
        var peer = kind.Open(target);
        if (!row.IsAsync && peer.Blocking(row.Workload) is { } run)
            return new Work(kind.Name, peer, run);
        if (row.IsAsync && peer.Async(row.Workload) is { } runAsync)
            return new Work(kind.Name, peer, times => Task.Run(() => runAsync(times)).GetAwaiter().GetResult());
        peer.Dispose();
        return null;
    }

    /// <summary>Executes so often and returns the sum of what was read.</summary>
    public long Run(int times) => _run(times);

    public void Dispose() => _peer.Dispose();
}
