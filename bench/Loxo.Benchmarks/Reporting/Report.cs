using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.RoundTrips;

namespace Loxo.Benchmarks.Reporting;

/// <summary>One run of the benchmark.</summary>
internal sealed record Report(MachineFacts Facts, int Rounds, List<Result> Results, List<RoundTripCount> RoundTrips)
{
    /// <summary>What a peer reached at a row; null when it did not run there.</summary>
    public Result? Find(string row, PeerKind peer) => Results.Find(result => result.Row == row && result.Peer == peer.Name);

    /// <summary>The minimum of a peer, Loxo unless it is given, divided by another peer's; null when one of them did not run.</summary>
    public double? Ratio(string row, PeerKind peer, PeerKind? ours = null) =>
        Find(row, ours ?? PeerKind.Loxo)?.Minimum / Find(row, peer)?.Minimum;

    /// <summary>The round trips that a peer waited for; null when they were not counted.</summary>
    public RoundTripCount? CountOf(string scenario, PeerKind peer) =>
        RoundTrips?.Find(count => count.Scenario == scenario && count.Peer == peer.Name);
}
