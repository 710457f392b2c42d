using Loxo.Benchmarks.Measuring;

namespace Loxo.Benchmarks.Reporting;

/// <summary>One run of the benchmark.</summary>
internal sealed record Report(MachineFacts Facts, int Rounds, List<Result> Results)
{
    /// <summary>What a peer reached at a row; null when it did not run there.</summary>
    public Result? Find(string row, string peer) => Results.Find(result => result.Row == row && result.Peer == peer);

    /// <summary>Loxo's minimum divided by another peer's.</summary>
    public double? Ratio(string row, string peer) => Find(row, PeerKind.Loxo)?.Minimum / Find(row, peer)?.Minimum;
}
