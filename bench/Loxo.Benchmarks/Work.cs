using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Peers;

namespace Loxo.Benchmarks;

/// <summary>One peer at one row; blocking and awaited work look the same from outside.</summary>
internal sealed class Work(Row row, Entrant entrant, IPeer peer) : IParticipant
{
    public string Name => entrant.Kind.Name;

    public int Batch { get; } = entrant.Batch > 0 ? entrant.Batch : row.Batch;

    /// <summary>Sends and receives so far; null when the peer does not count them.</summary>
    public SocketCalls? Calls => peer.Calls;

    /// <summary>How long the callers of the last batch waited; null when the peer does not measure it.</summary>
    public Latency? Latency => peer.Latency;

    /// <summary>How often the server has flushed its log so far; null when the peer does not count that.</summary>
    public long? WalFlushes => peer.WalFlushes;

    /// <summary>Opens those of the row's peers that were chosen.</summary>
    public static Work[] Open(Row row, PeerKind[] peers, Target target) =>
        [.. row.Entrants.Where(entrant => peers.Contains(entrant.Kind)).Select(entrant => new Work(row, entrant, entrant.Open(target)))];

    public Sample Measure(out long sum) => Meter.Measure(this, row, out sum);

    /// <summary>Executes so often and returns the sum of what was read.</summary>
    public long Run(int times) => row.IsAsync ? Task.Run(() => peer.RunAsync(times)).GetAwaiter().GetResult() : peer.Run(times);

    public void Dispose() => peer.Dispose();
}
