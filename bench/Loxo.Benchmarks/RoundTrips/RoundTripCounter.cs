using System.Data.Common;
using Npgsql;
using Quickstart.Story;

namespace Loxo.Benchmarks.RoundTrips;

/// <summary>How many round trips a driver waited for in a scenario.</summary>
internal sealed record RoundTripCount(string Scenario, string Peer, int Count);

/// <summary>Runs the scenarios over a link that is slowed, each on a link and a connection of its own, and counts the turns of direction.</summary>
internal static class RoundTripCounter
{
    private static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(25);

    private static readonly (PeerKind Kind, Func<string, DbConnection> Make)[] Drivers =
    [
        (PeerKind.Loxo, text => new PgConnection(text)),
        (PeerKind.Npgsql, text => new NpgsqlConnection(text + ";Max Auto Prepare=20;Auto Prepare Min Usages=2")),
    ];

    public static List<RoundTripCount> Run(Target target)
    {
        var counts = new List<RoundTripCount>();
        foreach (var scenario in Scenarios.All)
        {
            foreach (var (kind, make) in Drivers)
                counts.Add(new RoundTripCount(scenario.Id, kind.Name, Count(target, scenario, make)));
        }
        return counts;
    }

    private static int Count(Target target, Scenario scenario, Func<string, DbConnection> make)
    {
        using var link = new SlowedLink(target.Host, target.Port, Delay);
        var slowed = target with { Host = link.Host, Port = link.Port };
        // Unpooled: what happens at rent and return would blur it, and the link is gone afterwards.
        using var connection = make(slowed.With("Pooling=false"));
        connection.Open();
        scenario.Prepare(connection);
        var before = link.RoundTrips;
        scenario.Run(connection);
        return link.RoundTrips - before;
    }
}
