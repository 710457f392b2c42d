namespace Loxo.Commands;

/// <summary>The lanes of one kind.</summary>
internal sealed class LaneList
{
    /// <summary>A command that runs for longer is slow.</summary>
    public const int SlowMilliseconds = 50;

    public volatile Lane[] Lanes = [];
    public volatile int Most;
    public int IsOpening;
    public long OpensFrom;

    [ThreadStatic]
    private static int _next;

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
