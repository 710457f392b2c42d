using System.Data.Common;
using System.Diagnostics;
using System.Text.Json.Serialization;
using Loxo.Benchmarks.Peers.Native;
using Npgsql;
using Quickstart.Story;

namespace Loxo.Benchmarks.RoundTrips;

/// <summary>How many round trips a driver waited for in a scenario.</summary>
internal sealed record RoundTripCount(string Scenario, string Peer, int Count)
{
    /// <summary>How long a later run took, the best of three; null where only round trips are counted.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public double? Milliseconds { get; init; }
}

/// <summary>Runs the scenarios over a link that is slowed, each on a link and a connection of its own, and counts the turns of direction.</summary>
internal static class RoundTripCounter
{
    private const int TimedRuns = 3;
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
                counts.Add(Count(target, scenario, kind, make));
            if (scenario.Libpq is not null && Libpq.IsThere)
                counts.Add(CountLibpq(target, scenario));
        }
        return counts;
    }

    private static RoundTripCount Count(Target target, Scenario scenario, PeerKind kind, Func<string, DbConnection> make)
    {
        using var link = new SlowedLink(target.Host, target.Port, Delay);
        // Unpooled: what happens at rent and return would blur it, and the link is gone afterwards.
        using var connection = make(Behind(link, target).With("Pooling=false"));
        connection.Open();
        scenario.Prepare(connection);
        return Count(link, scenario, kind, () => scenario.Run(connection));
    }

    private static RoundTripCount CountLibpq(Target target, Scenario scenario)
    {
        using var link = new SlowedLink(target.Host, target.Port, Delay);
        using var updates = new LibpqUpdates(Behind(link, target), scenario.Libpq!.Value, Scenarios.Statements);
        return Count(link, scenario, PeerKind.Libpq, () => updates.Run(1));
    }

    private static Target Behind(SlowedLink link, Target target) => target with { Host = link.Host, Port = link.Port };

    private static RoundTripCount Count(SlowedLink link, Scenario scenario, PeerKind kind, Action run)
    {
        var before = link.RoundTrips;
        run();
        var count = link.RoundTrips - before;
        return new RoundTripCount(scenario.Id, kind.Name, count) { Milliseconds = scenario.Libpq is null ? null : Time(run) };
    }

    private static double Time(Action run) => Enumerable.Range(0, TimedRuns).Min(_ =>
    {
        var start = Stopwatch.GetTimestamp();
        run();
        return Math.Round(Stopwatch.GetElapsedTime(start).TotalMilliseconds, 1);
    });
}
