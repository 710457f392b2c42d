using System.Text;
using Loxo.Benchmarks.RoundTrips;

namespace Loxo.Benchmarks.Reporting;

/// <summary>Round trips over a slowed link as Markdown.</summary>
internal static class RoundTripsTable
{
    private static readonly PeerKind[] Peers = [PeerKind.Loxo, PeerKind.Npgsql, PeerKind.Libpq];

    public static void Write(StringBuilder text, Report report)
    {
        if (report.RoundTrips is not { Count: > 0 })
            return;
        text.Append("\nRound trips waited for over a link of 50 ms, counted by a proxy that delivers everything 25 ms later ");
        text.Append("(milliseconds that a later run takes):\n\n");
        text.Append($"| scenario | {string.Join(" | ", Peers.Select(peer => peer.Name))} |\n");
        text.Append($"|---|{string.Concat(Peers.Select(_ => "---:|"))}\n");
        foreach (var scenario in Scenarios.All)
            text.Append($"| {scenario.Title} | {string.Join(" | ", Peers.Select(peer => Cell(report.CountOf(scenario.Id, peer))))} |\n");
    }

    private static string Cell(RoundTripCount? count) => $"{count?.Count}{(count?.Milliseconds is { } time ? $" ({time:0} ms)" : "")}";
}
