using Loxo.Diagnostics;

namespace Loxo.Commands;

/// <summary>The lanes of one kind.</summary>
/// <param name="kind">Its name in metrics.</param>
internal sealed class LaneList(string kind)
{
    /// <summary>A command that runs for longer is slow.</summary>
    public const int SlowMilliseconds = 50;

    public volatile Lane[] Lanes = [];
    public volatile int Most;
    public int IsOpening;
    public long OpensFrom;

    [ThreadStatic]
    private static int _next;

    // Of the lanes that are closed, by their numbers.
    private readonly Dictionary<int, LaneCounts> _past = [];

    /// <summary>What the lanes have done that are closed. Under the lock of the set, like all methods that are not static.</summary>
    public LaneCounts Past => _past.Values.Aggregate(default(LaneCounts), static (sum, one) => sum.Plus(one));

    /// <summary>Adds a lane, with the lowest number that no other one has.</summary>
    public void Add(Lane lane)
    {
        lane.Number = Enumerable.Range(1, Lanes.Length + 1).First(number => Lanes.All(other => other.Number != number));
        Lanes = [.. Lanes, lane];
    }

    /// <summary>A lane takes no more commands.</summary>
    public void Remove(Lane lane) => Lanes = [.. Lanes.Where(other => other != lane)];

    /// <summary>The session of a lane is closed.</summary>
    public void Closed(Lane lane) => _past[lane.Number] = _past.GetValueOrDefault(lane.Number).Plus(lane.Counts);

    /// <summary>What the lanes have done, by their numbers.</summary>
    /// <param name="retiring">Those that take no more commands and are not closed.</param>
    public IEnumerable<LaneSample> Sample(IEnumerable<Lane> retiring)
    {
        var open = Lanes.Concat(retiring).ToLookup(static lane => lane.Number);
        return _past.Keys.Union(open.Select(static lanes => lanes.Key)).Order().Select(number =>
        {
            var counts = open[number].Aggregate(_past.GetValueOrDefault(number), static (sum, lane) => sum.Plus(lane.Counts));
            var depth = open[number].Sum(static lane => lane.Depth);
            return new LaneSample($"{kind} {number}", depth, counts.Commands, counts.Sends, counts.Receives);
        });
    }

    /// <summary>The lane with the least to do, of some that take commands; null for none.</summary>
    public static Lane? BestOf(ReadOnlySpan<Lane> lanes, Func<Lane, bool> isTrusted, int compared = 3)
    {
        var first = (uint)++_next;
        Lane? best = null;
        for (var i = 0; i < lanes.Length && i < compared; i++)
        {
            var lane = lanes[(int)((first + i) % (uint)lanes.Length)];
            if (!lane.IsRetired && !lane.IsFull && isTrusted(lane) && (best is null || IsBetter(lane, best)))
                best = lane;
        }
        return best;
    }

    private static bool IsBetter(Lane lane, Lane other) => lane.Depth < other.Depth
        ? !lane.IsHeldUp || other.IsHeldUp
        : other.IsHeldUp && !lane.IsHeldUp;
}
